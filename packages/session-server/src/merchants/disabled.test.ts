import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MerchantEventList, MerchantOrder, PutOrderReply } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

const PUTTING_KEY = 'key-of-the-merchant-that-puts-its-orders';

let stack: TestStack;
/** Opened before its merchant was disabled. */
let opened: { checkout: string; sessionId: string };
let orderToken: string;

beforeAll(async () => {
  stack = await TestStack.start();
  const apiKeyHash = [`sha256:${createHash('sha256').update(PUTTING_KEY).digest('hex')}`];
  stack.addMerchant({ id: 'putting', orderLookup: undefined, apiKeyHash });
  await restart();
  orderToken = (await putOrder('P1')).body.orderToken;
  const { body } = await stack.open('D1', { amount: '9.99' });
  opened = { checkout: body.checkout, sessionId: body.sessionId ?? '' };
  stack.changeMerchantsFile(({ merchants }) => ({
    merchants: merchants.map((entry) => ({ ...entry, disabled: true })),
  }));
  await restart();
});
afterAll(() => stack.close());

async function restart(): Promise<void> {
  await stack.server.close();
  await stack.startServer();
}

const asMerchant = (path: string, init: RequestInit = {}, key = PUTTING_KEY) =>
  stack.fetch(`/v1/merchant/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });

function putOrder(order: string) {
  const body = JSON.stringify({ amount: '9.99', currency: 'GBP' });
  return stack.fetch<PutOrderReply & { code?: string }>(`/v1/merchant/orders/${order}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${PUTTING_KEY}`, 'content-type': 'application/json' },
    body,
  });
}

describe('a disabled merchant', () => {
  it('opens nothing: neither shop nor provider is asked', async () => {
    const before = stack.createSessionCalls();
    const answers = [
      await stack.open('D2', { amount: '9.99' }),
      await stack.reopen('D1'),
      await stack.reopen('D1', { renew: opened.sessionId }),
      await stack.reopen('D2', { preview: true }),
      await stack.reopen('P1', { merchant: 'putting', orderToken }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [403, 'merchant_disabled']),
    );
    expect(stack.createSessionCalls()).toBe(before);
    expect(stack.shop.lookups).toEqual(['D1']);
  });

  it('is shown as such to those with a good order token only', async () => {
    const { status, body } = await stack.reopen('D1', { orderToken: stack.token('D2') });
    expect([status, body.code]).toEqual([404, 'order_not_found']);
  });

  it('puts no order, and still reads and withdraws its own', async () => {
    const { status, body } = await putOrder('P2');
    expect([status, body.code]).toEqual([403, 'merchant_disabled']);
    expect((await asMerchant('orders/P1')).body).toMatchObject({ order: 'P1', amount: '9.99' });
    expect((await asMerchant('orders')).status).toBe(200);
    expect((await asMerchant('orders/P1', { method: 'DELETE' })).body).toMatchObject({
      state: 'void',
    });
  });

  it('has its pages answered: configuration, hosted page and return page', async () => {
    const paths = [
      '/v1/checkout-config?merchant=teashop',
      `/v1/pay/teashop/${stack.token('D1')}`,
      stack.returnPath(opened.sessionId, 'backurl'),
    ];
    for (const path of paths) expect((await stack.fetch(path)).status, path).toBe(200);
  });

  it('still has a payment that was in progress confirmed, delivered and shown', async () => {
    await stack.payAtProvider(opened.sessionId);
    await stack.fetch(stack.returnPath(opened.sessionId, 'RedirectUrl'));
    await stack.until(opened.checkout, 'paid');
    const event = await stack.shop.event('checkout.paid');
    expect(event.data['order']).toBe('D1');
    const { body } = await asMerchant('events', {}, stack.merchantKey);
    expect((body as MerchantEventList).events.map(({ type }) => type)).toContain('checkout.paid');
    const { body: order } = await asMerchant('orders/D1', {}, stack.merchantKey);
    expect((order as MerchantOrder).state).toBe('paid');
    const again = await stack.reopen('D1');
    expect([again.status, again.body.state, again.body.sessionId]).toEqual([
      200,
      'paid',
      undefined,
    ]);
  });
});
