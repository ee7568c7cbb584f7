import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply, MerchantOrder } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

const DAY = 86_400;
const MINUTE = 60;

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(() => stack.close());

async function orderOf(order: string): Promise<MerchantOrder> {
  const { body } = await stack.fetch<MerchantOrder>(`/v1/merchant/orders/${order}`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
  });
  return body;
}

async function opened(order: string, amount = '9.99') {
  const { body } = await stack.open(order, { amount });
  return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
}

const listCalls = (): number =>
  stack.sandbox.control.requests().filter(({ operation }) => operation === 'transactions-list')
    .length;

describe('a payment that comes late', () => {
  it('by a day, with no one waiting and no webhook, is found by the schedule', async () => {
    const { sessionId } = await opened('L1');
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    const paidAt = stack.clock.now();
    stack.advance(10 * MINUTE);
    // No one waits for it: a page that asked would cause polls.
    await stack.shop.event('checkout.unconfirmed');
    const { order_id: orderId, MerchantReference: reference } = stack.session(sessionId);
    // A read that runs ends before the payment is listed.
    await stack.server.close();
    stack.sandbox.control.addTransaction({
      row: {
        id: 'txn-late',
        orderRef: reference,
        resellerOrderId: String(orderId),
        merchantId: 1001,
        currencyCode: 'GBP',
        amount: '9.99',
        status: 'SUCCESS',
        transactionTime: new Date(paidAt).toISOString(),
      },
    });
    stack.advance(DAY);
    await stack.startServer();
    const paid = await stack.shop.event('checkout.paid');
    expect(paid.data).toMatchObject({ order: 'L1', certain: true, transaction: 'txn-late' });
  });

  it('after the checkout expired by our clock counts, and is flagged', async () => {
    const { checkout, sessionId } = await opened('L2');
    stack.advance(2 * 3600);
    const expired = await stack.shop.event('checkout.expired');
    expect(expired.data).toMatchObject({ certain: false });
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    expect((await orderOf('L2')).checkouts[0]?.attention).toEqual(['late_payment']);
  });

  it.each(['CancelUrl', 'backurl'] as const)(
    'after the shopper went by the %s counts, and is flagged',
    async (address) => {
      const { checkout, sessionId } = await opened('L4');
      await stack.fetch(stack.returnPath(sessionId, address));
      await stack.until(checkout, address === 'CancelUrl' ? 'cancelled' : 'left');
      await stack.payAtProvider(sessionId);
      await stack.post(stack.webhookPath(sessionId), {});
      await stack.until(checkout, 'paid');
      const attention = await stack.shop.event('checkout.attention');
      expect(attention.data).toMatchObject({ order: 'L4', attention: ['late_payment'] });
    },
  );

  it('while the provider is down for ten minutes is never called failed', async () => {
    const { checkout, sessionId } = await opened('L3');
    await stack.payAtProvider(sessionId);
    stack.sandbox.control.addFault({
      operation: 'transactions-list',
      fault: 'error',
      status: 503,
      retryAfterSeconds: 1,
      times: 10_000,
    });
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    stack.advance(10 * MINUTE);
    await stack.until(checkout, 'unconfirmed');
    const { body } = await stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:0`);
    expect(body.checkouts[0]).toMatchObject({ state: 'unconfirmed', certain: false });
    stack.sandbox.control.releaseFaults();
    stack.advance(MINUTE);
    await stack.until(checkout, 'paid');
    const paid = await stack.shop.event('checkout.paid');
    expect(paid.data).toMatchObject({ certain: true, attention: [] });
    const types = stack.shop.events.map(({ type }) => type);
    expect(types).not.toContain('checkout.failed');
  });
});

describe('paying twice', () => {
  it('in two tabs of one session is one payment', async () => {
    const { checkout, sessionId } = await opened('T1');
    const second = await stack.reopen('T1');
    expect(second.body.sessionId).toBe(sessionId);
    await stack.payAtProvider(sessionId);
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    expect((await orderOf('T1')).checkouts[0]).toMatchObject({ attention: [] });
  });

  it('in a renewed session and in the one before it is reported, and never hidden', async () => {
    const { checkout, sessionId: older } = await opened('T2');
    const { body: renewed } = await stack.reopen('T2', { renew: older });
    await stack.payAtProvider(renewed.sessionId ?? '');
    await stack.post(stack.webhookPath(renewed.sessionId ?? ''), {});
    await stack.until(checkout, 'paid');
    await stack.payAtProvider(older);
    stack.advance(DAY);
    const attention = await stack.shop.event('checkout.attention');
    expect(attention.data).toMatchObject({ order: 'T2', attention: ['paid_twice'] });
    expect((await orderOf('T2')).state).toBe('paid');
  });

  it('at the older of two prices is reported, and no other session opens', async () => {
    const older = await opened('T4', '9.99');
    const newer = await opened('T4', '12.00');
    await stack.payAtProvider(older.sessionId);
    await stack.post(stack.webhookPath(older.sessionId), {});
    await stack.until(older.checkout, 'paid');
    const attention = await stack.shop.event('checkout.attention');
    expect(attention.data).toMatchObject({
      order: 'T4',
      checkout: older.checkout,
      amount: '9.99',
      attention: ['price_changed'],
    });
    const again = await stack.reopen('T4', { renew: newer.sessionId });
    expect(again.body).toMatchObject({ checkout: older.checkout, state: 'paid' });
    expect(again.body.sessionId).toBeUndefined();
  });

  it('at two prices is reported: the newer one as paid twice', async () => {
    const { sessionId: cheaper } = await opened('T3', '9.99');
    const { sessionId: dearer, checkout } = await opened('T3', '12.00');
    await stack.payAtProvider(cheaper);
    await stack.payAtProvider(dearer);
    await stack.post(stack.webhookPath(dearer), {});
    await stack.until(checkout, 'paid');
    const known = await orderOf('T3');
    const codes = known.checkouts.flatMap(({ attention }) => attention);
    expect(known.checkouts.map(({ state }) => state)).toEqual(['paid', 'paid']);
    expect(codes).toContain('paid_twice');
  });
});

describe('a thousand shoppers who wait for one merchant', () => {
  it('cause as many polls as the interval allows, however many they are', async () => {
    await stack.close();
    const intervalSeconds = 0.5;
    stack = await TestStack.start({ tuning: { pollIntervalSeconds: intervalSeconds } });
    const checkouts = await Promise.all(
      Array.from({ length: 250 }, (_, index) => opened(`W${String(index)}`)),
    );
    await Promise.all(
      checkouts.map(({ sessionId }) => stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'))),
    );
    const before = listCalls();
    const startedAt = Date.now();
    const wait = () =>
      Promise.all(
        checkouts.flatMap(({ checkout }) =>
          Array.from({ length: 4 }, () =>
            stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:2&wait=3`),
          ),
        ),
      );
    // A busy machine may have time for few polls while they wait once.
    do {
      expect((await wait()).every(({ status }) => status === 200)).toBe(true);
    } while (listCalls() - before <= 2);
    const seconds = (Date.now() - startedAt) / 1000;
    // A poll is one page here: no row exists. One more poll may have started before the first wait.
    expect(listCalls() - before).toBeLessThanOrEqual(Math.ceil(seconds / intervalSeconds) + 1);
  });
});
