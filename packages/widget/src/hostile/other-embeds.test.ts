import { expect } from '@open-wc/testing';
import type { CheckoutStatus } from '@pay-checkout/session-server/contract';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import type { SdkAdapter, SdkHandle } from '../sdk/sdk-adapter.js';
import { EVERY_PHASE } from '../testing/every-phase.js';
import { MerchantPage } from '../testing/merchant-page.js';
import { nextTask, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

/** Records the types of all listeners on the window. */
const NOTE_LISTENERS = `
  window.listened = [];
  const listen = addEventListener;
  window.addEventListener = function (type, ...rest) {
    window.listened.push(type);
    return listen.call(this, type, ...rest);
  };`;

/** An SDK that answers when the test lets it. */
class SlowSdk implements SdkAdapter {
  destroyed = 0;
  readonly answer = Promise.withResolvers<SdkHandle>();
  readonly opened = Promise.withResolvers<void>();

  load(): Promise<void> {
    return Promise.resolve();
  }

  open(): Promise<SdkHandle> {
    this.opened.resolve();
    return this.answer.promise;
  }

  readonly handle: SdkHandle = { destroy: () => (this.destroyed += 1) };
}

describe('what goes wrong with other embeds', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('shows no prompt before a page is left, and keeps no page out of the back/forward cache', async () => {
    for (const [, reach] of EVERY_PHASE) {
      server = await new TestServer().start();
      const [harness, page] = await MerchantPage.place(server, { before: NOTE_LISTENERS });
      await reach(harness);
      const { listened } = page.page as unknown as { listened: string[] };
      expect(listened).to.include('pageshow');
      expect(listened.filter((type) => type.includes('unload'))).to.deep.equal([]);
      expect(page.page.onbeforeunload).to.equal(null);
      page.close();
    }
  });

  it('a tag that a router takes away and another in its place: one form, and no error', async () => {
    const first = await PayCheckoutHarness.ready(server);
    first.element.remove();
    const second = await PayCheckoutHarness.ready(server);
    expect(document.querySelectorAll('pay-checkout [slot="form"]')).to.have.length(1);
    expect(server.sdk.destroyed).to.equal(1);
    expect(second.events).not.to.include('pay-error');
  });

  it('an SDK that answers when the tag has gone is taken down', async () => {
    const adapter = new SlowSdk();
    const harness = await PayCheckoutHarness.place(server, { adapter });
    await harness.during('opening', () => harness.press());
    await adapter.opened.promise;
    harness.element.remove();
    adapter.answer.resolve(adapter.handle);
    await until(() => adapter.destroyed > 0);
    await nextTask();
    expect(adapter.destroyed).to.equal(1);
    expect(harness.events).not.to.include('pay-ready');
  });

  it('a price that changed: reset() and start() replace the old form with the new session', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    const changed = { checkout: crypto.randomUUID(), sessionId: 'session-2', amount: '40.00' };
    await server.set({ open: [{ status: 200, body: server.openReply(changed) }] });
    harness.element.reset();
    await harness.during('ready', () => harness.element.start());
    expect(server.sdk.destroyed).to.equal(1);
    expect(server.sdk.calls.at(-1)).to.include({ session_id: 'session-2' });
    expect(document.querySelectorAll('pay-checkout [slot="form"]')).to.have.length(1);
    expect(harness.element.renderRoot.querySelector('[part="amount"]')?.textContent).to.contain(
      '40.00',
    );
  });

  it('the overlay lets the provider’s frame have the focus, whatever is learned in the meantime', async () => {
    const attributes = { mode: 'overlay' };
    const [harness, page] = await MerchantPage.place(server, { attributes });
    await harness.during('ready', () => harness.press());
    const { document } = page.page;
    const challenge = document.createElement('iframe');
    harness.form?.append(challenge);
    challenge.focus();
    expect(document.activeElement === challenge).to.equal(true);
    page.sdk.calls[0]?.onDecline?.();
    await harness.element.updateComplete;
    const polls = (await server.polls()).length;
    await server.set({
      status: { ...server.status({ revision: 2 } satisfies Partial<CheckoutStatus>) },
    });
    await until(async () => (await server.polls()).length > polls);
    await harness.element.updateComplete;
    expect(document.activeElement === challenge).to.equal(true);
    page.close();
  });

  for (const mode of ['inline', 'overlay'] as const) {
    it(`a challenge that is wider than the phone can be seen to its end, mode ${mode}: the page stays`, async () => {
      const [harness, page] = await MerchantPage.place(server, {
        attributes: { mode },
        width: 320,
      });
      await harness.during('ready', () => harness.press());
      const { document } = page.page;
      const challenge = document.createElement('iframe');
      challenge.width = '390';
      challenge.height = '900';
      harness.form?.append(challenge);
      const { element } = harness;
      const view = mode === 'overlay' ? element.renderRoot.querySelector('dialog')! : element;
      const isSeen = (): boolean => {
        const { right, bottom } = challenge.getBoundingClientRect();
        const seen = view.getBoundingClientRect();
        return right <= seen.right && bottom <= seen.bottom;
      };
      expect(isSeen()).to.equal(false);
      view.scrollTo(10_000, 10_000);
      expect(isSeen()).to.equal(true);
      const { scrollWidth, clientWidth } = document.documentElement;
      expect(scrollWidth).to.equal(clientWidth);
      page.close();
    });
  }

  it('its own fields are so large that no phone zooms in on them', async () => {
    const css = 'body { font-size: 11px; }';
    const [harness, page] = await MerchantPage.place(server, { css });
    const [, reach] = EVERY_PHASE.find(([phase]) => phase === 'address')!;
    await reach(harness);
    for (const input of harness.element.renderRoot.querySelectorAll('input')) {
      expect(parseFloat(page.page.getComputedStyle(input).fontSize)).to.be.at.least(16);
    }
    page.close();
  });

  it('a tag without a merchant or an order shows tag_incomplete when it is started', async () => {
    for (const missing of ['merchant', 'order']) {
      const [harness, page] = await MerchantPage.place(server, { attributes: { [missing]: '' } });
      const error = harness.nextEvent('pay-error');
      await harness.during('problem', () => harness.element.start());
      expect((await error).code, missing).to.equal('tag_incomplete');
      page.close();
    }
  });
});
