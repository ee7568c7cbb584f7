import { expect, fixture, html } from '@open-wc/testing';
import { en } from '../labels/en.js';
import { Tab } from '../testing/tab.js';
import { nextTask, until } from '../testing/until.js';
import { checkoutId, TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

function setAddress(search: string): void {
  const url = new URL(location.href);
  url.searchParams.delete('checkout');
  for (const [name, value] of new URLSearchParams(search)) url.searchParams.set(name, value);
  history.replaceState(null, '', url);
}

describe('<pay-checkout> and the way out and back', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));
  afterEach(() => setAddress(''));

  describe('the way back', () => {
    it('follows the checkout that the address names, without a token, and opens nothing', async () => {
      setAddress(`checkout=${server.checkout}&other=1`);
      await server.setState('returned', 2);
      const harness = await PayCheckoutHarness.place(server, { orderToken: null, autostart: true });
      expect(harness.phase).to.equal('confirming');
      await harness.during('paid', () => server.setState('paid', 3));
      expect(await server.opens()).to.have.length(0);
    });

    it('takes only its own parameter out of the address, and only when it is settled', async () => {
      setAddress(`checkout=${server.checkout}&other=1`);
      await server.setState('returned', 2);
      const harness = await PayCheckoutHarness.place(server);
      const entries = history.length;
      expect(new URLSearchParams(location.search).get('checkout')).to.equal(server.checkout);
      await harness.during('paid', () => server.setState('paid', 3));
      expect(new URLSearchParams(location.search).has('checkout')).to.equal(false);
      expect(new URLSearchParams(location.search).get('other')).to.equal('1');
      expect(history.length).to.equal(entries);
      setAddress('other=');
    });

    it('leaves every other byte of the address as it is', async () => {
      const before = location.search;
      const others = `${before}${before && '&'}sig=a%20b&flag&empty=&path=/a+b~%7e`;
      history.replaceState(null, '', `${others}&checkout=${server.checkout}#top`);
      await server.setState('returned', 2);
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('paid', () => server.setState('paid', 3));
      expect(location.search + location.hash).to.equal(`${others.replace(/^(?!\?)/, '?')}#top`);
      history.replaceState(null, '', location.pathname + before);
    });

    it('follows the parameter that the tag names instead, and leaves the usual one to the page', async () => {
      setAddress(`paid-with=${server.checkout}&checkout=${checkoutId()}`);
      await server.setState('returned', 2);
      const harness = await PayCheckoutHarness.place(server, { returnParam: 'paid-with' });
      expect(harness.phase).to.equal('confirming');
      const { search } = location;
      await harness.during('paid', () => server.setState('paid', 3));
      const expected = new URLSearchParams(search);
      expected.delete('paid-with');
      expect(location.search).to.equal(`?${expected}`);
      expect(expected.has('checkout')).to.equal(true);
      expect(await server.opens()).to.have.length(0);
    });

    const OTHERS = [
      ['of another order', () => server.checkout, { order: 'B2002' }, 'checkout_mismatch'],
      ['that the server does not know', checkoutId, {}, 'checkout_not_found'],
    ] as const;

    for (const [what, id, changes, code] of OTHERS) {
      it(`offers to pay the order of its token where the address names a checkout ${what}`, async () => {
        const named = id();
        setAddress(`checkout=${named}`);
        const harness = await PayCheckoutHarness.place(server, changes);
        await harness.reaches('idle');
        expect(harness.button?.textContent?.trim()).to.equal('Pay');
        expect(new URLSearchParams(location.search).get('checkout')).to.equal(named);
        expect(harness.count('pay-error')).to.equal(0);
        await harness.during('ready', () => harness.press());
      });

      it(`without a token says ${code} of a checkout ${what}`, async () => {
        setAddress(`checkout=${id()}`);
        const without = { ...changes, orderToken: null };
        const harness = await PayCheckoutHarness.place(server, without);
        await harness.reaches('problem');
        expect(harness.notice).to.contain(code);
        expect(harness.notice).to.contain(en.unknown);
        expect(harness.events).not.to.include('pay-paid');
        expect(harness.button?.textContent?.trim()).not.to.equal('Pay');
      });
    }

    it('follows the checkout that took the place of the one in the address', async () => {
      setAddress(`checkout=${server.checkout}`);
      const newer = checkoutId();
      await server.set({
        status: { ...server.status({ supersededBy: newer, revision: 2 }) },
        others: [{ ...server.status({ checkout: newer, state: 'paid', revision: 3 }) }],
      });
      const harness = await PayCheckoutHarness.place(server);
      await harness.reaches('paid');
    });

    it('offers no payment of a void order, whatever checkout of it the address names', async () => {
      setAddress(`checkout=${server.checkout}`);
      await server.set({ preview: { status: 409, body: { code: 'order_void' } } });
      const harness = await PayCheckoutHarness.place(server);
      await harness.reaches('problem');
      expect(harness.notice).to.contain('order_void');
      expect(harness.button).to.equal(null);
    });

    it('shows the price of an order that can still be paid', async () => {
      setAddress(`checkout=${server.checkout}`);
      const body = { shop: 'Test Tea', amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      await server.set({ preview: { status: 200, body } });
      const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
      const price = () => harness.element.renderRoot.querySelector('[part=amount]')?.textContent;
      await until(() => price() === '£42.50');
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
    });

    it('claims nothing while the server is gone, shows a reference, and recovers automatically', async () => {
      setAddress(`checkout=${server.checkout}`);
      await server.set({ faults: { status: 2 } });
      await server.setState('returned', 2);
      const harness = await PayCheckoutHarness.place(server);
      expect(harness.phase).to.equal('confirming');
      expect(harness.announcement).to.equal(en.checking);
      expect(harness.button).to.equal(null);
      await harness.reaches('problem');
      expect(harness.notice).to.equal(
        `${en.codes.server_unreachable} ${en.unknown} server_unreachable`,
      );
      expect(harness.reference).to.equal(`Reference: A1001 · ${server.checkout.slice(0, 8)}`);
      expect(harness.button?.textContent?.trim()).to.equal('Try again');
      await harness.reaches('confirming');
      expect(harness.announcement).to.equal(en.phases.confirming);
      expect(await server.opens()).to.have.length(0);
    });

    for (const foreign of [
      '1',
      crypto.randomUUID(),
      btoa('a basket of the shop'),
      'a'.repeat(64),
    ]) {
      it(`leaves a parameter alone that is not an id of ours: ${foreign}`, async () => {
        setAddress(`checkout=${encodeURIComponent(foreign)}`);
        const harness = await PayCheckoutHarness.place(server);
        expect(harness.phase).to.equal('idle');
        expect(harness.button?.textContent?.trim()).to.equal('Pay');
      });
    }

    it('the return page in a frame of the SDK’s frame makes the element poll', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await until(async () => (await server.polls()).length > 0);
      const polls = (await server.polls()).length;
      const outer = document.createElement('iframe');
      outer.srcdoc = '<p>Card</p>';
      const loaded = new Promise((resolve) => (outer.onload = resolve));
      harness.form?.append(outer);
      await loaded;
      const frame = document.createElement('iframe');
      frame.src = `${server.url}/return?checkout=${server.checkout}`;
      outer.contentDocument?.body.append(frame);
      await until(async () => (await server.polls()).length > polls);
      expect(harness.phase).to.equal('ready');
    });

    it('a message in a page whose tag has an invalid server address causes no error', async () => {
      await PayCheckoutHarness.place(server, { server: 'http://[' });
      const received = new Promise((resolve) => {
        addEventListener('message', resolve, { once: true });
      });
      postMessage('from another script');
      await received;
    });

    it('a message from another origin, of another shape, or about another checkout is ignored', async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await until(async () => (await server.polls()).length > 0);
      const polls = (await server.polls()).length;
      const answers: unknown[] = [];
      const frame = await fixture<HTMLIFrameElement>(html`<iframe></iframe>`);
      const source = Object.assign(frame.contentWindow as Window, {
        postMessage: (answer: unknown) => answers.push(answer),
      });
      const good = { type: 'pay-checkout:return', checkout: server.checkout, kind: 'return' };
      const say = (data: unknown, origin = server.url): boolean =>
        dispatchEvent(new MessageEvent('message', { data, origin, source }));
      say(good, 'https://elsewhere.example');
      say({ ...good, type: 'pay-checkout:paid' });
      say({ ...good, checkout: checkoutId() });
      say({ ...good, checkout: 7 });
      say('pay-checkout:return');
      say(null);
      await nextTask();
      expect(answers).to.deep.equal([]);
      expect(await server.polls()).to.have.length(polls);
      say({ type: 'pay-checkout:changed', checkout: server.checkout });
      await until(async () => (await server.polls()).length > polls);
      expect(harness.phase).to.equal('ready');
    });
  });

  describe('leaving for the payment page', () => {
    it('can be prevented, and opens no session', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'redirect' });
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      const redirect = harness.nextEvent('pay-redirect');
      await harness.during('idle', () => harness.press());
      expect((await redirect).url).to.equal(
        `${server.url}/v1/pay/corner-shop/A1001.2000000000.c2lnbmF0dXJl`,
      );
      expect(await server.opens()).to.have.length(0);
    });

    it('needs a token, and shows so', async () => {
      const harness = await PayCheckoutHarness.place(server, {
        mode: 'redirect',
        orderToken: null,
      });
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('tag_incomplete');
    });

    /** A page that has just left for the payment page, and is shown again by Back. */
    async function leaveAndGoBack(): Promise<Tab> {
      const tab = await Tab.open(server);
      tab.element.mode = 'redirect';
      tab.element.start();
      tab.page.stop();
      await tab.element.updateComplete;
      return tab;
    }

    it('goes there, and shows a link in case', async () => {
      const tab = await Tab.open(server);
      tab.element.mode = 'redirect';
      tab.element.start();
      await tab.element.updateComplete;
      const link = tab.element.renderRoot.querySelector<HTMLAnchorElement>('a[part="button"]');
      const hosted = `${server.url}/v1/pay/corner-shop/${tab.element.orderToken}?locale=en`;
      expect(link?.href).to.equal(hosted);
      await until(async () => (await server.seen('GET', /\/v1\/pay\//)).length === 1);
      tab.close();
    });

    it('Back makes the button usable again, after polling the server', async () => {
      await server.set({ holdOpen: true });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('opening');
      expect(tab.element.renderRoot.querySelector('[part="button"]')).to.equal(null);
      await server.set({ holdOpen: false });
      await tab.reaches('idle');
      const button = tab.element.renderRoot.querySelector('[part="button"]');
      expect(button?.textContent?.trim()).to.equal('Pay');
      expect(tab.element.childElementCount).to.equal(0);
      expect(await server.opens()).to.have.length(1);
      await server.setState('paid', 2);
      await tab.reaches('paid');
      tab.close();
    });

    for (const state of ['paid', 'open'] as const) {
      it(`Back to a page that the SDK navigated away from polls before it offers to pay: ${state}`, async () => {
        const sdk = { ...server.sdkDescription, navigates: true };
        await server.set({ open: [{ status: 200, body: server.openReply({ sdk }) }] });
        const tab = await Tab.open(server);
        tab.element.mode = 'inline';
        tab.element.start();
        await until(() => tab.element.querySelector('[slot="form"] button') !== null);
        tab.turn('pagehide');
        await server.set({
          holdOpen: true,
          open: [{ status: 200, body: server.openReply({ sdk, state }) }],
        });
        tab.turn('pageshow');
        await until(async () => (await server.opens()).length === 2);
        const button = (): Element | null =>
          tab.element.renderRoot.querySelector('[part="button"]');
        expect(button()).to.equal(null);
        await server.set({ holdOpen: false });
        await tab.reaches(state === 'open' ? 'idle' : 'paid');
        // The SDK would navigate again without a press.
        expect(tab.element.childElementCount).to.equal(0);
        expect(button()?.textContent?.trim()).to.equal(state === 'open' ? 'Pay' : undefined);
        tab.close();
      });
    }

    it('so does Back to a page with its own createSession, which is called once more', async () => {
      const tab = await Tab.open(server);
      const sdk = { ...server.sdkDescription, navigates: true };
      let callCount = 0;
      tab.element.createSession = () => {
        callCount += 1;
        return Promise.resolve(server.openReply({ sdk }));
      };
      tab.element.start();
      await until(() => tab.element.querySelector('[slot="form"] button') !== null);
      tab.turn('pagehide');
      tab.turn('pageshow');
      await tab.reaches('idle');
      expect(callCount).to.equal(2);
      expect(tab.element.childElementCount).to.equal(0);
      tab.close();
    });

    it('Back from a payment page that did not answer shows the error, after polling the server in vain', async () => {
      await server.set({ faults: { open: 4 } });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('problem');
      const words = tab.element.renderRoot.textContent?.replace(/\s+/g, ' ');
      expect(words).to.contain('server_unreachable');
      expect(words).to.contain('Reference: A1001');
      tab.element.retry();
      await tab.reaches('idle');
      tab.close();
    });

    it('Back after paying shows paid, and offers no payment', async () => {
      await server.set({ open: [{ status: 200, body: server.openReply({ state: 'paid' }) }] });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('paid');
      expect(tab.element.renderRoot.querySelector('[part="button"]')).to.equal(null);
      expect(tab.count('pay-paid')).to.equal(1);
      tab.close();
    });

    /** A page that is loaded again on the way back, where the server describes an SDK that leaves. */
    const comeBack = async (): Promise<Tab> => {
      const sdk = { ...server.sdkDescription, navigates: true };
      const config = { merchant: 'corner-shop', environment: 'sandbox', sdk };
      await server.set({
        config: { status: 200, body: config },
        open: [{ status: 200, body: server.openReply({ sdk }) }],
      });
      return Tab.open(server, (page) => {
        const entry = { type: 'back_forward' } as PerformanceNavigationTiming;
        page.performance.getEntriesByType = () => [entry];
        page.open = () => null;
      });
    };

    it('Back to the payment page itself polls, and mounts such an SDK only after a press', async () => {
      const tab = await comeBack();
      const mountedForm = (): Element | null => tab.element.querySelector('[slot="form"]');
      Object.assign(tab.element, { mode: 'inline', autostart: true });
      await until(async () => (await server.opens()).length === 1);
      await tab.reaches('idle');
      expect(mountedForm()).to.equal(null);
      tab.element.start();
      await until(() => mountedForm() !== null);
      tab.close();
    });

    for (const mode of ['redirect', 'auto'] as const) {
      it(`Back to a page that is loaded again polls, and never navigates automatically: ${mode}`, async () => {
        const tab = await comeBack();
        const urls: string[] = [];
        tab.element.addEventListener('pay-redirect', (event) => {
          event.preventDefault();
          urls.push(event.url);
        });
        Object.assign(tab.element, { mode, autostart: true });
        await until(async () => (await server.opens()).length === 1);
        await tab.reaches('idle');
        expect(urls).to.deep.equal([]);
        tab.element.start();
        expect(urls).to.have.length(1);
        tab.close();
      });
    }

    it('Back before the address was given leaves the question to the payment page', async () => {
      const price = { amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      await server.set({ open: [{ status: 200, body: { needs: ['avs'], ...price } }] });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('idle');
      const button = tab.element.renderRoot.querySelector('[part="button"]');
      expect(button?.textContent?.trim()).to.equal('Pay');
      tab.close();
    });

    it('a new token continues the check after Back, and never leaves the page automatically', async () => {
      await server.set({ open: [{ status: 401, body: { code: 'order_token_expired' } }] });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('problem');
      await server.set({ open: [{ status: 200, body: server.openReply() }] });
      let redirects = 0;
      tab.element.addEventListener('pay-redirect', () => (redirects += 1));
      tab.element.orderToken = 'A1001.2000000001.bmV3';
      await tab.reaches('idle');
      expect(redirects).to.equal(0);
      tab.close();
    });
  });
});
