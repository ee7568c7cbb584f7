import { expect } from '@open-wc/testing';
import { BUTTONS, isCertain, OUTCOME_EVENTS } from '../flow/phases.js';
import { en } from '../labels/en.js';
import { OUTCOMES } from '../testing/every-phase.js';
import { MerchantPage, NONCE } from '../testing/merchant-page.js';
import { nextTask, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout>', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  describe('a payment', () => {
    it('loads the SDK before the shopper pays, and creates nothing automatically', async () => {
      const harness = await PayCheckoutHarness.place(server);
      await until(() => server.sdk !== undefined);
      expect(harness.phase).to.equal('idle');
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      expect(await server.opens()).to.have.length(0);
    });

    it('opens the checkout while the SDK is still loading', async () => {
      await server.set({ sdk: 'silent' });
      const harness = await PayCheckoutHarness.place(server);
      await until(async () => (await server.seen('GET', /sdk\.js$/)).length === 1);
      await harness.during('opening', () => harness.press());
      await until(async () => (await server.opens()).length === 1);
      expect(server.sdk).to.equal(undefined);
      await harness.during('ready', () => server.set({ sdk: 'fine' }));
      expect(await server.opens()).to.have.length(1);
      expect(server.sdk.calls).to.have.length(1);
      expect(server.sdk.calls[0]).to.include({ session_id: `session-${server.id}` });
      expect(await server.seen('GET', /sdk\.js$/)).to.have.length(1);
    });

    it('creates the checkout in one round trip: the browser asks for no leave before it', async () => {
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('ready', () => harness.press());
      harness.element.close();
      await until(async () => (await server.hints()).includes('cancelled'));
      // A hint shows that this server is of another origin, and that it sees who asks for leave.
      expect(await server.seen('OPTIONS', /\/hints$/)).not.to.have.length(0);
      expect(await server.seen('OPTIONS', /\/v1\/checkouts$/)).to.have.length(0);
      expect(await server.opens()).to.have.length(1);
    });

    it('uses the configuration that the page preloads: the server is asked once', async () => {
      const address = `${server.url}/v1/checkout-config?merchant=corner-shop`;
      const body = `<link rel="preload" as="fetch" href="${address}" crossorigin>`;
      const page = await MerchantPage.open(server, { body });
      await until(() => page.sdk !== undefined);
      expect(await server.seen('GET', /\/v1\/checkout-config$/)).to.have.length(1);
      page.close();
    });

    it('with autostart says in its first frame that it opens, at the height that it then has', async () => {
      await server.set({ holdOpen: true });
      const element = document.createElement('pay-checkout');
      const tag = { merchant: 'corner-shop', order: 'A1001', autostart: true, server: server.url };
      document.body.append(Object.assign(element, tag));
      // Rendered, and not painted yet: no observer has seen it.
      await element.updateComplete;
      const harness = new PayCheckoutHarness(element, server);
      const first = [harness.phase, harness.announcement, element.offsetHeight];
      expect(first.slice(0, 2)).to.deep.equal(['idle', en.phases.opening]);
      await harness.reaches('opening');
      // With the configuration it is known that this is a test.
      await until(() => server.sdk !== undefined);
      await element.updateComplete;
      expect([harness.announcement, element.offsetHeight]).to.deep.equal(first.slice(1));
      element.remove();
    });

    it('shows the provider’s form in light DOM, where a selector finds it', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      const { container } = server.sdk.calls[0] as unknown as { container: string };
      expect(document.querySelector(container)?.parentElement).to.equal(harness.form);
      expect(harness.form?.assignedSlot?.name).to.equal('form');
    });

    it('shows the amount as the shopper writes it, and that this is a test', async () => {
      const harness = await PayCheckoutHarness.ready(server, { locale: 'en-GB' });
      const root = harness.element.renderRoot;
      expect(root.querySelector('[part="amount"]')?.textContent).to.equal('£42.50');
      expect(root.querySelector('[part="badge"]')?.textContent).to.equal('Test');
    });

    it('shows no mark of a test in production', async () => {
      const environment = 'production';
      const config = { merchant: 'corner-shop', environment, sdk: server.sdkDescription };
      await server.set({
        config: { status: 200, body: config },
        open: [{ status: 200, body: server.openReply({ environment }) }],
      });
      const harness = await PayCheckoutHarness.place(server);
      await until(() => server.sdk !== undefined);
      await harness.element.updateComplete;
      expect(harness.badge?.textContent).to.equal(undefined);
      await harness.during('ready', () => harness.press());
      expect(harness.badge?.textContent).to.equal(undefined);
      await harness.during('paid', () => server.setState('paid'));
      expect(harness.badge?.textContent).to.equal(undefined);
    });

    const AMOUNTS: readonly (readonly [amount: string, currency: string, shown: string])[] = [
      ['42.50', 'GBP', '£42.50'],
      ['5', 'GBP', '£5'],
      ['0.001', 'GBP', '£0.001'],
      ['1200', 'JPY', 'JP¥1,200'],
      ['90071992547409.93', 'GBP', '£90,071,992,547,409.93'],
      ['9.99', 'not a currency', '9.99 not a currency'],
    ];
    for (const [amount, currency, shown] of AMOUNTS) {
      it(`shows ${amount} ${currency} as ${shown}: every digit of the decimal text, and no other`, async () => {
        await server.set({ open: [{ status: 200, body: server.openReply({ amount, currency }) }] });
        const { element } = await PayCheckoutHarness.ready(server, { locale: 'en-GB' });
        const part = element.renderRoot.querySelector('[part="amount"]');
        expect(part?.textContent).to.equal(shown);
      });
    }

    it('shows the amount in the language that the tag has now', async () => {
      const { element } = await PayCheckoutHarness.ready(server, { locale: 'en-GB' });
      const amountIn = async (locale: string): Promise<string | null | undefined> => {
        element.locale = locale;
        await element.updateComplete;
        return element.renderRoot.querySelector('[part="amount"]')?.textContent;
      };
      expect(await amountIn('de-DE')).to.equal('42,50\u00a0£');
      expect(await amountIn('en-GB')).to.equal('£42.50');
    });

    it('a double click, and a start by code, open it once', async () => {
      const harness = await PayCheckoutHarness.place(server);
      const { button } = harness;
      await harness.during('ready', () => {
        button?.click();
        button?.click();
        harness.element.start();
      });
      expect(await server.opens()).to.have.length(1);
    });

    it('pays: confirming, then paid, once, with its reference', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('confirming', () => server.setState('returned', 2));
      expect(harness.form).to.equal(null);
      expect(server.sdk.destroyed).to.equal(1);
      expect(harness.button).to.equal(null);
      const settled = harness.element.whenSettled;
      await harness.during('paid', () => server.setState('paid', 3));
      expect(harness.announcement).to.equal('Payment received. Thank you.');
      expect(harness.reference).to.equal(`Reference: A1001 · ${server.checkout.slice(0, 8)}`);
      expect(await settled).to.deep.equal({
        outcome: 'paid',
        certain: true,
        checkout: server.checkout,
        order: 'A1001',
      });
      expect(harness.count('pay-paid')).to.equal(1);
    });

    it('stops polling a checkout that is paid', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('paid', () => server.setState('paid', 2));
      const polls = (await server.polls()).length;
      dispatchEvent(new Event('online'));
      await until(async () => (await server.hints()).includes('shown'));
      await nextTask();
      expect(await server.polls()).to.have.length(polls);
    });

    it('an outcome is sent once, even if the page starts again', async () => {
      await server.set({ open: [{ status: 200, body: server.openReply({ state: 'paid' }) }] });
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('paid', () => harness.element.start());
      await harness.during('idle', () => harness.element.reset());
      await harness.during('paid', () => harness.element.start());
      expect(harness.count('pay-paid')).to.equal(1);
    });

    it('a paid tag that is removed and put back still shows it, and sends no second event', async () => {
      const harness = await PayCheckoutHarness.place(server, { autostart: true });
      await harness.reaches('ready');
      await harness.during('paid', () => server.setState('paid'));
      await server.set({ open: [{ status: 200, body: server.openReply({ state: 'paid' }) }] });
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
      expect(await server.opens()).to.have.length(1);
    });

    it('a checkout that was paid before shows so at once, and no form', async () => {
      await server.set({ open: [{ status: 200, body: server.openReply({ state: 'paid' }) }] });
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('paid', () => harness.press());
      expect(harness.form).to.equal(null);
      expect(server.sdk?.calls ?? []).to.have.length(0);
    });

    it('a decline keeps the form for another card, with a notice above it', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      const declined = harness.nextEvent('pay-declined');
      server.sdk.calls[0]?.onDecline?.();
      await declined;
      await harness.element.updateComplete;
      expect(harness.phase).to.equal('ready');
      expect(harness.notice).to.equal(en.declined);
      expect(harness.form).not.to.equal(null);
      server.sdk.calls[0]?.onSubmit?.();
      await harness.element.updateComplete;
      expect(harness.notice).to.equal('');
    });

    it('an SDK that calls back twice for one decline makes one event and one hint of it', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      const [callbacks] = server.sdk.calls;
      for (const kind of ['onDecline', 'onDecline', 'onSubmit', 'onDecline']) callbacks?.[kind]?.();
      await until(async () => (await server.hints()).includes('submitted'));
      expect(harness.count('pay-declined')).to.equal(2);
      await until(async () => (await server.hints()).length > 3);
      const declined = (await server.hints()).filter((kind) => kind === 'declined');
      expect(declined).to.have.length(2);
    });

    it('what comes between does not make one decline two, and the next card may be declined too', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      const [callbacks] = server.sdk.calls;
      const { now } = Date;
      try {
        for (const [at, kind, declines] of [
          [0, 'onSubmit', 0],
          [300, 'onDecline', 1],
          [520, 'onDecline', 1],
          [900, 'onDecline', 2],
        ] as const) {
          Date.now = () => 1_700_000_000_000 + at;
          callbacks?.[kind]?.();
          expect(harness.count('pay-declined'), `${kind} at ${at} ms`).to.equal(declines);
        }
      } finally {
        Date.now = now;
      }
    });

    it('a payment that was refunded is not thanked for, whether a poll or the reply says so', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      const refunded = { state: 'paid', refund: 'full', revision: 2 } as const;
      await harness.during('paid', () => server.set({ status: { ...server.status(refunded) } }));
      expect(harness.announcement).to.equal(en.refunded);
      await server.set({ open: [{ status: 200, body: server.openReply(refunded) }] });
      const again = await PayCheckoutHarness.place(server);
      await again.during('paid', () => again.press());
      expect(again.announcement).to.equal(en.refunded);
    });

    it('reports to the server what the SDK reports: shown, declined, submitted, and cancelled on close', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      server.sdk.calls[0]?.onReady?.();
      server.sdk.calls[0]?.onSubmit?.();
      server.sdk.calls[0]?.onDecline?.();
      await harness.during('idle', () => harness.element.close());
      expect(harness.form).to.equal(null);
      await until(async () => (await server.hints()).length > 3);
      expect((await server.hints()).toSorted()).to.deep.equal([
        'cancelled',
        'declined',
        'shown',
        'submitted',
      ]);
      await harness.during('cancelled', () => server.setState('cancelled', 2));
      expect(harness.count('pay-cancel')).to.equal(1);
    });

    it('a cancel names the session that the page showed, so that no one else can cancel it', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('idle', () => harness.element.close());
      await until(async () => (await server.hints()).includes('cancelled'));
      expect(await server.hintBodies()).to.deep.include({
        kind: 'cancelled',
        sessionId: `session-${server.id}`,
      });
    });

    it('a close before a checkout exists sends nothing to the server', async () => {
      await server.set({ holdOpen: true });
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('opening', () => harness.press());
      await harness.during('idle', () => harness.element.close());
      await server.set({ holdOpen: false });
      await harness.during('ready', () => harness.press());
      expect(await server.hints()).not.to.include('cancelled');
    });

    it('pays again after a cancel with the same tag', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('cancelled', () => server.setState('cancelled', 2));
      await server.set({ open: [{ status: 200, body: server.openReply({ revision: 3 }) }] });
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => server.setState('paid', 4));
    });

    it('a cancel that is still on its way reaches the server before the next start', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await server.set({ holdHints: true });
      await harness.during('idle', () => harness.element.close());
      await harness.during('opening', () => harness.press());
      await until(async () => (await server.hints()).includes('cancelled'));
      expect(await server.opens()).to.have.length(1);
      await harness.during('ready', () => server.set({ holdHints: false }));
      expect(await server.opens()).to.have.length(2);
    });

    it('keeps its message and keeps polling through a network outage', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('confirming', () => server.setState('returned', 2));
      await server.set({ faults: { status: 2 } });
      dispatchEvent(new Event('online'));
      await nextTask();
      expect(harness.phase).to.equal('confirming');
      await harness.during('paid', () => server.setState('paid', 3));
      expect(harness.events).not.to.include('pay-error');
      expect(harness.events).not.to.include('pay-failed');
    });

    it('an answer that comes late about an older revision changes nothing', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('confirming', () => server.setState('returned', 5));
      await server.set({ lags: true });
      await server.setState('cancelled', 4);
      const polls = (await server.polls()).length;
      await until(async () => (await server.polls()).length >= polls + 2);
      expect(harness.phase).to.equal('confirming');
      await harness.during('paid', () => server.setState('paid', 6));
      expect(harness.events).not.to.include('pay-cancel');
    });

    it('checks again when the shopper asks, and opens no session for it', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('unconfirmed', () => server.setState('unconfirmed', 2));
      harness.press();
      await harness.element.updateComplete;
      expect(harness.announcement).to.equal(en.checking);
      await harness.during('paid', () => server.setState('paid', 3));
      expect(await server.opens()).to.have.length(1);
    });
  });

  it('a whole payment sends requests to its server and the SDK’s address, and nowhere more', async () => {
    const at = (path: string): string => server.url + path;
    const connected = ['/v1/checkout-config', '/v1/checkouts', '/v1/checkouts/'].map(at);
    const policy = [
      "default-src 'none'",
      `script-src 'self' 'nonce-${NONCE}'`,
      `connect-src ${connected.join(' ')}`,
    ].join('; ');
    const [harness, page] = await MerchantPage.place(server, { policy });
    await harness.during('ready', () => harness.press());
    page.sdk.calls[0]?.onSubmit?.();
    page.sdk.calls[0]?.onDecline?.();
    await harness.during('confirming', () => server.setState('returned', 2));
    await harness.during('paid', () => server.setState('paid', 3));
    await until(async () => (await server.hints()).length === 3);
    const complaints = [...page.complaints];
    page.close();
    expect(complaints).to.deep.equal([]);
    const { sessionId } = server.openReply();
    expect(await server.hintBodies()).to.have.deep.members([
      { kind: 'submitted', sessionId },
      { kind: 'declined', sessionId },
      { kind: 'shown', sessionId },
    ]);
    const pathsOf = async (method: string): Promise<Set<string>> =>
      new Set((await server.seen(method, /./)).map(({ path }) => path));
    const hints = `/v1/checkouts/${server.checkout}/hints`;
    expect(await pathsOf('POST')).to.have.all.keys('/v1/checkouts', hints);
    expect(await pathsOf('GET')).to.have.all.keys(
      '/v1/checkout-config',
      '/sdk.js',
      '/v1/checkouts',
    );
  });

  describe('outcomes', () => {
    for (const phase of OUTCOMES) {
      it(`${phase}: its event, its text, its button and whether it is certain`, async () => {
        const harness = await PayCheckoutHarness.ready(server);
        const settled = harness.element.whenSettled;
        await harness.during(phase, () => server.setState(phase));
        const button = BUTTONS[phase];
        expect(harness.count(OUTCOME_EVENTS[phase])).to.equal(1);
        expect(harness.announcement).to.equal(en.phases[phase]);
        expect(harness.button?.textContent?.trim()).to.equal(button && en.buttons[button]);
        expect((await settled).certain).to.equal(isCertain(phase));
        expect(harness.form).to.equal(null);
      });
    }

    it('later evidence makes an uncertain outcome certain', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('unconfirmed', () => server.setState('unconfirmed', 2));
      expect((await harness.element.whenSettled).outcome).to.equal('unconfirmed');
      await harness.during('paid', () => server.setState('paid', 3));
      expect((await harness.element.whenSettled).outcome).to.equal('paid');
    });
  });
});
