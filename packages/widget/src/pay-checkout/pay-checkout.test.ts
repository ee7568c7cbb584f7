import { expect } from '@open-wc/testing';
import { OUTCOME_EVENTS } from '../flow/flow-teller.js';
import { BUTTONS, isCertain } from '../flow/phases.js';
import { en } from '../labels/en.js';
import { OUTCOMES } from '../testing/every-phase.js';
import { MerchantPage, NONCE } from '../testing/merchant-page.js';
import { nextTask, until } from '../testing/until.js';
import { WorldClient } from '../testing/world-client.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout>', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));

  describe('a payment', () => {
    it('loads the SDK before anybody pays, and opens nothing by itself', async () => {
      const harness = await PayCheckoutHarness.place(world);
      await until(() => world.sdk !== undefined);
      expect(harness.phase).to.equal('idle');
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      expect(await world.opens()).to.have.length(0);
    });

    it('opens the checkout while the SDK is still loading', async () => {
      await world.write({ sdk: 'silent' });
      const harness = await PayCheckoutHarness.place(world);
      await until(async () => (await world.seen('GET', /sdk\.js$/)).length === 1);
      await harness.during('opening', () => harness.press());
      await until(async () => (await world.opens()).length === 1);
      expect(world.sdk).to.equal(undefined);
      await harness.during('ready', () => world.write({ sdk: 'fine' }));
      expect(await world.opens()).to.have.length(1);
      expect(world.sdk.calls).to.have.length(1);
      expect(world.sdk.calls[0]).to.include({ session_id: `session-${world.id}` });
      expect(await world.seen('GET', /sdk\.js$/)).to.have.length(1);
    });

    it('shows the provider’s form in light DOM, where a selector finds it', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      const { container } = world.sdk.calls[0] as unknown as { container: string };
      expect(document.querySelector(container)?.parentElement).to.equal(harness.form);
      expect(harness.form?.assignedSlot?.name).to.equal('form');
    });

    it('shows the amount as the shopper writes it, and that this is a test', async () => {
      const harness = await PayCheckoutHarness.ready(world, { locale: 'en-GB' });
      const root = harness.element.renderRoot;
      expect(root.querySelector('[part="amount"]')?.textContent).to.equal('£42.50');
      expect(root.querySelector('[part="badge"]')?.textContent).to.equal('Test');
    });

    it('shows no mark of a test in production', async () => {
      const environment = 'production';
      const config = { merchant: 'corner-shop', environment, sdk: world.sdkDescription };
      await world.write({
        config: { status: 200, body: config },
        open: [{ status: 200, body: world.openReply({ environment }) }],
      });
      const harness = await PayCheckoutHarness.place(world);
      await until(() => world.sdk !== undefined);
      await harness.element.updateComplete;
      expect(harness.badge?.textContent).to.equal(undefined);
      await harness.during('ready', () => harness.press());
      expect(harness.badge?.textContent).to.equal(undefined);
      await harness.during('paid', () => world.tell('paid'));
      expect(harness.badge?.textContent).to.equal(undefined);
    });

    it('shows the amount as the server wrote it, and learns no language for it', async () => {
      const body = world.openReply({ amountText: '42.50 of our pounds' });
      await world.write({ open: [{ status: 200, body }] });
      const { NumberFormat } = Intl;
      let made = 0;
      Intl.NumberFormat = new Proxy(NumberFormat, {
        construct(target, given) {
          made += 1;
          return Reflect.construct(target, given) as object;
        },
      });
      try {
        const harness = await PayCheckoutHarness.ready(world, { locale: 'fr-CA' });
        const amount = harness.element.renderRoot.querySelector('[part="amount"]');
        expect(amount?.textContent).to.equal('42.50 of our pounds');
        await harness.during('paid', () => world.tell('paid'));
        expect(harness.element.renderRoot.textContent).to.contain('42.50 of our pounds');
      } finally {
        Intl.NumberFormat = NumberFormat;
      }
      expect(made).to.equal(0);
    });

    it('shows the amount in the language that the tag has now', async () => {
      const body = world.openReply({ amountText: '42.50 of our pounds' });
      await world.write({ open: [{ status: 200, body }] });
      const { element } = await PayCheckoutHarness.ready(world, { locale: 'en-GB' });
      const amountIn = async (locale: string): Promise<string | null | undefined> => {
        element.locale = locale;
        await element.updateComplete;
        return element.renderRoot.querySelector('[part="amount"]')?.textContent;
      };
      expect(await amountIn('de-DE')).to.match(/^\d+,\d\d\s\S+$/);
      expect(await amountIn('en-GB')).to.equal('42.50 of our pounds');
    });

    it('a double click, and a start by code, open it once', async () => {
      const harness = await PayCheckoutHarness.place(world);
      const { button } = harness;
      await harness.during('ready', () => {
        button?.click();
        button?.click();
        harness.element.start();
      });
      expect(await world.opens()).to.have.length(1);
    });

    it('pays: confirming, then paid, once, with its reference', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('confirming', () => world.tell('returned', 2));
      expect(harness.form).to.equal(null);
      expect(world.sdk.destroyed).to.equal(1);
      expect(harness.button).to.equal(null);
      const settled = harness.element.whenSettled;
      await harness.during('paid', () => world.tell('paid', 3));
      expect(harness.announcement).to.equal('Payment received. Thank you.');
      expect(harness.reference).to.equal(`Reference: A1001 · ${world.checkout.slice(0, 8)}`);
      expect(await settled).to.deep.equal({
        outcome: 'paid',
        certain: true,
        checkout: world.checkout,
        order: 'A1001',
      });
      expect(harness.count('pay-paid')).to.equal(1);
    });

    it('asks no more about a checkout that is paid', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('paid', () => world.tell('paid', 2));
      const polls = (await world.polls()).length;
      dispatchEvent(new Event('online'));
      await until(async () => (await world.hints()).includes('shown'));
      await nextTask();
      expect(await world.polls()).to.have.length(polls);
    });

    it('an outcome is told once, though the page starts over', async () => {
      await world.write({ open: [{ status: 200, body: world.openReply({ state: 'paid' }) }] });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('paid', () => harness.element.start());
      await harness.during('idle', () => harness.element.reset());
      await harness.during('paid', () => harness.element.start());
      expect(harness.count('pay-paid')).to.equal(1);
    });

    it('a tag that is paid, taken away and put back says so still, and tells nobody again', async () => {
      const harness = await PayCheckoutHarness.place(world, { autostart: true });
      await harness.reaches('ready');
      await harness.during('paid', () => world.tell('paid'));
      await world.write({ open: [{ status: 200, body: world.openReply({ state: 'paid' }) }] });
      const home = harness.element.parentElement;
      harness.element.remove();
      await nextTask();
      home?.append(harness.element);
      await harness.element.updateComplete;
      // As long as an autostart takes to see the tag.
      await new Promise(requestAnimationFrame);
      await nextTask();
      expect(harness.phase).to.equal('paid');
      expect(harness.announcement).to.equal('Payment received. Thank you.');
      expect(harness.count('pay-paid')).to.equal(1);
      expect(await world.opens()).to.have.length(1);
    });

    it('a checkout that was paid before shows so at once, and no form', async () => {
      await world.write({ open: [{ status: 200, body: world.openReply({ state: 'paid' }) }] });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('paid', () => harness.press());
      expect(harness.form).to.equal(null);
      expect(world.sdk?.calls ?? []).to.have.length(0);
    });

    it('a decline keeps the form for another card, and says so above it', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      const declined = harness.hears('pay-declined');
      world.sdk.calls[0]?.onDecline?.();
      await declined;
      await harness.element.updateComplete;
      expect(harness.phase).to.equal('ready');
      expect(harness.notice).to.equal(en.declined);
      expect(harness.form).not.to.equal(null);
      world.sdk.calls[0]?.onSubmit?.();
      await harness.element.updateComplete;
      expect(harness.notice).to.equal('');
    });

    it('tells the server what the SDK told: shown, declined, submitted, and cancelled on close', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      world.sdk.calls[0]?.onReady?.();
      world.sdk.calls[0]?.onSubmit?.();
      world.sdk.calls[0]?.onDecline?.();
      await harness.during('idle', () => harness.element.close());
      expect(harness.form).to.equal(null);
      await until(async () => (await world.hints()).length > 3);
      expect((await world.hints()).toSorted()).to.deep.equal([
        'cancelled',
        'declined',
        'shown',
        'submitted',
      ]);
      await harness.during('cancelled', () => world.tell('cancelled', 2));
      expect(harness.count('pay-cancel')).to.equal(1);
    });

    it('a cancel names the session that the page showed, so that nobody else can cancel it', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('idle', () => harness.element.close());
      await until(async () => (await world.hints()).includes('cancelled'));
      expect(await world.hintBodies()).to.deep.include({
        kind: 'cancelled',
        sessionId: `session-${world.id}`,
      });
    });

    it('a close before anything was opened tells the server nothing', async () => {
      await world.write({ holdOpen: true });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('opening', () => harness.press());
      await harness.during('idle', () => harness.element.close());
      await world.write({ holdOpen: false });
      await harness.during('ready', () => harness.press());
      expect(await world.hints()).not.to.include('cancelled');
    });

    it('pays again after a cancel with the same tag', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('cancelled', () => world.tell('cancelled', 2));
      await world.write({ open: [{ status: 200, body: world.openReply({ revision: 3 }) }] });
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => world.tell('paid', 4));
    });

    it('a cancel that is still on its way is not overtaken by the next start', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await world.write({ holdHints: true });
      await harness.during('idle', () => harness.element.close());
      await harness.during('opening', () => harness.press());
      await until(async () => (await world.hints()).includes('cancelled'));
      expect(await world.opens()).to.have.length(1);
      await harness.during('ready', () => world.write({ holdHints: false }));
      expect(await world.opens()).to.have.length(2);
    });

    it('takes a pause of the network for a pause: keeps its words and goes on asking', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('confirming', () => world.tell('returned', 2));
      await world.write({ faults: { status: 2 } });
      dispatchEvent(new Event('online'));
      await nextTask();
      expect(harness.phase).to.equal('confirming');
      await harness.during('paid', () => world.tell('paid', 3));
      expect(harness.events).not.to.include('pay-error');
      expect(harness.events).not.to.include('pay-failed');
    });

    it('an answer that comes late about an older revision changes nothing', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('confirming', () => world.tell('returned', 5));
      await world.write({ lags: true });
      await world.tell('cancelled', 4);
      const polls = (await world.polls()).length;
      await until(async () => (await world.polls()).length >= polls + 2);
      expect(harness.phase).to.equal('confirming');
      await harness.during('paid', () => world.tell('paid', 6));
      expect(harness.events).not.to.include('pay-cancel');
    });

    it('checks again when the shopper asks, and opens no session for it', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('unconfirmed', () => world.tell('unconfirmed', 2));
      harness.press();
      await harness.element.updateComplete;
      expect(harness.announcement).to.equal(en.checking);
      await harness.during('paid', () => world.tell('paid', 3));
      expect(await world.opens()).to.have.length(1);
    });
  });

  it('a whole payment asks its server and the SDK’s address, and nobody else', async () => {
    const at = (path: string): string => world.server + path;
    const asked = ['/v1/checkout-config', '/v1/checkouts', '/v1/checkouts/', '/sdk.js'].map(at);
    const policy = [
      "default-src 'none'",
      `script-src 'self' 'nonce-${NONCE}'`,
      `connect-src ${asked.join(' ')}`,
    ].join('; ');
    const after = '<script type="module" src="/packages/widget/src/index.ts"></script>';
    const parts = { policy, isWithoutScript: true, after };
    const [harness, page] = await MerchantPage.place(world, parts);
    await harness.during('ready', () => harness.press());
    page.sdk.calls[0]?.onSubmit?.();
    page.sdk.calls[0]?.onDecline?.();
    await harness.during('confirming', () => world.tell('returned', 2));
    await harness.during('paid', () => world.tell('paid', 3));
    await until(async () => (await world.hints()).length === 3);
    const complaints = [...page.complaints];
    page.close();
    expect(complaints).to.deep.equal([]);
    const { sessionId } = world.openReply();
    expect(await world.hintBodies()).to.have.deep.members([
      { kind: 'submitted', sessionId },
      { kind: 'declined', sessionId },
      { kind: 'shown', sessionId },
    ]);
    const pathsOf = async (method: string): Promise<Set<string>> =>
      new Set((await world.seen(method, /./)).map(({ path }) => path));
    const hints = `/v1/checkouts/${world.checkout}/hints`;
    expect(await pathsOf('POST')).to.have.all.keys('/v1/checkouts', hints);
    expect(await pathsOf('GET')).to.have.all.keys(
      '/v1/checkout-config',
      '/sdk.js',
      '/v1/checkouts',
    );
  });

  describe('outcomes', () => {
    for (const phase of OUTCOMES) {
      it(`${phase}: its event, its words, its button and whether it is certain`, async () => {
        const harness = await PayCheckoutHarness.ready(world);
        const settled = harness.element.whenSettled;
        await harness.during(phase, () => world.tell(phase));
        const button = BUTTONS[phase];
        expect(harness.count(new OUTCOME_EVENTS[phase]('', null).type)).to.equal(1);
        expect(harness.announcement).to.equal(en.phases[phase]);
        expect(harness.button?.textContent?.trim()).to.equal(button && en.buttons[button]);
        expect((await settled).certain).to.equal(isCertain(phase));
        expect(harness.form).to.equal(null);
      });
    }

    it('later evidence makes an uncertain outcome certain', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await harness.during('unconfirmed', () => world.tell('unconfirmed', 2));
      expect((await harness.element.whenSettled).outcome).to.equal('unconfirmed');
      await harness.during('paid', () => world.tell('paid', 3));
      expect((await harness.element.whenSettled).outcome).to.equal('paid');
    });
  });
});
