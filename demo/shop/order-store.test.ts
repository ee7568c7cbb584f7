import type { MerchantOrder } from '@pay-checkout/merchant';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GOOD_ORDER } from '../testing/running-shop.js';
import { hollinAndSlip } from '../brands/hollin-and-slip/brand.js';
import { priceBasket } from './catalogue.js';
import { orderRequestSchema } from './order-request.js';
import { OrderStore } from './order-store.js';

let store: OrderStore;
let order: string;
let number = 0;

beforeEach(() => {
  store = new OrderStore(':memory:', hollinAndSlip.orderPrefix);
  const { items, customer, address } = orderRequestSchema(hollinAndSlip).parse(GOOD_ORDER);
  ({ order } = store.addOrder({
    shopperKeyHash: 'hash',
    basket: priceBasket(hollinAndSlip, items),
    currency: 'GBP',
    customer,
    address,
    createdAt: new Date('2026-03-01T09:00:00Z'),
  }));
});

afterEach(() => {
  store.close();
});

/** What the session server knows: paid with £105.00, unless given otherwise; each time of a new event. */
function record(
  changes: Partial<MerchantOrder> = {},
  { id = '', type = 'checkout.paid' } = {},
): void {
  number += 1;
  const known: MerchantOrder = {
    merchant: 'clay-shop',
    order,
    state: 'paid',
    certain: true,
    amount: '105.00',
    currency: 'GBP',
    refund: 'none',
    amountRefunded: '0.00',
    attention: [],
    createdAt: '2026-03-01T09:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
    checkouts: [],
    ...changes,
  };
  const { checkouts: _, ...rest } = known;
  const data = { ...rest, state: 'paid' as const, checkout: 'chk_1', sequence: number };
  const event = { id: id || `msg_${number}`, type, timestamp: '2026-03-01T10:00:00.000Z', data };
  store.recordEvent(known, event);
}

const effects = () => store.listTimeline(order).map(({ effect }) => effect);

describe('what the session server knows of an order', () => {
  it('marks it paid once, whatever the events are called', () => {
    record({}, { type: 'checkout.attention' });
    record();
    expect(store.findOrder(order)).toMatchObject({
      state: 'paid',
      paidAt: '2026-03-01T10:00:00.000Z',
    });
    expect(effects()).toEqual(['paid', 'recorded']);
  });

  it('changes it once when an event is delivered twice', () => {
    record({}, { id: 'msg_twice' });
    record({ refund: 'full' }, { id: 'msg_twice' });
    expect(effects()).toEqual(['paid']);
    expect(store.findOrder(order)?.refund).toBe('none');
  });

  it.each([
    ['is not certain', { certain: false }, 'recorded'],
    ['is another state', { state: 'unconfirmed' as const, certain: false }, 'recorded'],
    ['is another state for certain', { state: 'failed' as const }, 'recorded'],
    ['is less money', { amount: '104.99' }, 'amount_differs'],
    ['is more money', { amount: '105.01' }, 'amount_differs'],
    ['is money that is not exact', { amount: '105.001' }, 'amount_differs'],
    ['is another currency', { currency: 'EUR' }, 'amount_differs'],
  ])('never pays it when it %s', (_why, changes, effect) => {
    record(changes);
    expect(effects()).toEqual([effect]);
    expect(store.findOrder(order)?.state).toBe('awaiting_payment');
  });

  it('says how much was given back, and what a person must check', () => {
    record();
    record({ refund: 'partial', attention: ['paid_twice'] }, { type: 'checkout.refunded' });
    expect(store.findOrder(order)).toMatchObject({
      state: 'paid',
      refund: 'partial',
      attention: ['paid_twice'],
    });
  });

  it('is dropped when it is older than what is known already', () => {
    record({ refund: 'full', updatedAt: '2026-03-01T10:00:01.000Z' });
    record({ updatedAt: '2026-03-01T10:00:00.999Z' });
    expect(effects()).toEqual(['paid', 'stale']);
    expect(store.findOrder(order)?.refund).toBe('full');
  });

  it('never takes a payment back', () => {
    record();
    record({ state: 'open', certain: false });
    expect(store.findOrder(order)?.state).toBe('paid');
  });
});
