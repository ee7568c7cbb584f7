import { expect } from '@open-wc/testing';
import type { Mode } from '../flow/presentation.js';
import type { Phase } from '../flow/phases.js';
import { EVERY_PHASE } from '../testing/every-phase.js';
import { nextTask, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';
import type { PayCheckout } from './pay-checkout.js';

/** Not in every browser yet. */
interface Mover {
  moveBefore(node: Node, child: Node | null): void;
}

/** A moment of a payment. */
interface Moment {
  readonly phase: Phase;
  readonly mode?: Mode;
  /** What the shopper does next to get to the form, where that is more than waiting. */
  readonly goOn?: (harness: PayCheckoutHarness) => Promise<void>;
  /** How often the checkout is created until it is paid. Default 1. */
  readonly opens?: number;
}

const MOMENTS: Readonly<Record<string, Moment>> = {
  'while it opens': {
    phase: 'opening',
    goOn: ({ server }) => server.set({ holdOpen: false }),
  },
  'while it requires the address': {
    phase: 'address',
    goOn: async (harness) => {
      await bringAnswer(harness);
      for (const input of harness.element.renderRoot.querySelectorAll('input')) input.value = '1';
      harness.press();
    },
    opens: 2,
  },
  'with its form': { phase: 'ready', mode: 'inline' },
  'with its form in an overlay': { phase: 'ready', mode: 'overlay' },
  'with its form in a window': { phase: 'ready', mode: 'popup' },
  'while it confirms': { phase: 'confirming' },
  'with a problem': {
    phase: 'problem',
    goOn: async (harness) => {
      await bringAnswer(harness);
      harness.element.start();
    },
    opens: 2,
  },
  'when it is paid': { phase: 'paid' },
};

function bringAnswer({ server }: PayCheckoutHarness): Promise<void> {
  return server.set({ open: [{ status: 200, body: server.openReply() }] });
}

/** What a page does with an element that is on it, and whether the form stays the one that it was. */
const ACTIONS: Readonly<Record<string, readonly [boolean, (element: PayCheckout) => unknown]>> = {
  'moved with moveBefore()': [
    true,
    (element) => (placeBeside(element) as unknown as Mover).moveBefore(element, null),
  ],
  'moved as usual': [false, (element) => placeBeside(element).append(element)],
  'copied next to itself': [
    true,
    async (element) => {
      element.after(element.cloneNode(true));
      const copy = element.nextElementSibling as PayCheckout;
      await copy.updateComplete;
      expect(copy.matches(':state(idle)')).to.equal(true);
      expect(copy.childElementCount).to.equal(0);
    },
  ],
  'removed and put back': [
    false,
    async (element) => {
      const home = element.parentElement;
      element.remove();
      await nextTask();
      home?.append(element);
    },
  ],
};

/** Another place of the page, which is taken away with the one that the element is in. */
function placeBeside(element: Element): HTMLElement {
  const place = document.createElement('div');
  element.after(place);
  return place;
}

describe('<pay-checkout> at any moment', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  const open = window.open.bind(window);
  const popups: (Window | null)[] = [];
  before(() => {
    window.open = (...given) => {
      const popup = open(...given);
      popups.push(popup);
      return popup;
    };
  });
  afterEach(() => {
    for (const popup of popups.splice(0)) popup?.close();
  });
  after(() => (window.open = open));

  for (const [moment, { phase, mode, goOn, opens = 1 }] of Object.entries(MOMENTS)) {
    for (const [what, [keepsForm, action]] of Object.entries(ACTIONS)) {
      it(`${what} ${moment}, it stays what it was, and gets paid`, async function () {
        if (what.includes('moveBefore') && !('moveBefore' in document.body)) this.skip();
        const harness = await PayCheckoutHarness.place(server, { mode: mode ?? null });
        const { element } = harness;
        const [, reach] = EVERY_PHASE.find(([name]) => name === phase)!;
        await reach(harness);
        const { form } = harness;
        const dialog = element.renderRoot.querySelector('dialog') as HTMLDialogElement;
        const errors = harness.count('pay-error');

        await action(element);
        await element.updateComplete;
        if (form) await until(() => harness.form?.textContent === form.textContent);
        expect(harness.form === form).to.equal(keepsForm || !form);
        expect(document.querySelectorAll('[slot="form"]')).to.have.length(form ? 1 : 0);
        expect(dialog.matches(':modal')).to.equal(mode === 'overlay');
        expect(harness.phase).to.equal(phase);

        if (goOn) await harness.during('ready', () => goOn(harness));
        if (phase !== 'paid') await harness.during('paid', () => server.setState('paid', 3));
        expect(harness.phase).to.equal('paid');
        expect(harness.count('pay-paid')).to.equal(1);
        expect(harness.count('pay-error')).to.equal(errors);
        expect(await server.opens()).to.have.length(opens);
      });
    }
  }

  for (const mode of ['redirect', 'popup'] as const) {
    it(`removed and put back, one press in mode ${mode} leads there once`, async () => {
      const harness = await PayCheckoutHarness.place(server, { mode });
      const { element } = harness;
      element.addEventListener('pay-redirect', (event) => event.preventDefault());
      const [, removeAndPutBack] = ACTIONS['removed and put back']!;
      for (const _again of [1, 2]) await removeAndPutBack(element);
      const isPopup = mode === 'popup';
      await harness.during(isPopup ? 'ready' : 'idle', () => harness.press());
      expect(popups).to.have.length(isPopup ? 1 : 0);
      expect(harness.count('pay-ready')).to.equal(isPopup ? 1 : 0);
      expect(harness.count('pay-redirect')).to.equal(isPopup ? 0 : 1);
      expect(harness.count('pay-statechange')).to.equal(2);
      expect(await server.opens()).to.have.length(isPopup ? 1 : 0);
    });
  }
});
