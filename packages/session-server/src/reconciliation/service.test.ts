import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply, MerchantOrder } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ tuning: { settleWindowSeconds: 0.5 } });
});
afterAll(() => stack.close());

/** What the merchant's back end reads about an order. */
async function orderOf(order: string): Promise<MerchantOrder> {
  const { body } = await stack.fetch<MerchantOrder>(`/v1/merchant/orders/${order}`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
  });
  return body;
}

async function openedSession(order: string, amount = '9.99') {
  const { body } = await stack.open(order, { amount });
  const sessionId = body.sessionId ?? '';
  return { checkout: body.checkout, sessionId, session: stack.session(sessionId) };
}

/** A row of the provider's list that pays a session, but for what a test changes. */
function rowFor(session: { order_id: number; MerchantReference: string | undefined }) {
  return {
    orderRef: session.MerchantReference,
    resellerOrderId: String(session.order_id),
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: '9.99',
    status: 'SUCCESS',
    transactionTime: new Date().toISOString(),
  };
}

/** Lets the server poll once, and waits until it has. */
async function pollOnce(checkout: string): Promise<void> {
  const lists = () =>
    stack.sandbox.control.requests().filter(({ operation }) => operation === 'transactions-list')
      .length;
  const hint = () => stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'shown' });
  const before = lists();
  await hint();
  await expect.poll(lists).toBeGreaterThan(before);
  // One more has started: the one after the hint has ended.
  await hint();
  await expect.poll(lists).toBeGreaterThan(before + 1);
}

