import { expect } from '@open-wc/testing';
import type { CreateCheckoutReply } from '@pay-checkout/session-server/contract';
import type { Script } from '../../test-server/script.js';
import { en } from '../labels/en.js';
import { collectReportedErrors } from '../testing/reported-errors.js';
import { Tab } from '../testing/tab.js';
import { speedUpWait, speedUp, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const REQUEST_TIMEOUT_MS = 25_000;
const PAGE_CODE_TIMEOUT_MS = 28_000;

describe('errors of <pay-checkout>', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('a script that fails is a problem, and a retry works', async () => {
    await server.set({ faults: { sdk: 12 }, config: { status: 404, body: {} } });
    const harness = await PayCheckoutHarness.place(server);
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    expect(await error).to.include({ code: 'sdk_load_failed', retryable: true });
    await harness.during('problem', () => harness.press());
    await harness.during('ready', () => harness.press());
    expect(await server.opens()).to.have.length(1);
  });

  for (const [what, sdk, code] of [
    ['is not found', 'missing', 'sdk_not_found'],
    ['leaves no global behind', 'empty', 'sdk_global_missing'],
    ['never answers', 'silent', 'sdk_timeout'],
  ] as const) {
    it(`a script that ${what} ends in a message and a code, and a later retry works`, async () => {
      await server.set({ sdk });
      const restore = speedUpWait(globalThis, sdk === 'silent' ? 20_000 : 0);
      const harness = await PayCheckoutHarness.place(server);
      const error = harness.nextEvent('pay-error');
      await harness.during('problem', () => harness.press());
      restore();
      expect(await error).to.include({ code, retryable: true });
      expect(harness.notice).to.equal(`${en.sdkError} ${en.unknown} ${code}`);
      expect(harness.reference).to.contain('A1001');
      expect(harness.button?.textContent?.trim()).to.equal('Try again');
      await server.set({ sdk: 'fine' });
      await harness.during('ready', () => harness.press());
      expect(harness.form?.childElementCount).to.equal(1);
      expect(await server.opens()).to.have.length(1);
    });
  }

  it('a script that the page’s policy forbids ends in a message and a code, and works once it is allowed', async () => {
    await server.set({ forbidsSdk: true });
    const blocked = await Tab.open(server, undefined, `${server.here}/page`);
    blocked.element.start();
    await blocked.reaches('problem');
    const notice = blocked.element.renderRoot.querySelector('[part="notice"]');
    expect(notice?.textContent).to.contain('sdk_blocked_csp');
    const reference = blocked.element.renderRoot.querySelector('[part="reference"]');
    const words = reference?.textContent?.replace(/\s+/g, ' ').trim();
    expect(words).to.equal(`Reference: A1001 · ${server.checkout.slice(0, 8)}`);
    expect(blocked.element.renderRoot.querySelector('button')?.textContent).to.contain('Try again');
    blocked.close();
    await server.set({ forbidsSdk: false });
    const allowed = await Tab.open(server, undefined, `${server.here}/page`);
    allowed.element.start();
    await allowed.reaches('ready');
    allowed.close();
  });

  it('a server that cannot be reached is a problem with a reference, and a later retry works', async () => {
    await server.set({ faults: { open: 4 } });
    const harness = await PayCheckoutHarness.place(server);
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('server_unreachable');
    expect(harness.reference).to.equal('Reference: A1001');
    await harness.during('ready', () => harness.press());
  });

  it('a refusal gives the page’s code the server’s reason, and the shopper a sentence of ours', async () => {
    const body = { code: 'order_void', requestId: 'r-1', detail: 'The shop says that it is void.' };
    await server.set({ open: [{ status: 409, body }] });
    const harness = await PayCheckoutHarness.place(server);
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    expect(await error).to.include({ ...body, retryable: false });
    expect(harness.notice).not.to.contain(body.detail);
  });

  it('a server that never answers ends in a message and a code, and a later retry works', async () => {
    const harness = await PayCheckoutHarness.place(server);
    await server.set({ holdOpen: true });
    const relents = [speedUp(globalThis), speedUpWait(globalThis, REQUEST_TIMEOUT_MS)];
    // The clock goes as fast as the waits for an answer are hastened.
    const { now } = Date;
    const startedAt = now();
    Date.now = () => startedAt + (now() - startedAt) * (REQUEST_TIMEOUT_MS / 50);
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    Date.now = now;
    for (const restore of relents.toReversed()) restore();
    expect(await error).to.include({ code: 'server_unreachable', retryable: true });
    expect(harness.notice).to.equal(
      `${en.codes.server_unreachable} ${en.unknown} server_unreachable`,
    );
    expect(harness.button?.textContent?.trim()).to.equal('Try again');
    await server.set({ holdOpen: false });
    await harness.during('ready', () => harness.press());
  });

  it('a createSession of the page that never settles ends in a message and a code, and is called once', async () => {
    const restore = speedUpWait(globalThis, PAGE_CODE_TIMEOUT_MS);
    let calls = 0;
    const createSession = (): Promise<never> => {
      calls += 1;
      return new Promise(() => undefined);
    };
    const harness = await PayCheckoutHarness.place(server, { createSession });
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    restore();
    expect(await error).to.include({ code: 'session_failed', retryable: true });
    expect(harness.notice).to.equal(`${en.error} ${en.unknown} session_failed`);
    expect(harness.reference).to.equal('Reference: A1001');
    expect(calls).to.equal(1);
    harness.element.createSession = () => Promise.resolve(server.openReply());
    await harness.during('ready', () => harness.press());
  });

  it('an adapter of the page that never loads ends in a message and a code', async () => {
    const restore = speedUpWait(globalThis, PAGE_CODE_TIMEOUT_MS);
    const load = (): Promise<never> => new Promise(() => undefined);
    const open = (): Promise<void> => Promise.resolve();
    const createSession = (): Promise<CreateCheckoutReply> => Promise.resolve(server.openReply());
    const adapter = { load, open };
    const harness = await PayCheckoutHarness.place(server, { adapter, createSession });
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    restore();
    expect(await error).to.include({ code: 'sdk_timeout', retryable: true });
    expect(harness.notice).to.equal(`${en.sdkError} ${en.unknown} sdk_timeout`);
    expect(harness.reference).to.contain(server.checkout.slice(0, 8));
    expect(harness.button?.textContent?.trim()).to.equal('Try again');
  });

  it('a form that stays blank in a page that is cross-origin isolated has a name, and is not ready', async () => {
    const restore = speedUpWait(globalThis, 2000);
    const real = Object.getOwnPropertyDescriptor(globalThis, 'crossOriginIsolated');
    Object.defineProperty(globalThis, 'crossOriginIsolated', { value: true, configurable: true });
    const adapter: SdkAdapter = {
      drawsInside: true,
      reportsShown: true,
      load: () => Promise.resolve(),
      open: ({ container }) => {
        container.append(document.createElement('iframe'));
        return Promise.resolve();
      },
    };
    const harness = await PayCheckoutHarness.place(server, { adapter });
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    restore();
    Object.defineProperty(globalThis, 'crossOriginIsolated', real as PropertyDescriptor);
    expect(await error).to.include({ code: 'sdk_page_isolated' });
    expect(harness.count('pay-ready')).to.equal(0);
  });

  it('a server that is gone while a window is open is shown on the page, with a reference', async () => {
    await server.set({ faults: { open: 4 } });
    const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('server_unreachable');
    expect(harness.reference).to.equal('Reference: A1001');
    expect(harness.button?.textContent?.trim()).to.equal('Try again');
    await harness.during('ready', () => harness.press());
    harness.element.close();
  });

  for (const [what, fault] of [
    ['is gone', { faults: { status: 99 } }],
    ['does not know the checkout any more', { status: null }],
    ['refuses', { statusReply: { status: 400, body: { code: 'invalid_request' } } }],
  ] satisfies [string, Script][]) {
    it(`checking again while the server ${what} returns to unconfirmed, and can be repeated`, async () => {
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('unconfirmed', () => server.setState('unconfirmed', 2));
      await server.set(fault);
      harness.press();
      await harness.element.updateComplete;
      expect(harness.announcement).to.equal(en.checking);
      await until(() => harness.announcement === en.phases.unconfirmed);
      expect(harness.phase).to.equal('unconfirmed');
      expect(harness.button?.getAttribute('aria-disabled')).to.equal('false');
      expect(harness.count('pay-error')).to.equal(0);
      await server.set({ faults: {}, statusReply: null });
      await server.setState('paid', 3);
      harness.press();
      await harness.reaches('paid');
    });
  }

  it('a page whose origin the server refuses sees server_unreachable: its browser hides the answer', async () => {
    const otherOrigin = `http://127.0.0.1:${location.port}`;
    const restore = speedUp(globalThis);
    const harness = await PayCheckoutHarness.place(server, { server: otherOrigin });
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    restore();
    expect(await error).to.include({ code: 'server_unreachable', retryable: true });
    expect(harness.notice).to.equal(
      `${en.codes.server_unreachable} ${en.unknown} server_unreachable`,
    );
    expect(harness.reference).to.equal('Reference: A1001');
  });

  it('a session that the SDK refuses when its form is there already is renewed by naming it', async () => {
    await server.set({ open: [{ status: 200, body: server.openReply({ requestId: 'r-1' }) }] });
    const harness = await PayCheckoutHarness.ready(server);
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => server.sdk.calls[0]?.onRefuse?.());
    expect(await error).to.include({ code: 'session_refused', retryable: true, requestId: 'r-1' });
    expect(harness.notice).to.equal(`${en.sdkError} ${en.unknown} session_refused · r-1`);
    expect(harness.button?.textContent?.trim()).to.equal('Try again');
    expect(harness.element.childElementCount).to.equal(0);
    await until(async () => (await server.hints()).includes('refused'));
    await harness.during('ready', () => harness.press());
    const [, second] = await server.opens();
    expect(second?.body).to.include({ renew: `session-${server.id}` });
  });

  it('a form that fails is tried again in the same session first, then the session is renewed', async () => {
    const { errors, restore } = collectReportedErrors();
    const harness = await PayCheckoutHarness.place(server);
    await until(() => server.sdk !== undefined);
    server.sdk.fails = 2;
    const error = harness.nextEvent('pay-error');
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('sdk_configure_failed');
    expect((await error).cause).to.equal(errors[0]);
    expect(errors[0]).to.have.property('message', 'refused 2');
    await harness.during('problem', () => harness.press());
    expect(await server.opens()).to.have.length(1);
    await harness.during('ready', () => harness.press());
    const [, second] = await server.opens();
    expect(second?.body).to.include({ renew: `session-${server.id}` });
    expect(await server.hints()).to.include('refused');
    expect(errors).to.have.length(2);
    restore();
  });

  it('shows the code and the request id of a refusal, and offers no useless button', async () => {
    const body = { code: 'order_void', requestId: 'req-77' };
    await server.set({ open: [{ status: 409, body }] });
    const harness = await PayCheckoutHarness.place(server);
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.equal(`${en.codes.order_void} ${en.unknown} order_void · req-77`);
    expect(harness.button).to.equal(null);
  });

  it('an expired token: the payment continues when the page sets a new one', async () => {
    const body = { code: 'order_token_expired' };
    await server.set({ open: [{ status: 401, body }] });
    const harness = await PayCheckoutHarness.place(server);
    await harness.during('problem', () => harness.press());
    await server.set({ open: [{ status: 200, body: server.openReply() }] });
    await harness.during('ready', () => (harness.element.orderToken = 'A1001.2000000001.bmV3'));
  });

  it('the same when the new token comes while the old one is being checked', async () => {
    const expired = { status: 401, body: { code: 'order_token_expired' } };
    await server.set({
      holdOpen: true,
      open: [expired, { status: 200, body: server.openReply() }],
    });
    const harness = await PayCheckoutHarness.place(server);
    harness.press();
    await until(async () => (await server.opens()).length === 1);
    harness.element.orderToken = 'A1001.2000000001.bmV3';
    await harness.element.updateComplete;
    await server.set({ holdOpen: false });
    await harness.reaches('ready');
  });

  it('an order whose token comes later continues when the token is set', async () => {
    await server.set({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
    const changes = { orderToken: null, autostart: true };
    const harness = await PayCheckoutHarness.place(server, changes);
    await harness.reaches('problem');
    await server.set({ open: [{ status: 200, body: server.openReply() }] });
    await harness.during('ready', () => (harness.element.orderToken = 'A1001.2000000001.bmV3'));
  });

  it('nothing of an order or an SDK becomes markup', async () => {
    const order = '<img src=x onerror=alert(1)>';
    const harness = await PayCheckoutHarness.place(server, { order });
    await harness.during('ready', () => harness.element.start());
    await harness.during('confirming', () =>
      server.set({ status: { ...server.status({ order, state: 'returned', revision: 2 }) } }),
    );
    expect(harness.element.renderRoot.querySelector('img')).to.equal(null);
    expect(harness.reference).to.contain('<img');
  });
});
