import { expect } from '@open-wc/testing';
import { CodedError } from '../coded-error.js';
import { hasten } from '../testing/until.js';
import { WorldClient } from '../testing/world-client.js';
import {
  fetchConfig,
  fetchStatuses,
  openCheckout,
  sendHint,
  serverSession,
  type CreateSession,
} from './session-api.js';

const request = { merchant: 'corner-shop', order: 'A1001' };
const { signal } = new AbortController();

describe('talking to the session server', () => {
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));

  async function refusalOf(work: Promise<unknown>): Promise<CodedError> {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof CodedError)) throw new Error('expected a coded error');
    return error;
  }

  it('opens a checkout by naming merchant and order, and nothing of a price', async () => {
    const reply = await openCheckout(serverSession(world.server), request, signal);
    expect(reply).to.have.property('checkout', world.checkout);
    const [seen] = await world.opens();
    expect(seen?.body).to.deep.equal(request);
  });

  it('asks again while another request is opening the same checkout', async () => {
    const opening = { status: 202, body: { state: 'opening', retryAfterSeconds: 0 } };
    await world.write({ open: [opening, opening, { status: 200, body: world.openReply() }] });
    const reply = await openCheckout(serverSession(world.server), request, signal);
    expect(reply).to.have.property('state', 'open');
    expect(await world.opens()).to.have.length(3);
  });

  it('gives up on an opening that goes on for more than a minute', async () => {
    const opening = { status: 202, body: { state: 'opening', retryAfterSeconds: 24 } };
    await world.write({ open: [opening] });
    const { now } = Date;
    const relent = hasten(globalThis, 24_000);
    // A clock on which nothing but the waits takes any time.
    let asked = 0;
    Date.now = () => Math.max(0, asked - 1) * 24_000;
    const create: CreateSession = (...args) => {
      asked += 1;
      return serverSession(world.server)(...args);
    };
    const error = await refusalOf(openCheckout(create, request, signal));
    relent();
    Date.now = now;
    expect(error).to.include({ code: 'opening_timeout', status: 0 });
    expect(await world.opens()).to.have.length(3);
  });

  it('asks again after a broken connection', async () => {
    await world.write({ faults: { open: 1 } });
    const reply = await openCheckout(serverSession(world.server), request, signal);
    expect(reply).to.have.property('checkout', world.checkout);
  });

  it('asks again after a server error, and not after a refusal', async () => {
    const busy = { status: 503, body: { code: 'partner_unavailable' } };
    const refused = { status: 404, body: { code: 'order_not_found', requestId: 'r-1' } };
    await world.write({ open: [busy, refused] });
    const error = await refusalOf(openCheckout(serverSession(world.server), request, signal));
    expect(error).to.include({ code: 'order_not_found', requestId: 'r-1', status: 404 });
    expect(await world.opens()).to.have.length(2);
  });

  it('brings what the server asks for, when the shopper’s address is needed', async () => {
    const needs = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    await world.write({ open: [{ status: 200, body: needs }] });
    expect(await openCheckout(serverSession(world.server), request, signal)).to.deep.equal(needs);
  });

  it('names the fields that the server refused', async () => {
    const errors = [{ field: 'avs.postcode', message: 'expected some text' }];
    await world.write({ open: [{ status: 400, body: { code: 'invalid_request', errors } }] });
    const error = await refusalOf(openCheckout(serverSession(world.server), request, signal));
    expect(error.fields).to.deep.equal(['avs.postcode']);
  });

  it('stops asking when nobody wants the answer any more', async () => {
    const opening = { status: 202, body: { state: 'opening', retryAfterSeconds: 30 } };
    await world.write({ open: [opening] });
    const abort = new AbortController();
    const answer = openCheckout(
      async (...args) => {
        const reply = await serverSession(world.server)(...args);
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
    await world.write({ config: { status: 418, body: 'tea' } });
    const error = await refusalOf(fetchConfig(world.server, 'corner-shop', signal));
    expect(error).to.include({ code: 'request_refused', status: 418 });
  });

  it('a server that cannot be reached is told apart from one that refuses', async () => {
    await world.write({ faults: { status: 9 } });
    const error = await refusalOf(fetchStatuses(world.server, [[world.checkout, 0]], 0, signal));
    expect(error).to.include({ code: 'server_unreachable', status: 0 });
  });

  it('a poll is answered when the revision moves', async () => {
    const answer = fetchStatuses(world.server, [[world.checkout, 1]], 25, signal);
    await world.tell('returned');
    const [status] = (await answer).checkouts;
    expect(status).to.include({ state: 'returned', revision: 2 });
  });

  it('a hint that cannot be delivered is nobody’s problem', async () => {
    await sendHint(`${location.origin}/nowhere`, world.checkout, { kind: 'shown' });
    await sendHint(world.server, world.checkout, { kind: 'declined' });
    expect(await world.hints()).to.deep.equal(['declined']);
  });
});
