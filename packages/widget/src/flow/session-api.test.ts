import { expect } from '@open-wc/testing';
import { CodedError } from '../coded-error.js';
import { speedUpWait, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import {
  fetchConfig,
  fetchStatuses,
  createCheckout,
  sendHint,
  serverSession,
  type CreateSession,
} from './session-api.js';

const request = { merchant: 'corner-shop', order: 'A1001' };
const { signal } = new AbortController();

describe('talking to the session server', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  async function refusalOf(work: Promise<unknown>): Promise<CodedError> {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof CodedError)) throw new Error('expected a coded error');
    return error;
  }

  it('opens a checkout by naming merchant and order, and nothing of a price', async () => {
    const reply = await createCheckout(serverSession(server.url), request, signal);
    expect(reply).to.have.property('checkout', server.checkout);
    const [seen] = await server.opens();
    expect(seen?.body).to.deep.equal(request);
  });

  it('repeats the request while another one is creating the same checkout', async () => {
    const opening = { status: 202, body: { state: 'opening', retryAfterSeconds: 0 } };
    await server.set({ open: [opening, opening, { status: 200, body: server.openReply() }] });
    const reply = await createCheckout(serverSession(server.url), request, signal);
    expect(reply).to.have.property('state', 'open');
    expect(await server.opens()).to.have.length(3);
  });

  it('repeats no hint of a submitted card once something newer is said of it', async () => {
    await server.set({ faults: { hints: 1 } });
    const sessionId = 'session-1';
    const submitted = sendHint(server.url, server.checkout, { kind: 'submitted', sessionId });
    await until(async () => (await server.hints()).length === 1);
    await sendHint(server.url, server.checkout, { kind: 'declined', sessionId });
    await submitted;
    expect(await server.hints()).to.deep.equal(['submitted', 'declined']);
  });

  it('gives up when creating a checkout takes more than a minute', async () => {
    const opening = { status: 202, body: { state: 'opening', retryAfterSeconds: 24 } };
    await server.set({ open: [opening] });
    const { now } = Date;
    const restore = speedUpWait(globalThis, 24_000);
    // A clock on which nothing but the waits takes any time.
    let callCount = 0;
    Date.now = () => Math.max(0, callCount - 1) * 24_000;
    const create: CreateSession = (...args) => {
      callCount += 1;
      return serverSession(server.url)(...args);
    };
    const error = await refusalOf(createCheckout(create, request, signal));
    restore();
    Date.now = now;
    expect(error).to.include({ code: 'opening_timeout', status: 0 });
    expect(await server.opens()).to.have.length(3);
  });

  it('repeats the request after a broken connection', async () => {
    await server.set({ faults: { open: 1 } });
    const reply = await createCheckout(serverSession(server.url), request, signal);
    expect(reply).to.have.property('checkout', server.checkout);
  });

  it('repeats the request after a server error, but not after a refusal', async () => {
    const busy = { status: 503, body: { code: 'partner_unavailable' } };
    const refused = { status: 404, body: { code: 'order_not_found', requestId: 'r-1' } };
    await server.set({ open: [busy, refused] });
    const error = await refusalOf(createCheckout(serverSession(server.url), request, signal));
    expect(error).to.include({ code: 'order_not_found', requestId: 'r-1', status: 404 });
    expect(await server.opens()).to.have.length(2);
  });

  it('returns the required fields when the server needs the shopper’s address', async () => {
    const needs = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    await server.set({ open: [{ status: 200, body: needs }] });
    expect(await createCheckout(serverSession(server.url), request, signal)).to.deep.equal(needs);
  });

  it('names the fields that the server refused', async () => {
    const errors = [{ field: 'avs.postcode', message: 'expected some text' }];
    await server.set({ open: [{ status: 400, body: { code: 'invalid_request', errors } }] });
    const error = await refusalOf(createCheckout(serverSession(server.url), request, signal));
    expect(error.fields).to.deep.equal(['avs.postcode']);
  });

  it('stops when its signal aborts', async () => {
    const opening = { status: 202, body: { state: 'opening', retryAfterSeconds: 30 } };
    await server.set({ open: [opening] });
    const abort = new AbortController();
    const answer = createCheckout(
      async (...args) => {
        const reply = await serverSession(server.url)(...args);
        queueMicrotask(() => abort.abort());
        return reply;
      },
      request,
      abort.signal,
    );
    const reason: unknown = await answer.catch((error: unknown) => error);
    expect(reason).to.have.property('name', 'AbortError');
  });

  it('a refusal without problem JSON still has a code', async () => {
    await server.set({ config: { status: 418, body: 'tea' } });
    const error = await refusalOf(fetchConfig(server.url, 'corner-shop'));
    expect(error).to.include({ code: 'request_refused', status: 418 });
  });

  it('a configuration that failed is asked for again, and one that came is not', async () => {
    await server.set({ config: { status: 503, body: {} } });
    await refusalOf(fetchConfig(server.url, 'corner-shop'));
    await server.set({ config: { status: 200, body: { merchant: 'corner-shop' } } });
    for (const _ of [1, 2]) await fetchConfig(server.url, 'corner-shop');
    expect(await server.seen('GET', /checkout-config$/)).to.have.length(2);
  });

  it('a server that cannot be reached is distinguished from one that refuses', async () => {
    await server.set({ faults: { status: 9 } });
    const error = await refusalOf(fetchStatuses(server.url, [[server.checkout, 0]], 0, signal));
    expect(error).to.include({ code: 'server_unreachable', status: 0 });
  });

  it('a poll is answered when the revision moves', async () => {
    const answer = fetchStatuses(server.url, [[server.checkout, 1]], 25, signal);
    await server.setState('returned');
    const [status] = (await answer).checkouts;
    expect(status).to.include({ state: 'returned', revision: 2 });
  });

  it('a hint that cannot be delivered is ignored', async () => {
    await sendHint(`${location.origin}/nowhere`, server.checkout, { kind: 'shown' });
    await sendHint(server.url, server.checkout, { kind: 'declined' });
    expect(await server.hints()).to.deep.equal(['declined']);
  });
});