async function stateOf(checkout: string): Promise<string | undefined> {
  const { body } = await stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:0`);
  return body.checkouts[0]?.state;
}

describe('evidence of a payment', () => {
  it('makes the order paid, and sends the shop one event', async () => {
    const { checkout, sessionId, session } = await openedSession('P1');
    await stack.payAtProvider(sessionId);
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.until(checkout, 'paid');
    const event = await stack.shop.event('checkout.paid');
    expect(event.data).toMatchObject({
      merchant: 'teashop',
      order: 'P1',
      checkout,
      state: 'paid',
      certain: true,
      amount: '9.99',
      currency: 'GBP',
      refund: 'none',
      attention: [],
    });
    const known = await orderOf('P1');
    expect(known).toMatchObject({ state: 'paid', certain: true });
    expect(known.checkouts[0]?.transactions).toHaveLength(1);
    expect(known.checkouts[0]?.attempts[0]).toMatchObject({
      orderId: session.order_id,
      merchantReference: session.MerchantReference,
    });
    // A paid checkout is not polled for any more: another order of the merchant causes the poll.
    await pollOnce((await openedSession('P1-other')).checkout);
    const paid = stack.shop.events.filter(({ type }) => type === 'checkout.paid');
    expect(paid).toHaveLength(1);
  });

  it('is found without a return, by a webhook alone', async () => {
    const { checkout, sessionId } = await openedSession('P2');
    await stack.payAtProvider(sessionId);
    const answer = await stack.post(stack.webhookPath(sessionId), { anything: true });
    expect(answer.status).toBe(204);
    await stack.until(checkout, 'paid');
  });

  it('after a cancel still counts', async () => {
    const { checkout, sessionId } = await openedSession('P3');
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'));
    expect(await stateOf(checkout)).toBe('cancelled');
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
  });

  it('of an older price pays that version, raises attention, and opens nothing more', async () => {
    const { sessionId, checkout } = await openedSession('P4', '9.99');
    await stack.open('P4', { amount: '12.00' });
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    expect((await orderOf('P4')).checkouts[0]?.attention).toContain('price_changed');
    const before = stack.createSessionCalls();
    const again = await stack.reopen('P4');
    expect(again.body).toMatchObject({ state: 'paid', checkout });
    expect(again.body.sessionId).toBeUndefined();
    expect(stack.createSessionCalls()).toBe(before);
    expect((await orderOf('P4')).checkouts[0]?.attention).toContain('price_changed_after_paid');
  });

  it('that comes twice, as two transactions, is one payment and a warning', async () => {
    const { checkout, sessionId, session } = await openedSession('P5');
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    stack.sandbox.control.addTransaction({ row: rowFor(session) });
    await pollOnce((await openedSession('P5-other')).checkout);
    await expect
      .poll(async () => (await orderOf('P5')).checkouts[0]?.attention)
      .toContain('paid_twice');
    expect(await stateOf(checkout)).toBe('paid');
  });

  it('shows a refund next to paid', async () => {
    const { checkout, sessionId } = await openedSession('P6');
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    const [transaction] = (await orderOf('P6')).checkouts[0]?.transactions ?? [];
    stack.sandbox.control.refund(transaction?.id ?? '');
    await pollOnce((await openedSession('P6-other')).checkout);
    await expect.poll(async () => (await orderOf('P6')).checkouts[0]?.refund).toBe('full');
    expect(await stateOf(checkout)).toBe('paid');
  });
});

describe('a row that is not evidence', () => {
  it.each([
    ['another amount', { amount: '9.98' }, 'amount_mismatch'],
    [
      'its time alone',
      { transactionTime: new Date(Date.now() - 600_000).toISOString() },
      'time_mismatch',
    ],
    ['another currency', { currencyCode: 'EUR' }, 'currency_mismatch'],
  ])('because of %s raises attention, and the order stays unpaid', async (what, change, code) => {
    const order = `N-${what.replaceAll(' ', '-')}`;
    const { checkout, session } = await openedSession(order);
    stack.sandbox.control.addTransaction({ row: { ...rowFor(session), ...change } });
    await pollOnce(checkout);
    const known = await orderOf(order);
    expect(known.state).toBe('open');
    expect(known.checkouts[0]?.attention).toEqual([code]);
  });

  it.each([
    ['it is another merchant’s', { merchantId: 1002 }],
    ['its status is not one that means paid', { status: 'PENDING' }],
    ['it names another order', { orderRef: 'N9.1', resellerOrderId: '1' }],
  ])('because %s changes nothing', async (what, change) => {
    const order = `N-${what.replaceAll(/[^a-z]/g, '-')}`;
    const { checkout, session } = await openedSession(order);
    stack.sandbox.control.addTransaction({ row: { ...rowFor(session), ...change } });
    await pollOnce(checkout);
    const known = await orderOf(order);
    expect(known.state).toBe('open');
    expect(known.checkouts[0]?.attention).toEqual([]);
  });
});

describe('a return without evidence', () => {
  it('becomes unconfirmed after the settle window, never failed, and offers no new session', async () => {
    const { checkout, sessionId } = await openedSession('U1');
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.until(checkout, 'unconfirmed');
    const event = await stack.shop.event('checkout.unconfirmed');
    expect(event.data).toMatchObject({ order: 'U1', certain: false, attention: ['unconfirmed'] });
    const again = await stack.reopen('U1');
    expect(again.body.state).toBe('unconfirmed');
    expect(again.body.sessionId).toBeUndefined();
  });

  it('is paid when the evidence comes late', async () => {
    const { checkout, sessionId } = await openedSession('U2');
    stack.sandbox.control.setSwitches({ listingDelaySeconds: 3 });
    await stack.payAtProvider(sessionId);
    stack.sandbox.control.setSwitches({ listingDelaySeconds: 0 });
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    await stack.until(checkout, 'unconfirmed');
    await stack.until(checkout, 'paid');
  });
});

describe('a provider that fails', () => {
  it('leaves the checkout as it is, and is polled again', async () => {
    const { checkout, sessionId } = await openedSession('R1');
    await stack.payAtProvider(sessionId);
    stack.sandbox.control.addFault({
      operation: 'transactions-list',
      fault: 'error',
      status: 500,
      times: 4,
    });
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
  });
});
