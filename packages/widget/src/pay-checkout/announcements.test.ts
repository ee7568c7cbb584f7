import { expect, oneEvent } from '@open-wc/testing';
import { sendKeys, sendMouse } from '@web/test-runner-commands';
import type { CheckoutState } from '@pay-checkout/session-server/contract';
import type { OutcomePhase, Phase } from '../flow/phases.js';
import { en } from '../labels/en.js';
import { accessibilityTree, type AccessibleNode } from '../testing/accessibility-tree.js';
import { EVERY_PHASE, OUTCOMES, redirectNowhere, WITHIN_PHASES } from '../testing/every-phase.js';
import { nextTask, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

/** How often a screen reader says `words` after what happened between two trees. */
function timesAnnounced(
  before: readonly AccessibleNode[],
  after: readonly AccessibleNode[],
  words: string,
): number {
  const focused = (tree: readonly AccessibleNode[]): number | undefined =>
    tree.findLast(({ isFocused }) => isFocused)?.element;
  return textsOf(after, words).reduce((times, text) => {
    let isRead = false;
    for (let at: AccessibleNode | undefined = text; at; at = at.parent) {
      isRead ||= at.element === focused(after) && at.element !== focused(before);
    }
    return times + Number(isRead) + Number(text.isLive);
  }, 0);
}

/** The nodes with exactly the text `words`. */
function textsOf(tree: readonly AccessibleNode[], words: string): readonly AccessibleNode[] {
  return tree.filter(({ role, name }) => role === 'StaticText' && name === words);
}

describe('<pay-checkout> with a screen reader and a keyboard', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  async function pressed(mode: 'inline' | 'overlay' = 'inline'): Promise<PayCheckoutHarness> {
    const harness = await PayCheckoutHarness.place(server, { mode });
    harness.button?.focus();
    await harness.during('ready', () => sendKeys({ press: 'Enter' }));
    return harness;
  }
  const isLive = async (words: string): Promise<boolean> =>
    textsOf(await accessibilityTree(), words).every((text) => text.isLive);
  const focusOf = ({ element }: PayCheckoutHarness): Element | null | undefined =>
    element.shadowRoot?.activeElement;

  type FromServer = 'confirming' | OutcomePhase;
  const FROM_SERVER: readonly FromServer[] = ['confirming', ...OUTCOMES];
  const stateOf = (phase: FromServer): CheckoutState =>
    phase === 'confirming' ? 'returned' : phase;
  const place = async (from: Phase): Promise<PayCheckoutHarness> => {
    const harness = await PayCheckoutHarness.place(server);
    // A configuration that comes later renders again, and a region that is silent for its focus is live then.
    await until(() => harness.badge !== null);
    harness.button?.focus();
    await EVERY_PHASE.find(([phase]) => phase === from)?.[1](harness);
    return harness;
  };

  for (const from of ['ready', ...FROM_SERVER] as const) {
    for (const to of FROM_SERVER) {
      if (to === from || from === 'paid') continue;
      it(`${to} after ${from} is announced once`, async () => {
        const harness = await place(from);
        const before = await accessibilityTree();
        await harness.during(to, () => server.setState(stateOf(to), 3));
        const after = await accessibilityTree();
        expect(timesAnnounced(before, after, en.phases[to] ?? '')).to.equal(1);
      });
    }
  }

  const ANSWERS: readonly (readonly [Phase, string | undefined, number, object])[] = [
    ['problem', en.error, 500, { code: 'internal_error' }],
    ['address', en.phases.address, 200, { needs: ['avs'] }],
    ['paid', en.phases.paid, 200, { checkout: 'c'.repeat(20), state: 'paid', revision: 2 }],
  ];
  for (const [to, words, status, body] of ANSWERS) {
    for (const from of ['idle', 'problem', 'address'] as const) {
      it(`opening after ${from} is announced once, and so is ${to} after it`, async () => {
        const harness = await place('idle');
        if (from !== 'idle') {
          const [, , firstStatus, firstBody] = ANSWERS.find(([phase]) => phase === from) ?? [];
          await server.set({ open: [{ status: firstStatus ?? 0, body: firstBody }] });
          await harness.during(from, () => harness.press());
          for (const input of harness.element.renderRoot.querySelectorAll('input'))
            input.value = '1';
        }
        await server.set({ open: [{ status, body }], holdOpen: true });
        const before = await accessibilityTree();
        await harness.during('opening', () => harness.press());
        const opening = await accessibilityTree();
        expect(timesAnnounced(before, opening, en.phases.opening ?? ''), 'opening').to.equal(1);
        await harness.during(to, () => server.set({ holdOpen: false }));
        expect(timesAnnounced(opening, await accessibilityTree(), words ?? ''), to).to.equal(1);
      });
    }
  }

  for (const [what, reach] of [...EVERY_PHASE, ...WITHIN_PHASES]) {
    // Nothing to say, or said in a phase before: see the tests of those.
    if (/^idle|in a window$|asks again$/.test(what)) continue;
    it(`${what}: its words are read out once, or the form has the focus and a name`, async () => {
      const harness = await place('idle');
      const before = await accessibilityTree();
      await (what === 'redirecting' ? redirectNowhere : reach)(harness);
      const after = await accessibilityTree();
      const { renderRoot } = harness.element;
      const words = [...renderRoot.querySelectorAll('[role="status"] *, [role="alert"] *')]
        .filter(({ children, textContent }) => children.length === 0 && textContent?.trim())
        .map(({ textContent }) => textContent?.trim() ?? '');
      for (const text of words) expect(timesAnnounced(before, after, text), text).to.equal(1);
      if (words.length > 0) return;
      const [form] = after.filter(({ name }) => name === en.form);
      expect(form?.isFocused, 'the form').to.equal(true);
      harness.element.close();
    });
  }

  it('the window is announced once, while it opens', async () => {
    await server.set({ holdOpen: true });
    const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
    harness.button?.focus();
    const before = await accessibilityTree();
    await harness.during('opening', () => harness.press());
    expect(timesAnnounced(before, await accessibilityTree(), en.inWindow)).to.equal(1);
    const status = harness.element.renderRoot.querySelector('[role="status"]') as Element;
    const changes = new MutationObserver(() => undefined);
    changes.observe(status, { childList: true, characterData: true, subtree: true });
    await harness.during('ready', () => server.set({ holdOpen: false }));
    expect(changes.takeRecords()).to.deep.equal([]);
    harness.element.close();
  });

  it('a field that was left empty is read out with its label and what is wrong, each once', async () => {
    const harness = await place('address');
    harness.press();
    await until(() => focusOf(harness)?.ariaInvalid === 'true');
    const field = (await accessibilityTree()).findLast(({ isFocused }) => isFocused);
    expect(field?.name).to.equal(en.fields.houseNumber);
    expect(field?.description).to.equal(en.missingField);
  });

  it('a decline is announced, although the focus went to the form before it', async () => {
    const harness = await pressed();
    server.sdk.calls[0]?.onDecline?.();
    await harness.element.updateComplete;
    expect(harness.notice).to.equal(en.declined);
    expect(await isLive(en.declined)).to.equal(true);
  });

  it('the next decline is announced as well, although its text is the same', async () => {
    const harness = await pressed();
    const alert = harness.element.renderRoot.querySelector('[role="alert"]') as Element;
    const received: Node[] = [];
    const listener = new MutationObserver((changes) => {
      received.push(...changes.flatMap(({ addedNodes }) => [...addedNodes]));
    });
    listener.observe(alert, { childList: true });
    for (const times of [1, 2, 3]) {
      received.length = 0;
      // Right after the last one, a decline is the same one, reported again.
      await until(() => {
        server.sdk.calls[0]?.onDecline?.();
        return harness.count('pay-declined') === times;
      });
      await harness.element.updateComplete;
      await nextTask();
      expect(
        received.some((node) => node.textContent?.trim() === en.declined),
        `${times}`,
      ).to.equal(true);
      expect(harness.notice).to.equal(en.declined);
    }
    listener.disconnect();
  });

  it('checking again is announced, and leaves the focus on its button', async () => {
    const harness = await pressed();
    await harness.during('unconfirmed', () => server.setState('unconfirmed'));
    const { button } = harness;
    button?.focus();
    await server.set({ holdStatus: true });
    await sendKeys({ press: 'Enter' });
    await until(() => harness.announcement === en.checking);
    expect(await isLive(en.checking)).to.equal(true);
    expect(button?.ariaDisabled).to.equal('true');
    await server.set({ holdStatus: false });
    await until(() => harness.announcement === en.phases.unconfirmed);
    await new Promise(requestAnimationFrame);
    expect(focusOf(harness)).to.equal(button);
  });

  it('Escape out of the overlay gives the focus back to the pay button', async () => {
    const harness = await pressed('overlay');
    await harness.during('idle', () => sendKeys({ press: 'Escape' }));
    expect(focusOf(harness)).to.equal(harness.button);
  });

  it('a form that is taken away gives the focus back to the pay button', async () => {
    const harness = await pressed();
    harness.form?.querySelector('button')?.focus();
    await harness.during('idle', () => harness.element.close());
    expect(focusOf(harness)).to.equal(harness.button);
  });

  async function click(element: Element): Promise<void> {
    const { left, top, width, height } = element.getBoundingClientRect();
    const position: [number, number] = [Math.round(left + width / 2), Math.round(top + height / 2)];
    await sendMouse({ type: 'click', position });
  }
  const FOCUSABLE: Readonly<Record<string, () => HTMLElement>> = {
    'its field': () => document.createElement('input'),
    'its frame of another site': () => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts');
      frame.srcdoc = '<input />';
      return frame;
    },
  };
  for (const [what, create] of Object.entries(FOCUSABLE)) {
    it(`a shopper who is in ${what} before the form is ready stays there, in a shadow root too`, async () => {
      const holder = document.createElement('div');
      document.body.append(holder);
      const focusable = create();
      const { element } = await PayCheckoutHarness.place(server, {
        adapter: {
          load: () => Promise.resolve(),
          open: async ({ container }) => {
            const isThere = oneEvent(focusable, 'load');
            container.append(focusable);
            if (focusable instanceof HTMLIFrameElement) await isThere;
            await click(focusable);
          },
        },
      });
      const root = holder.attachShadow({ mode: 'open' });
      root.append(element);
      await element.updateComplete;
      element.renderRoot.querySelector<HTMLElement>('[part="button"]')?.click();
      await until(() => element.matches(':state(ready)'));
      await element.updateComplete;
      expect(root.activeElement === focusable).to.equal(true);
      holder.remove();
    });
  }
});
