import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { OUTCOME_EVENTS } from '../flow/flow-teller.js';
import { BUTTONS, isCertain, type OutcomePhase, type Phase } from '../flow/phases.js';
import { en } from '../labels/en.js';
import type { SdkAdapter, SdkOpenOptions } from '../sdk/sdk-adapter.js';
import { Tab } from '../testing/tab.js';
import { hasten, nextTask, until } from '../testing/until.js';
import { WorldClient } from '../testing/world-client.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';
import type { PayCheckout } from './pay-checkout.js';

const OUTCOMES: readonly OutcomePhase[] = [
  'paid',
  'failed',
  'cancelled',
  'left',
  'expired',
  'unconfirmed',
];

function setAddress(search: string): void {
  const url = new URL(location.href);
  url.searchParams.delete('checkout');
  for (const [name, value] of new URLSearchParams(search)) url.searchParams.set(name, value);
  history.replaceState(null, '', url);
}

describe('<pay-checkout>', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));
  afterEach(() => setAddress(''));

  describe('a payment', () => {
    it('loads the SDK before anybody pays, and opens nothing by itself', async () => {
      const harness = await PayCheckoutHarness.place(world);
      await until(() => world.sdk !== undefined);
      expect(harness.phase).to.equal('idle');
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      expect(await world.opens()).to.have.length(0);
    });

    it('opens the checkout while the SDK is still loading', async () => {
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('ready', () => harness.press());
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
      world.sdk.calls[0]?.onDecline?.();
      world.sdk.calls[0]?.onSubmit?.();
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
      expect(harness.announcement).to.equal('Asking again.');
      await harness.during('paid', () => world.tell('paid', 3));
      expect(await world.opens()).to.have.length(1);
    });
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

  describe('coming and going', () => {
    it('connect, disconnect, connect again opens one session', async () => {
      const harness = await PayCheckoutHarness.place(world);
      const { element } = harness;
      const home = element.parentElement;
      await world.write({ holdOpen: true });
      element.start();
      element.remove();
      home?.append(element);
      await nextTask();
      element.remove();
      await nextTask();
      home?.append(element);
      await harness.during('ready', () => world.write({ holdOpen: false }));
      expect(await world.opens()).to.have.length(1);
      expect(harness.form?.childElementCount).to.equal(1);
    });

    it('an autostart that is moved before it is drawn opens one session', async () => {
      const harness = await PayCheckoutHarness.place(world, { autostart: true });
      const home = harness.element.parentElement;
      harness.element.remove();
      home?.append(harness.element);
      await harness.reaches('ready');
      expect(await world.opens()).to.have.length(1);
    });

    it('moving a form draws it again in its new place, with the same session', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      const home = harness.element.parentElement;
      harness.element.remove();
      expect(world.sdk.destroyed).to.equal(1);
      expect(harness.element.childElementCount).to.equal(0);
      home?.append(harness.element);
      await until(() => world.sdk.calls.length === 2);
      expect(harness.phase).to.equal('ready');
      expect(harness.form?.childElementCount).to.equal(1);
      expect(await world.opens()).to.have.length(1);
      expect(harness.count('pay-ready')).to.equal(1);
    });

    it('does nothing more for an element that has left the page', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      harness.element.remove();
      const before = harness.events.length;
      await world.tell('paid', 2);
      dispatchEvent(new Event('online'));
      await nextTask();
      expect(harness.events).to.have.length(before);
    });

    it('another order in the tag is another payment', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      const other = world.openReply({ checkout: crypto.randomUUID(), sessionId: 'other' });
      await world.write({ open: [{ status: 200, body: other }] });
      await harness.during('ready', () => (harness.element.order = 'A1002'));
      const [, second] = await world.opens();
      expect(second?.body).to.include({ order: 'A1002' });
      expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
      expect(world.sdk.destroyed).to.equal(1);
    });

    it('two elements on a page share one script and keep apart', async () => {
      const first = await PayCheckoutHarness.ready(world);
      const second = await PayCheckoutHarness.ready(world);
      expect(await world.seen('GET', /sdk\.js$/)).to.have.length(1);
      const [one, other] = [first, second].map(({ form }) => form?.firstElementChild?.id);
      expect(one).not.to.equal(other);
    });

    it('autostart waits until it is seen', async () => {
      const harness = await PayCheckoutHarness.place(world);
      const far = document.createElement('div');
      far.style.paddingBlockStart = '300vh';
      harness.element.parentElement?.append(far);
      far.append(harness.element);
      harness.element.autostart = true;
      await harness.element.updateComplete;
      await new Promise(requestAnimationFrame);
      expect(await world.opens()).to.have.length(0);
      await harness.during('ready', () => harness.element.scrollIntoView());
      expect(await world.opens()).to.have.length(1);
    });
  });

  describe('the way back', () => {
    it('follows the checkout that the address names, without a token, and opens nothing', async () => {
      setAddress(`checkout=${world.checkout}&other=1`);
      await world.tell('returned', 2);
      const harness = await PayCheckoutHarness.place(world, { orderToken: null, autostart: true });
      expect(harness.phase).to.equal('confirming');
      await harness.during('paid', () => world.tell('paid', 3));
      expect(await world.opens()).to.have.length(0);
    });

    it('takes only its own parameter out of the address, and only when it is settled', async () => {
      setAddress(`checkout=${world.checkout}&other=1`);
      await world.tell('returned', 2);
      const harness = await PayCheckoutHarness.place(world);
      const entries = history.length;
      expect(new URLSearchParams(location.search).get('checkout')).to.equal(world.checkout);
      await harness.during('paid', () => world.tell('paid', 3));
      expect(new URLSearchParams(location.search).has('checkout')).to.equal(false);
      expect(new URLSearchParams(location.search).get('other')).to.equal('1');
      expect(history.length).to.equal(entries);
      setAddress('other=');
    });

    it('ignores a checkout of another order', async () => {
      setAddress(`checkout=${world.checkout}`);
      const harness = await PayCheckoutHarness.place(world, { order: 'B2002' });
      await harness.reaches('problem');
      expect(harness.notice).to.contain('checkout_mismatch');
      expect(harness.events).not.to.include('pay-paid');
      expect(harness.button).to.equal(null);
    });

    it('says when the server does not know the checkout', async () => {
      setAddress(`checkout=${crypto.randomUUID()}`);
      const harness = await PayCheckoutHarness.place(world);
      await harness.reaches('problem');
      expect(harness.notice).to.contain('checkout_not_found');
    });

    it('leaves a parameter alone that is not an id of ours', async () => {
      setAddress('checkout=1');
      const harness = await PayCheckoutHarness.place(world);
      expect(harness.phase).to.equal('idle');
    });

    it('the return page in a frame is acknowledged, and makes the element look', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      const frame = document.createElement('iframe');
      frame.src = `${world.server}/return?checkout=${world.checkout}`;
      harness.form?.append(frame);
      const acknowledged = new Promise<void>((resolve) => {
        frame.onload = () => {
          const { contentDocument: page } = frame;
          new MutationObserver((_, observer) => {
            if (!page?.body.textContent?.startsWith(`acknowledged ${world.checkout}`)) return;
            observer.disconnect();
            resolve();
          }).observe(page as Document, { childList: true, subtree: true });
        };
      });
      await acknowledged;
      expect(harness.phase).to.equal('ready');
    });

    it('a message in a page whose tag names no server that can be asked is no error', async () => {
      await PayCheckoutHarness.place(world, { server: 'http://[' });
      const heard = new Promise((resolve) => {
        addEventListener('message', resolve, { once: true });
      });
      postMessage('of somebody else');
      await heard;
    });

    it('a message from another origin, of another shape, or about another checkout is ignored', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      await until(async () => (await world.polls()).length > 0);
      const polls = (await world.polls()).length;
      const answers: unknown[] = [];
      const { port1, port2 } = new MessageChannel();
      port2.onmessage = (event) => answers.push(event.data);
      const good = { type: 'pay-checkout:return', checkout: world.checkout, kind: 'return' };
      const say = (data: unknown, origin = location.origin): boolean =>
        dispatchEvent(new MessageEvent('message', { data, origin, source: port1 }));
      say(good, 'https://elsewhere.example');
      say({ ...good, type: 'pay-checkout:paid' });
      say({ ...good, checkout: crypto.randomUUID() });
      say({ ...good, checkout: 7 });
      say('pay-checkout:return');
      say(null);
      await nextTask();
      expect(answers).to.deep.equal([]);
      expect(await world.polls()).to.have.length(polls);
      say({ type: 'pay-checkout:changed', checkout: world.checkout });
      await until(async () => (await world.polls()).length > polls);
      expect(harness.phase).to.equal('ready');
    });
  });

  describe('leaving for the payment page', () => {
    it('can be prevented, and opens no session', async () => {
      const harness = await PayCheckoutHarness.place(world, { mode: 'redirect' });
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      const redirect = harness.hears('pay-redirect');
      await harness.during('idle', () => harness.press());
      expect((await redirect).url).to.equal(
        `${world.server}/v1/pay/corner-shop/A1001.2000000000.c2lnbmF0dXJl`,
      );
      expect(await world.opens()).to.have.length(0);
    });

    it('needs a token, and says so', async () => {
      const harness = await PayCheckoutHarness.place(world, { mode: 'redirect', orderToken: null });
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('tag_incomplete');
    });

    /** A page that has just left for the payment page, and is shown again by Back. */
    async function leaveAndGoBack(): Promise<Tab> {
      const tab = await Tab.open(world);
      tab.element.mode = 'redirect';
      tab.element.start();
      tab.page.stop();
      await tab.element.updateComplete;
      return tab;
    }

    it('goes there, and shows a link in case', async () => {
      const tab = await Tab.open(world);
      tab.element.mode = 'redirect';
      tab.element.start();
      await tab.element.updateComplete;
      const link = tab.element.renderRoot.querySelector<HTMLAnchorElement>('a[part="button"]');
      expect(link?.href).to.equal(`${world.server}/v1/pay/corner-shop/${tab.element.orderToken}`);
      await until(async () => (await world.seen('GET', /\/v1\/pay\//)).length === 1);
      tab.close();
    });

    it('Back makes the button usable again, once the server has been asked', async () => {
      await world.write({ holdOpen: true });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('opening');
      expect(tab.element.renderRoot.querySelector('[part="button"]')).to.equal(null);
      await world.write({ holdOpen: false });
      await tab.reaches('idle');
      const button = tab.element.renderRoot.querySelector('[part="button"]');
      expect(button?.textContent?.trim()).to.equal('Pay');
      expect(tab.element.childElementCount).to.equal(0);
      expect(await world.opens()).to.have.length(1);
      await world.tell('paid', 2);
      await tab.reaches('paid');
      tab.close();
    });

    it('Back after paying says that it is paid, and offers no payment', async () => {
      await world.write({ open: [{ status: 200, body: world.openReply({ state: 'paid' }) }] });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('paid');
      expect(tab.element.renderRoot.querySelector('[part="button"]')).to.equal(null);
      expect(tab.count('pay-paid')).to.equal(1);
      tab.close();
    });

    it('a new token goes on with the question after Back, and never leaves the page by itself', async () => {
      await world.write({ open: [{ status: 401, body: { code: 'order_token_expired' } }] });
      const tab = await leaveAndGoBack();
      tab.turn('pageshow');
      await tab.reaches('problem');
      await world.write({ open: [{ status: 200, body: world.openReply() }] });
      let redirects = 0;
      tab.element.addEventListener('pay-redirect', () => (redirects += 1));
      tab.element.orderToken = 'A1001.2000000001.bmV3';
      await tab.reaches('idle');
      expect(redirects).to.equal(0);
      tab.close();
    });
  });

  describe('trouble', () => {
    it('a script that fails is a problem, and trying again works', async () => {
      await world.write({ faults: { sdk: 12 }, config: { status: 404, body: {} } });
      const harness = await PayCheckoutHarness.place(world);
      const error = harness.hears('pay-error');
      await harness.during('problem', () => harness.press());
      expect(await error).to.include({ code: 'sdk_load_failed', retryable: true });
      await harness.during('problem', () => harness.press());
      await harness.during('ready', () => harness.press());
      expect(await world.opens()).to.have.length(1);
    });

    for (const [what, sdk, code] of [
      ['is not found', 'missing', 'sdk_not_found'],
      ['leaves no global behind', 'empty', 'sdk_global_missing'],
      ['never answers', 'silent', 'sdk_timeout'],
    ] as const) {
      it(`a script that ${what} ends in words and a code, and trying again works later`, async () => {
        await world.write({ sdk });
        const relent = hasten(globalThis, sdk === 'silent' ? 20_000 : 0);
        const harness = await PayCheckoutHarness.place(world);
        const error = harness.hears('pay-error');
        await harness.during('problem', () => harness.press());
        relent();
        expect(await error).to.include({ code, retryable: true });
        expect(harness.notice).to.equal(`${en.sdkProblem}${code}`);
        expect(harness.reference).to.contain('A1001');
        expect(harness.button?.textContent?.trim()).to.equal('Try again');
        await world.write({ sdk: 'fine' });
        await harness.during('ready', () => harness.press());
        expect(harness.form?.childElementCount).to.equal(1);
        expect(await world.opens()).to.have.length(1);
      });
    }

    it('a script that the page’s policy forbids ends in words and a code, and works once it is allowed', async () => {
      await world.write({ forbidsSdk: true });
      const blocked = await Tab.open(world, undefined, `${world.server}/page`);
      blocked.element.start();
      await blocked.reaches('problem');
      const notice = blocked.element.renderRoot.querySelector('[part="notice"]');
      expect(notice?.textContent).to.contain('sdk_blocked_csp');
      expect(blocked.element.renderRoot.querySelector('button')?.textContent).to.contain(
        'Try again',
      );
      blocked.close();
      await world.write({ forbidsSdk: false });
      const allowed = await Tab.open(world, undefined, `${world.server}/page`);
      allowed.element.start();
      await allowed.reaches('ready');
      allowed.close();
    });

    it('a server that cannot be reached is a problem with a reference, and trying again works later', async () => {
      await world.write({ faults: { open: 4 } });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('server_unreachable');
      expect(harness.reference).to.equal('Reference: A1001');
      await harness.during('ready', () => harness.press());
    });

    it('a refused session is renewed by naming it', async () => {
      const harness = await PayCheckoutHarness.place(world);
      await until(() => world.sdk !== undefined);
      world.sdk.fails = 1;
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('sdk_configure_failed');
      await harness.during('ready', () => harness.press());
      const [, second] = await world.opens();
      expect(second?.body).to.include({ renew: `session-${world.id}` });
      expect(await world.hints()).to.include('refused');
    });

    it('says the code and the request of a refusal, and offers no hopeless button', async () => {
      const body = { code: 'order_void', requestId: 'req-77' };
      await world.write({ open: [{ status: 409, body }] });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.equal(`${en.codes.order_void}order_void · req-77`);
      expect(harness.button).to.equal(null);
    });

    it('an expired token goes on by itself when the page brings a new one', async () => {
      const body = { code: 'order_token_expired' };
      await world.write({ open: [{ status: 401, body }] });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('problem', () => harness.press());
      await world.write({ open: [{ status: 200, body: world.openReply() }] });
      await harness.during('ready', () => (harness.element.orderToken = 'A1001.2000000001.bmV3'));
    });

    it('an order whose token comes later goes on by itself when it is there', async () => {
      await world.write({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
      const changes = { orderToken: null, autostart: true };
      const harness = await PayCheckoutHarness.place(world, changes);
      await harness.reaches('problem');
      await world.write({ open: [{ status: 200, body: world.openReply() }] });
      await harness.during('ready', () => (harness.element.orderToken = 'A1001.2000000001.bmV3'));
    });

    it('nothing of an order or an SDK becomes markup', async () => {
      const order = '<img src=x onerror=alert(1)>';
      const harness = await PayCheckoutHarness.place(world, { order });
      await harness.during('ready', () => harness.element.start());
      await harness.during('confirming', () =>
        world.write({ status: { ...world.status({ order, state: 'returned', revision: 2 }) } }),
      );
      expect(harness.element.renderRoot.querySelector('img')).to.equal(null);
      expect(harness.reference).to.contain('<img');
    });
  });

  describe('for people who bring their own', () => {
    it('createSession and adapter replace server and SDK', async () => {
      let opened: SdkOpenOptions | undefined;
      const adapter: SdkAdapter = {
        load: () => Promise.resolve(),
        open: (options) => {
          opened = options;
          options.container.append(document.createElement('input'));
          return Promise.resolve();
        },
      };
      const harness = await PayCheckoutHarness.place(world, {
        adapter,
        createSession: () => Promise.resolve(world.openReply({ sessionId: 'own' })),
        locale: 'cy-GB',
      });
      await harness.during('ready', () => harness.press());
      expect(opened).to.include({ sessionId: 'own', locale: 'cy-GB' });
      expect(await world.opens()).to.have.length(0);
      expect(await world.seen('GET', /config|sdk/)).to.have.length(0);
      harness.element.remove();
      expect(opened?.signal.aborted).to.equal(true);
    });

    it('an adapter that is there only after the tag has gone draws nothing', async () => {
      const loaded = Promise.withResolvers<void>();
      const calls: string[] = [];
      const adapter: SdkAdapter = {
        load: () => {
          calls.push('load');
          return loaded.promise;
        },
        open: () => {
          calls.push('open');
          return new Promise(() => undefined);
        },
      };
      const createSession = () => Promise.resolve(world.openReply());
      const harness = await PayCheckoutHarness.place(world, { adapter, createSession });
      harness.press();
      // Once beside the opening of the session, and once before drawing.
      await until(() => calls.length === 2);
      harness.element.remove();
      loaded.resolve();
      await nextTask();
      expect(calls).to.deep.equal(['load', 'load']);
      expect(harness.element.children).to.have.length(0);
    });

    it('a createSession that throws is a problem, not a broken page', async () => {
      const harness = await PayCheckoutHarness.place(world, {
        createSession: () => Promise.reject(new Error('no')),
      });
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('session_failed');
    });
  });

  describe('for everybody', () => {
    const REACHED: Partial<Record<Phase, (harness: PayCheckoutHarness) => Promise<void>>> = {
      idle: () => Promise.resolve(),
      opening: async (harness) => {
        await harness.world.write({ holdOpen: true });
        await harness.during('opening', () => harness.press());
      },
      ready: (harness) => harness.during('ready', () => harness.press()),
      problem: async (harness) => {
        await harness.world.write({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
        await harness.during('problem', () => harness.press());
      },
    };
    for (const phase of [...OUTCOMES, 'confirming'] as const) {
      REACHED[phase] = async (harness) => {
        await harness.during('ready', () => harness.press());
        const state = phase === 'confirming' ? 'returned' : phase;
        await harness.during(phase, () => harness.world.tell(state));
      };
    }
    for (const [phase, reach] of Object.entries(REACHED)) {
      for (const theme of ['light', 'dark'] as const) {
        it(`${phase}, ${theme}: passes the accessibility check`, async () => {
          const harness = await PayCheckoutHarness.place(world, { theme });
          await reach(harness);
          expect(harness.phase).to.equal(phase);
          await expect(harness.element).to.be.accessible();
          await world.write({ holdOpen: false });
        });
      }
    }

    it('its live regions are there from the first render', async () => {
      const harness = await PayCheckoutHarness.place(world);
      const { renderRoot } = harness.element;
      const status = renderRoot.querySelector('[role="status"]');
      const alert = renderRoot.querySelector('[role="alert"]');
      await harness.during('ready', () => harness.element.start());
      await harness.during('paid', () => world.tell('paid'));
      expect(renderRoot.querySelector('[role="status"]')).to.equal(status);
      expect(renderRoot.querySelector('[role="alert"]')).to.equal(alert);
      expect(status?.getAttribute('aria-live')).to.equal('polite');
    });

    it('moves the focus for one who pressed the button, and says each thing once', async () => {
      const harness = await PayCheckoutHarness.place(world);
      harness.button?.focus();
      await harness.during('ready', () => harness.press());
      expect(document.activeElement).to.equal(harness.form);
      await harness.during('paid', () => world.tell('paid'));
      const { shadowRoot } = harness.element;
      expect(shadowRoot?.activeElement?.textContent).to.contain('Payment received');
      const status = shadowRoot?.querySelector('[role="status"]');
      expect(status?.getAttribute('aria-live')).to.equal('off');
    });

    it('takes the focus from nobody who did not press it', async () => {
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('ready', () => harness.element.start());
      await harness.during('paid', () => world.tell('paid'));
      expect(document.activeElement).to.equal(document.body);
    });

    it('takes the focus from nothing else on the page', async () => {
      const harness = await PayCheckoutHarness.place(world);
      const field = document.createElement('input');
      harness.element.after(field);
      await harness.during('opening', () => harness.press());
      field.focus();
      await harness.during('paid', async () => {
        await harness.arrives('ready');
        await world.tell('paid');
      });
      expect(document.activeElement).to.equal(field);
    });

    it('follows a dark page, and only a page that is dark', async () => {
      const harness = await PayCheckoutHarness.place(world);
      const surface = (): string => {
        const card = harness.element.renderRoot.querySelector('section') as Element;
        return getComputedStyle(card).backgroundColor;
      };
      await emulateMedia({ colorScheme: 'dark' });
      expect(surface()).to.equal('rgb(255, 255, 255)');
      document.documentElement.style.colorScheme = 'light dark';
      expect(surface()).to.equal('rgb(26, 29, 36)');
      document.documentElement.style.colorScheme = '';
      await emulateMedia({ colorScheme: 'light' });
    });

    it('turns its spinner where a wait lasts, slowly for one who wants less motion', async () => {
      await world.write({ holdOpen: true });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('opening', () => harness.press());
      const spinner = harness.element.renderRoot.querySelector('.spinner') as Element;
      expect(spinner.getAnimations()).to.deep.equal([]);
      await until(() => spinner.getAnimations().length === 1);
      await emulateMedia({ reducedMotion: 'reduce' });
      expect(getComputedStyle(spinner).animationDuration).to.equal('9s');
      await emulateMedia({ reducedMotion: 'no-preference' });
      expect(getComputedStyle(spinner).animationDuration).to.equal('0.9s');
      await world.write({ holdOpen: false });
    });

    it('its button is a native one, large enough for a thumb', async () => {
      const harness = await PayCheckoutHarness.place(world);
      expect(harness.button).to.be.instanceOf(HTMLButtonElement);
      expect(harness.button?.getBoundingClientRect().height).to.be.at.least(44);
    });

    it('has no style attribute and asks for none', async () => {
      const harness = await PayCheckoutHarness.ready(world);
      expect(harness.element.renderRoot.querySelector('[style], style')).to.equal(null);
      expect(harness.form?.hasAttribute('style')).to.equal(false);
    });

    it('fits a screen of 320 pixels', async () => {
      const harness = await PayCheckoutHarness.place(world, { order: 'A'.repeat(64) });
      const home = harness.element.parentElement as HTMLElement;
      home.style.inlineSize = '288px';
      await harness.during('ready', () => harness.element.start());
      await harness.during('unconfirmed', () => world.tell('unconfirmed'));
      expect(home.scrollWidth).to.equal(288);
    });
  });

  describe('the single file', () => {
    let frame: HTMLIFrameElement;
    let element: PayCheckout | null | undefined;
    beforeEach(async () => {
      frame = document.createElement('iframe');
      frame.src = '/packages/widget/test-world/classic.html';
      document.body.append(frame);
      await new Promise((resolve) => (frame.onload = resolve));
      element = frame.contentDocument?.querySelector('pay-checkout');
    });
    afterEach(() => frame.remove());

    it('is a classic script that takes its server from its own address', () => {
      expect(element?.serverUrl).to.equal(location.origin);
      expect(element?.matches(':state(idle)')).to.equal(true);
    });

    it('keeps what it was given when somebody asks which attributes it observes', () => {
      const { observedAttributes } = element?.constructor as typeof PayCheckout;
      expect(observedAttributes).to.include('order-token');
      expect(element?.merchant).to.equal(element?.getAttribute('merchant'));
    });
  });
});
