import { expect } from '@open-wc/testing';
import type { PayRedirectEvent } from '../events.js';
import type { Presentation } from '../flow/presentation.js';
import type { OutcomePhase } from '../flow/phases.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { OUTCOMES } from '../testing/every-phase.js';
import { Tab } from '../testing/tab.js';
import { nextTask, speedUpWait, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const WINDOW_ASKS_MS = 4000;
const TOKEN = 'A1001.2000000000.c2lnbmF0dXJl';

/** The window that a test's element opens; a browser under test opens as many as it is asked to. */
function nextWindow(see?: (url: unknown) => void): Promise<Window | null> {
  const real = window.open.bind(window);
  return new Promise((resolve) => {
    window.open = (...args) => {
      window.open = real;
      see?.(args[0]);
      const opened = real(...args);
      resolve(opened);
      return opened;
    };
  });
}

function blockNextWindow(): void {
  const real = window.open.bind(window);
  window.open = () => {
    window.open = real;
    return null;
  };
}

function dialogOf({ element }: PayCheckoutHarness): HTMLDialogElement {
  return element.renderRoot.querySelector('dialog') as HTMLDialogElement;
}

function recordModes(harness: PayCheckoutHarness): Presentation[] {
  const ways: Presentation[] = [];
  harness.element.addEventListener('pay-statechange', ({ mode }) => ways.push(mode));
  return ways;
}

describe('<pay-checkout> modes', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await new TestServer().start();
    sessionStorage.clear();
  });

  const hostedUrl = (): string => `${server.url}/v1/pay/corner-shop/${TOKEN}`;
  /** The hosted page has been opened with the order token. */
  const hostedPageOpens = (token = TOKEN): Promise<void> =>
    until(async () => (await server.seen('GET', RegExp(`/v1/pay/.*${token}$`))).length > 0);
  const windowSaysHello = (): Promise<void> =>
    new Promise((resolve) => {
      addEventListener('message', function listen({ data }: MessageEvent<{ type?: string }>) {
        if (data.type !== 'pay-checkout:hello') return;
        removeEventListener('message', listen);
        resolve();
      });
    });
  const describeNavigating = (): Promise<void> => {
    const sdk = { ...server.sdkDescription, navigates: true };
    const config = { merchant: 'corner-shop', environment: 'sandbox', sdk };
    return server.set({
      config: { status: 200, body: config },
      open: [{ status: 200, body: server.openReply({ sdk }) }],
    });
  };

  describe('overlay', () => {
    it('shows the provider’s form in a dialog above the page, whatever the page stacks', async () => {
      const wall = document.createElement('div');
      Object.assign(wall.style, { position: 'fixed', inset: '0', zIndex: '2147483647' });
      document.body.append(wall);
      const harness = await PayCheckoutHarness.ready(server, { mode: 'overlay' });
      const ways = recordModes(harness);
      expect(dialogOf(harness).matches(':modal')).to.equal(true);
      const button = harness.form?.querySelector('button') as HTMLElement;
      const { left, top } = button.getBoundingClientRect();
      expect(document.elementFromPoint(left + 2, top + 2)).to.equal(button);
      await harness.during('paid', () => server.setState('paid'));
      expect(dialogOf(harness).matches(':modal')).to.equal(false);
      expect(harness.announcement).to.equal('Payment received. Thank you.');
      expect(ways).to.deep.equal(['overlay']);
      wall.remove();
    });

    it('leaves the page below where it is when it opens, and while it is open', async () => {
      const below = document.createElement('p');
      const harness = await PayCheckoutHarness.place(server, { mode: 'overlay' });
      document.body.append(below);
      await until(() => harness.badge !== null);
      const top = (): number => below.getBoundingClientRect().top;
      const before = top();
      expect(before).to.be.above(100);
      await harness.during('opening', () => harness.press());
      expect(top()).to.be.closeTo(before, 1);
      await harness.reaches('ready');
      harness.element.requestUpdate();
      await harness.element.updateComplete;
      expect(top()).to.be.closeTo(before, 1);
      below.remove();
    });

    it('Escape and the close button cancel, and the page can be used again', async () => {
      const harness = await PayCheckoutHarness.ready(server, { mode: 'overlay' });
      const dialog = dialogOf(harness);
      await harness.during('idle', () => dialog.dispatchEvent(new Event('cancel')));
      expect(dialog.matches(':modal')).to.equal(false);
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      await until(async () => (await server.hints()).includes('cancelled'));
      await harness.during('ready', () => harness.press());
      const close = dialog.querySelector<HTMLElement>('[part="close"]') as HTMLElement;
      await harness.during('idle', () => close.click());
      expect(dialog.matches(':modal')).to.equal(false);
    });

    it('opens at its top, with the way out in sight, however tall the form is', async () => {
      const tall = document.createElement('style');
      tall.textContent = '[slot="form"] { display: block; height: 4000px; }';
      document.head.append(tall);
      const harness = await PayCheckoutHarness.place(server, { mode: 'overlay' });
      harness.button?.focus();
      await harness.during('ready', () => harness.press());
      expect(document.activeElement).to.equal(harness.form);
      const dialog = dialogOf(harness);
      expect(dialog.scrollHeight).to.be.above(dialog.clientHeight);
      expect(dialog.scrollTop).to.equal(0);
      const close = dialog.querySelector('[part="close"]') as HTMLElement;
      const { bottom, right } = close.getBoundingClientRect();
      expect(document.elementFromPoint(right - 4, bottom - 4)).to.equal(harness.element);
      tall.remove();
    });

    it('stays at its top when the form is there at once', async () => {
      const adapter: SdkAdapter = {
        load: () => Promise.resolve(),
        open: ({ container }) => {
          container.append(Object.assign(document.createElement('canvas'), { height: 4000 }));
          return Promise.resolve();
        },
      };
      const createSession = () => Promise.resolve(server.openReply());
      const changes = { mode: 'overlay', createSession, adapter } as const;
      const harness = await PayCheckoutHarness.place(server, changes);
      await harness.during('ready', () => harness.press());
      // WebKit scrolls to the focus of a dialog in a task of its own.
      await nextTask();
      expect(document.activeElement).to.equal(harness.form);
      expect(dialogOf(harness).scrollTop).to.equal(0);
      harness.element.close();
    });

    it('shows the hosted page in a frame when the SDK accepts no container', async () => {
      const { container: _, ...sdk } = server.sdkDescription;
      await server.set({ open: [{ status: 200, body: server.openReply({ sdk }) }] });
      const harness = await PayCheckoutHarness.ready(server, { mode: 'overlay' });
      const frame = harness.form?.querySelector('iframe');
      expect(frame?.src).to.equal(hostedUrl());
      expect(frame?.title).to.equal('Payment form');
      expect(frame?.clientWidth).to.be.above((harness.form?.clientWidth ?? Infinity) - 8);
      expect(frame?.clientHeight).to.be.above(500);
      await until(() => server.sdk !== undefined);
      expect(server.sdk.calls).to.have.length(0);
      await harness.during('paid', () => server.setState('paid'));
      expect(harness.element.querySelector('iframe')).to.equal(null);
    });

    it('an error closes the overlay and shows its message on the page', async () => {
      const refusal = { status: 409, body: { code: 'order_void', requestId: 'r-1' } };
      await server.set({ open: [refusal] });
      const harness = await PayCheckoutHarness.place(server, { mode: 'overlay' });
      await harness.during('problem', () => harness.press());
      expect(dialogOf(harness).matches(':modal')).to.equal(false);
      expect(harness.notice).to.contain('can no longer be paid');
    });
  });

  describe('popup', () => {
    it('opens the hosted page in the click, follows it, and ends in the same events', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const ways = recordModes(harness);
      const opening = nextWindow();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      await hostedPageOpens();
      expect(harness.announcement).to.equal(
        'Please pay in the other window. If you cannot see it, press the button.',
      );
      expect(harness.form).to.equal(null);
      expect(server.sdk).to.equal(undefined);
      expect(harness.count('pay-ready')).to.equal(1);
      await harness.during('confirming', () => server.setState('returned', 2));
      await harness.during('paid', () => server.setState('paid', 3));
      expect(ways).to.deep.equal(['popup', 'popup', 'popup', 'popup']);
      popup?.close();
    });

    it('a window that the shopper closed: the server polls, and the element offers pay again', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      const isSeen = windowSaysHello();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      await isSeen;
      await harness.during('idle', () => popup?.close());
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      expect(harness.element.matches(':state(idle)')).to.equal(true);
      await until(async () => (await server.hints()).length > 0);
      expect(await server.hints()).to.deep.equal(['shown']);
      await harness.during('paid', () => server.setState('paid'));
    });

    it('close() closes the window, and reports the cancel to the server', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      await harness.during('idle', () => harness.element.close());
      expect(popup?.closed).to.equal(true);
      await until(async () => (await server.hints()).includes('cancelled'));
    });

    it('leads each new window to the payment page: WebKit would separate an empty one from this page', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const urls: unknown[] = [];
      for (let presses = 0; presses < 2; presses++) {
        const opening = nextWindow((url) => urls.push(url));
        const isSeen = windowSaysHello();
        await harness.during('ready', () => harness.press());
        const popup = await opening;
        await isSeen;
        await harness.during('idle', () => popup?.close());
      }
      expect(urls).to.deep.equal([hostedUrl(), hostedUrl()]);
    });

    it('two orders of one page have a window each, and each keeps its own', async () => {
      const first = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const other = { order: 'A1002', orderToken: 'A1002.2000000000.c2lnbmF0dXJl' };
      const second = await PayCheckoutHarness.place(server, { mode: 'popup', ...other });
      let opening = nextWindow();
      await first.during('ready', () => first.press());
      const ofFirst = await opening;
      opening = nextWindow();
      await second.during('ready', () => second.press());
      const ofSecond = await opening;
      await hostedPageOpens();
      await hostedPageOpens(other.orderToken);
      expect(ofFirst).not.to.equal(ofSecond);

      // As after a reload: the order's window is used again.
      const again = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const urls: unknown[] = [];
      opening = nextWindow((url) => urls.push(url));
      await again.during('ready', () => again.press());
      expect(await opening).to.equal(ofFirst);
      // As it is: a card may be being paid in it.
      expect(urls).to.deep.equal(['']);
      expect(await server.seen('GET', RegExp(`/v1/pay/.*${TOKEN}$`))).to.have.length(1);

      // A tag that takes up the other order has closed its own window, and not that of the other order.
      await again.during('idle', () => Object.assign(again.element, other));
      await until(() => again.button !== null);
      opening = nextWindow((url) => urls.push(url));
      await again.during('ready', () => again.press());
      expect(await opening).to.equal(ofSecond);
      expect(urls).to.deep.equal(['', '']);
      expect(ofFirst?.closed).to.equal(true);
      ofSecond?.close();
    });

    it('a window asks for the address, and the page continues when it is entered', async () => {
      const price = { amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      const asks = { status: 200, body: { needs: ['avs'], ...price } };
      await server.set({ open: [asks, asks, { status: 200, body: server.openReply() }] });
      const restore = speedUpWait(globalThis, WINDOW_ASKS_MS);
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      restore();
      expect(harness.announcement).to.equal(
        'Please pay in the other window. If you cannot see it, press the button.',
      );
      await harness.during('paid', () => server.setState('paid'));
      expect(await server.opens()).to.have.length(3);
      popup?.close();
    });

    it('a window that asks for the address is mentioned, and can be brought to the front', async () => {
      const price = { amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      await server.set({ open: [{ status: 200, body: { needs: ['avs'], ...price } }] });
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      await harness.during('opening', () => harness.press());
      const popup = await opening;
      await until(async () => (await server.opens()).length === 1);
      expect(harness.announcement).to.equal(
        'Please pay in the other window. If you cannot see it, press the button.',
      );
      expect(harness.button?.textContent?.trim()).to.equal('Continue to the payment page');
      await harness.during('idle', () => harness.element.close());
      expect(popup?.closed).to.equal(true);
    });

    it('a window that is closed before it has the address: pay is offered again', async () => {
      const price = { amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      await server.set({ open: [{ status: 200, body: { needs: ['avs'], ...price } }] });
      const restore = speedUpWait(globalThis, WINDOW_ASKS_MS);
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      await harness.during('opening', () => harness.press());
      const popup = await opening;
      await harness.during('idle', () => popup?.close());
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      restore();
    });

    it('a window that this page cannot see is opened once: the next press leads to the payment page', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      await server.set({ keepsPage: true });
      const opening = nextWindow();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      // As its opener sees a window from which the page's own policy (COOP) separates it.
      await harness.during('idle', () => popup?.close());
      const { open } = window;
      window.open = () => {
        throw new Error('another window was opened');
      };
      const redirect = harness.nextEvent('pay-redirect');
      harness.press();
      expect((await redirect).url).to.equal(hostedUrl());
      window.open = open;
    });

    it('another order in the tag takes the window of the order before away', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      const loaded = windowSaysHello();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      // Chromium can lose a close that meets the change to the process of the window's first page.
      await loaded;
      harness.element.order = 'A1002';
      await until(() => popup?.closed === true);
    });

    it('a window that the browser blocks is a redirect, which the page may prevent', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const ways = recordModes(harness);
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      blockNextWindow();
      const redirect = harness.nextEvent('pay-redirect');
      harness.press();
      expect((await redirect).url).to.equal(hostedUrl());
      expect(ways).to.deep.equal(['redirect', 'redirect']);
      expect(harness.phase).to.equal('idle');
    });

    it('opens its window inside the press, the only time a browser allows it', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      const real = window.open.bind(window);
      let asked = 0;
      window.open = () => {
        asked += 1;
        return null;
      };
      harness.press();
      window.open = real;
      expect(asked).to.equal(1);
    });

    it('an order whose token comes after the press: pay is offered again, and opens the window', async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup', orderToken: null });
      await harness.during('problem', () => harness.press());
      await harness.during('idle', () => (harness.element.orderToken = TOKEN));
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
      const opening = nextWindow();
      await harness.during('ready', () => harness.press());
      const popup = await opening;
      await hostedPageOpens();
      popup?.close();
    });

    it('an address requirement does not wait for a window that is not there', async () => {
      const price = { amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      await server.set({ open: [{ status: 200, body: { needs: ['avs'], ...price } }] });
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup', orderToken: null });
      await harness.during('problem', () => harness.press());
      await harness.during('idle', () => (harness.element.orderToken = TOKEN));
      expect(harness.button?.textContent?.trim()).to.equal('Pay');
    });

    it('a window whose token has expired continues with the new one, like the page', async () => {
      await server.set({ open: [{ status: 401, body: { code: 'order_token_expired' } }] });
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
      const opening = nextWindow();
      await harness.during('problem', () => harness.press());
      const popup = await opening;
      await hostedPageOpens();
      await server.set({ open: [{ status: 200, body: server.openReply() }] });
      const renewed = 'A1001.2000000001.bmV3';
      await harness.during('ready', () => (harness.element.orderToken = renewed));
      await hostedPageOpens(renewed);
      popup?.close();
    });

    it('never opens automatically', async () => {
      let opened = 0;
      const real = window.open.bind(window);
      window.open = () => {
        opened += 1;
        return null;
      };
      const harness = await PayCheckoutHarness.place(server, { mode: 'popup', autostart: true });
      await new Promise((resolve) => {
        const observer = new IntersectionObserver(([entry]) => {
          if (entry?.isIntersecting) resolve(observer.disconnect());
        });
        observer.observe(harness.element);
      });
      await harness.element.updateComplete;
      window.open = real;
      expect(opened).to.equal(0);
      expect(harness.phase).to.equal('idle');
      expect(harness.button).not.to.equal(null);
    });
  });

  describe('auto', () => {
    it('leaves the page for the hosted one when the SDK would leave it anyway', async () => {
      await describeNavigating();
      const harness = await PayCheckoutHarness.place(server);
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      await until(() => harness.element.renderRoot.querySelector('[part="badge"]') !== null);
      const redirect = harness.nextEvent('pay-redirect');
      harness.press();
      expect((await redirect).url).to.equal(hostedUrl());
      expect(await server.opens()).to.have.length(0);
      expect(await server.seen('GET', /sdk\.js$/)).to.have.length(0);
    });

    it('does the same when only the reply says that the SDK navigates', async () => {
      await describeNavigating();
      await server.set({ config: { status: 500, body: {} } });
      const harness = await PayCheckoutHarness.place(server);
      harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
      const redirect = harness.nextEvent('pay-redirect');
      harness.press();
      expect((await redirect).url).to.equal(hostedUrl());
      expect(await server.opens()).to.have.length(1);
    });

    it('opens a window from inside a frame, where the SDK’s page may not be shown', async () => {
      await describeNavigating();
      const tab = await Tab.open(server);
      const badge = (): unknown => tab.element.renderRoot.querySelector('[part="badge"]');
      await until(() => badge() !== null);
      const { page } = tab;
      const real = page.open.bind(page);
      let popup: Window | null = null;
      page.open = (...wanted) => (popup = real(...wanted));
      tab.element.start();
      await tab.reaches('ready');
      await hostedPageOpens();
      (popup as Window | null)?.close();
      tab.close();
    });

    it('does the same when only the reply says that the SDK navigates', async () => {
      await describeNavigating();
      await server.set({ config: { status: 500, body: {} } });
      const tab = await Tab.open(server);
      const { page } = tab;
      const opened: string[] = [];
      page.open = (wanted) => {
        opened.push(String(wanted));
        const ignore = (): void => undefined;
        return { closed: false, focus: ignore, close: ignore } as Window;
      };
      tab.element.start();
      await tab.reaches('ready');
      expect(opened).to.deep.equal([`${hostedUrl()}?locale=en`]);
      expect(await server.opens()).to.have.length(1);
      expect(await server.seen('GET', /sdk\.js$/)).to.have.length(0);
      tab.close();
    });

    it('uses the hosted page in the frame when the browser opens no window that late', async () => {
      await describeNavigating();
      await server.set({ config: { status: 500, body: {} } });
      const tab = await Tab.open(server);
      tab.page.open = () => null;
      const redirect = new Promise<PayRedirectEvent>((resolve) => {
        tab.element.addEventListener('pay-redirect', (event) => {
          event.preventDefault();
          resolve(event);
        });
      });
      tab.element.start();
      expect((await redirect).url).to.equal(`${hostedUrl()}?locale=en`);
      tab.close();
    });

    it('goes nowhere with an order that turns out to be paid', async () => {
      await describeNavigating();
      const sdk = { ...server.sdkDescription, navigates: true };
      const { sessionId: _none, ...paid } = server.openReply({ state: 'paid', sdk });
      await server.set({ config: { status: 500, body: {} }, open: [{ status: 200, body: paid }] });
      const harness = await PayCheckoutHarness.place(server);
      const left: string[] = [];
      harness.element.addEventListener('pay-redirect', (event) => {
        event.preventDefault();
        left.push(event.url);
      });
      const received = harness.nextEvent('pay-paid');
      harness.press();
      await received;
      expect(left).to.deep.equal([]);
    });
  });

  describe('whatever becomes of the payment', () => {
    const TYPES = {
      paid: 'pay-paid',
      failed: 'pay-failed',
      cancelled: 'pay-cancel',
      left: 'pay-back',
      expired: 'pay-expired',
      unconfirmed: 'pay-unconfirmed',
    } satisfies Record<OutcomePhase, string>;
    for (const mode of ['inline', 'overlay', 'popup'] as const) {
      for (const phase of OUTCOMES) {
        it(`${mode}, ${phase}: sends exactly one event of its type, and no other`, async () => {
          const harness = await PayCheckoutHarness.place(server, { mode });
          const ways = recordModes(harness);
          const opening = mode === 'popup' ? nextWindow() : null;
          await harness.during('ready', () => harness.press());
          await harness.during(phase, () => server.setState(phase));
          (await opening)?.close();
          const sent = harness.events.filter((type) => Object.values<string>(TYPES).includes(type));
          expect(sent).to.deep.equal([TYPES[phase]]);
          expect(await harness.element.whenSettled).to.include({ outcome: phase });
          expect(ways).to.deep.equal([mode, mode, mode]);
        });
      }
    }
  });

  it('a page with its own createSession is never left, whatever its mode', async () => {
    const createSession = (): Promise<ReturnType<TestServer['openReply']>> =>
      Promise.resolve(server.openReply());
    const harness = await PayCheckoutHarness.ready(server, { mode: 'popup', createSession });
    expect(harness.form).not.to.equal(null);
  });
});
