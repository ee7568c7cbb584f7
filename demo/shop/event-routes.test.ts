import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeEvent,
  startShop,
  type RunningShop,
  type SignedOptions,
} from '../testing/running-shop.js';

let shop: RunningShop;
let order: string;
let cookie: string;

beforeEach(async () => {
  shop = await startShop();
  const { placed, ...browser } = await shop.placeOrder();
  order = placed.order;
  cookie = browser.cookie;
});

afterEach(async () => {
  await shop.close();
});

async function deliver(data: Record<string, unknown>, options: SignedOptions = {}) {
  return shop.postSigned('/api/events', makeEvent(order, data), options);
}

async function readState() {
  return shop.readOrder(order, cookie);
}

describe('an event of the session server', () => {
  it('marks the order paid when it is signed, certain and fits', async () => {
    expect(await deliver({})).toMatchObject({ status: 200, body: { effect: 'paid' } });
    expect(await readState()).toMatchObject({
      state: 'paid',
      paidAt: '2026-03-01T10:00:00.000Z',
      timeline: [{ type: 'checkout.paid', effect: 'paid' }],
    });
  });

  it('changes the order once when it is delivered twice', async () => {
    await deliver({}, { id: 'msg_7' });
    expect(await deliver({}, { id: 'msg_7' })).toMatchObject({
      status: 200,
      body: { effect: 'duplicate' },
    });
    expect((await readState()).timeline).toHaveLength(1);
  });

  it('changes the order once when ten deliveries arrive together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliver({}, { id: 'msg_7' })),
    );
    const effects = answers.map(({ body }) => body['effect']);
    expect(effects.filter((effect) => effect === 'paid')).toHaveLength(1);
    expect((await readState()).timeline).toHaveLength(1);
  });

  it.each([
    [
      'is signed with another secret',
      { secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` },
    ],
    ['was changed on the way', { tamper: (text: string) => text.replace('105.00', '105.0') }],
  ])('is refused when it %s', async (_why, options) => {
    expect((await deliver({}, options)).status).toBe(401);
    expect(await readState()).toMatchObject({ state: 'awaiting_payment', timeline: [] });
  });

  it('is refused when it has no signature at all', async () => {
    expect((await shop.post('/api/events', makeEvent(order))).status).toBe(401);
    expect((await readState()).state).toBe('awaiting_payment');
  });

  it.each([
    ['is not certain', { certain: false }, 'not_certain'],
    ['says another state', { state: 'unconfirmed' }, 'recorded'],
    ['says another state for certain', { state: 'failed' }, 'recorded'],
    ['says less money', { amount: '104.99' }, 'amount_differs'],
    ['says more money', { amount: '105.01' }, 'amount_differs'],
    ['says money that is not exact', { amount: '105.001' }, 'amount_differs'],
    ['says another currency', { currency: 'EUR' }, 'amount_differs'],
  ])('never pays an order when it %s', async (_why, data, effect) => {
    expect(await deliver(data)).toMatchObject({ status: 200, body: { effect } });
    expect((await readState()).state).toBe('awaiting_payment');
  });

  it.each(['checkout.attention', 'checkout.refunded', 'checkout.new'])(
    'pays the order when its state is paid, although its type is %s',
    async (type) => {
      await deliver({ type });
      expect(await readState()).toMatchObject({
        state: 'paid',
        timeline: [{ type, effect: 'paid' }],
      });
    },
  );

  it.each(['checkout.paid', 'checkout.unconfirmed', 'checkout.attention', 'checkout.new'])(
    'never pays an order when its state is another, although its type is %s',
    async (type) => {
      await deliver({ type, state: 'returned' });
      expect(await readState()).toMatchObject({
        state: 'awaiting_payment',
        timeline: [{ type, effect: 'recorded' }],
      });
    },
  );

  it('is dropped when newer news of the same checkout is here', async () => {
    await deliver({ sequence: 3, refund: 'full', type: 'checkout.refunded' }, { id: 'msg_2' });
    const old = { sequence: 2, type: 'checkout.unconfirmed', certain: false };
    expect((await deliver(old, { id: 'msg_1' })).body).toEqual({ effect: 'stale' });
    expect(await readState()).toMatchObject({ refund: 'full' });
  });

  it('that comes after its refund is dropped: the refund said that the order was paid', async () => {
    const refunded = { sequence: 4, refund: 'full', type: 'checkout.refunded' };
    expect((await deliver(refunded, { id: 'msg_2' })).body).toEqual({ effect: 'paid' });
    expect((await deliver({ sequence: 3 }, { id: 'msg_1' })).body).toEqual({ effect: 'stale' });
    expect(await readState()).toMatchObject({ state: 'paid', refund: 'full' });
  });

  it('is dropped when its sequence is not higher, also under another id', async () => {
    await deliver({ sequence: 3, refund: 'partial' }, { id: 'msg_1' });
    const again = { sequence: 3, refund: 'none', attention: ['paid_twice'] };
    expect((await deliver(again, { id: 'msg_2' })).body).toEqual({ effect: 'stale' });
    expect(await readState()).toMatchObject({ refund: 'partial', attention: [] });
  });

  it('keeps the sequence of what did not fit the order, too', async () => {
    await deliver({ sequence: 3, amount: '104.99' }, { id: 'msg_1' });
    expect((await deliver({ sequence: 2 }, { id: 'msg_2' })).body).toEqual({ effect: 'stale' });
    expect((await readState()).state).toBe('awaiting_payment');
  });

  it('of one checkout takes nothing from what another one said', async () => {
    const attention = ['late_payment'];
    await deliver({ sequence: 3, refund: 'partial', attention }, { id: 'msg_1' });
    const other = { checkout: 'another-checkout', sequence: 1, refund: 'none', attention: [] };
    const expired = { ...other, type: 'checkout.expired', state: 'expired', certain: false };
    await deliver(expired, { id: 'msg_2' });
    expect(await readState()).toMatchObject({ state: 'paid', refund: 'partial', attention });
  });

  it('never takes a payment back', async () => {
    await deliver({ sequence: 3 }, { id: 'msg_1' });
    const later = { sequence: 4, type: 'checkout.failed', state: 'failed' };
    await deliver(later, { id: 'msg_2' });
    expect((await readState()).state).toBe('paid');
  });

  it('is answered 404 for an order that we do not have, so that it comes again', async () => {
    expect((await shop.postSigned('/api/events', makeEvent('A9999'))).status).toBe(404);
  });

  it('is refused by name when it is for another merchant or has no shape', async () => {
    expect((await deliver({ merchant: 'another-shop' })).body).toMatchObject({
      code: 'wrong_merchant',
    });
    const { status, body } = await deliver({ amount: 105, sequence: '3' });
    expect(status).toBe(400);
    const fields = (body['errors'] as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual(['data.sequence', 'data.amount']);
  });
});

describe('an address typed by hand', () => {
  it('marks nothing', async () => {
    await shop.get(`/result?order=${order}&kind=return&state=paid`, cookie);
    await shop.get(`/api/orders/${order}?state=paid&paid=1`, cookie);
    expect((await readState()).state).toBe('awaiting_payment');
  });
});
