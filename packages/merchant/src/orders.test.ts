/** Orders and events by API, against the real session server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PayCheckout } from './client.js';
import { isPayCheckoutError } from './errors.js';
import type { EventListOptions, FeedEvent } from './events.js';
import type { OrderInput, PayableOrder } from './orders.js';
import { RealStack } from './testing/real-stack.js';

const PRICE = { amount: '9.99', currency: 'GBP' };
let stack: RealStack;
let pay: PayCheckout;
let order = '';
let number = 1000;

beforeAll(async () => {
  stack = await RealStack.start({ merchant: { orderLookup: undefined, events: undefined } });
  pay = stack.client();
});
beforeEach(() => {
  number += 1;
  order = `A${number}`;
});
afterAll(() => stack.close());

async function put(changes: Partial<OrderInput> = {}): Promise<PayableOrder> {
  const answer = await pay.orders.put(order, { ...PRICE, ...changes });
  if (answer.state === 'paid') throw new Error('the order is paid');
  return answer;
}

async function payOrder(): Promise<void> {
  await stack.pay(await stack.openCheckout(order, (await put()).orderToken));
}

async function readFeed(options: EventListOptions = {}): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for await (const event of pay.events.iterate(options)) events.push(event);
  return events;
}

describe('an order', () => {
  it('that is put has a token for the tag, a link, and an end', async () => {
    const answer = await put({
      description: 'Two cups',
      customer: { id: 'c-17', email: 'shopper@example.test', phone: null },
      address: { postcode: 'ZZ1 1ZZ' },
      expiresInSeconds: 600,
    });
    expect(answer).toMatchObject({ merchant: pay.merchant, order, state: 'open' });
    expect(answer.payUrl).toContain(answer.orderToken);
    expect(Date.parse(answer.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
    expect((await stack.openCheckout(order, answer.orderToken)).sessionId).toMatch(/\w/);
    expect(await pay.orders.get(order)).toMatchObject({ ...PRICE, description: 'Two cups' });
  });

  it('that is put again keeps its checkout, and has another one at another price', async () => {
    const first = await stack.openCheckout(order, (await put()).orderToken);
    const second = await stack.openCheckout(order, (await put()).orderToken);
    const dearer = await stack.openCheckout(order, (await put({ amount: '12.00' })).orderToken);
    expect(second.checkout).toBe(first.checkout);
    expect(dearer.checkout).not.toBe(first.checkout);
  });

  it('that is paid says so and has no token', async () => {
    await payOrder();
    expect(await pay.orders.put(order, PRICE)).toEqual({ order, state: 'paid' });
  });

  it('that is void cannot be paid, until it is put again', async () => {
    const { orderToken } = await put();
    await pay.orders.void(order);
    await expect(stack.openCheckout(order, orderToken)).rejects.toThrow('order_void');
    expect((await pay.orders.get(order)).state).toBe('void');
    expect((await put()).state).toBe('open');
  });

  it.each([
    ['amount', { amount: '9.999' }],
    ['amount', { amount: 9.99 as unknown as string }],
    ['currency', { currency: 'EUR' }],
    ['returnUrl', { returnUrl: 'https://elsewhere.example/?checkout={checkout}' }],
    ['expiresInSeconds', { expiresInSeconds: -1 }],
  ])('is refused with the name of what is wrong: %s', async (field, changes) => {
    const error: unknown = await put(changes).catch((reason: unknown) => reason);
    expect(isPayCheckoutError(error, 'invalid_request')).toBe(true);
    expect(error).toMatchObject({ field, httpStatus: 400 });
    expect((error as Error).message.split(`${field}:`)).toHaveLength(2);
  });

  it('without a price is refused by the name of what is missing', async () => {
    const nothing = undefined as unknown as OrderInput;
    const refused = { code: 'invalid_argument', field: 'amount' };
    await expect(pay.orders.put(order, nothing)).rejects.toMatchObject(refused);
  });

  it('is found by its state and the time of its last change, page by page', async () => {
    const before = new Date();
    const names = [order, `${order}-b`, `${order}-c`];
    for (const name of names) await pay.orders.put(name, PRICE);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await pay.orders.list({ state: 'open', updatedAfter: before, cursor, limit: 2 });
      found.push(...page.orders.map(({ order: name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(names);
    const { orders } = await pay.orders.list({ state: 'void', updatedAfter: before });
    expect(orders).toEqual([]);
  });
});

describe('the feed of events', () => {
  it('has every event once, and goes on after a cursor', async () => {
    await payOrder();
    const first = order;
    const { cursor } = await pay.events.list();
    const events = await readFeed({ limit: 1 });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.at(-1)).toMatchObject({ type: 'checkout.paid', cursor, data: { order: first } });
    order = `${order}-next`;
    await payOrder();
    const more = await readFeed({ after: cursor });
    expect(more.map(({ data }) => data.order)).toEqual([order]);
  });

  it('is handled as deliveries are: by the order as it is now, at the expected price', async () => {
    await payOrder();
    const event = (await readFeed()).at(-1)!;
    const paid: string[] = [];
    const onPaid = (known: { readonly order: string }) => paid.push(known.order);
    await pay.events.handle(event, { expectedAmount: () => PRICE, onPaid });
    expect(paid).toEqual([order]);
    const wrong = pay.events.handle(event, {
      expectedAmount: () => ({ ...PRICE, amount: '1' }),
      onPaid,
    });
    await expect(wrong).rejects.toMatchObject({ code: 'amount_differs' });
    expect(paid).toEqual([order]);
  });
});
