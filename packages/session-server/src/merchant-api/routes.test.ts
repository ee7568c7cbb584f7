import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signOrderToken } from '../orders/order-token.js';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  // No field for the scheme is shown (spec 2.1): any may be named.
  stack = await TestStack.start({ merchant: { evidence: { schemeField: 'source' } } });
});
afterAll(() => stack.close());

const ask = (order: string, authorization: string) =>
  stack.fetch<{ code?: string; state?: string; detail?: string; transaction?: string }>(
    `/v1/merchant/orders/${order}`,
    { headers: { authorization } },
  );

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The fields that a schema describes, as sorted dotted paths. */
function describedFields({ properties = {}, items }: Schema): string[] {
  if (items) return describedFields(items);
  return Object.entries(properties)
    .flatMap(([name, part]) => [name, ...describedFields(part).map((path) => `${name}.${path}`)])
    .toSorted();
}

/** The fields of an answer, in the same form; of a list, those of its first item. */
function fieldsOf(value: unknown): string[] {
  const part: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part)
    .flatMap(([name, inner]) => [name, ...fieldsOf(inner).map((path) => `${name}.${path}`)])
    .toSorted();
}

describe('the merchant’s own view of an order', () => {
  it('is for the holder of the key only', async () => {
    await stack.open('M1', { amount: '5.00' });
    expect((await ask('M1', `Bearer ${stack.merchantKey}`)).body.state).toBe('open');
    for (const authorization of ['', 'Bearer wrong', `Basic ${stack.merchantKey}`]) {
      const { status, body, headers } = await ask('M1', authorization);
      expect([status, body.code]).toEqual([401, 'merchant_key_refused']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(body.detail).not.toContain('merchant entry');
    }
  });

  it.each(['bearer', 'BEARER'])('is for the holder who writes %s, too', async (scheme) => {
    expect((await ask('M1', `${scheme} ${stack.merchantKey}`)).status).toBe(200);
  });

  it('says the state of the price that was asked last, also when it had been asked before', async () => {
    await stack.open('M3', { amount: '5.00' });
    await stack.open('M3', { amount: '6.00' });
    const { body: again } = await stack.open('M3', { amount: '5.00' });
    const { sessionId } = again;
    await stack.post(`/v1/checkouts/${again.checkout}/hints`, { kind: 'cancelled', sessionId });
    expect((await ask('M3', `Bearer ${stack.merchantKey}`)).body.state).toBe('cancelled');
  });

  it('has the fields that /openapi.json describes', async () => {
    const { body: opened } = await stack.open('M4', { amount: '5.00' });
    await stack.payAtProvider(opened.sessionId ?? '');
    await stack.fetch(stack.returnPath(opened.sessionId ?? '', 'RedirectUrl'));
    await stack.until(opened.checkout, 'paid');
    const { body: api } = await stack.fetch<{ paths: Record<string, unknown> }>('/openapi.json');
    const route = api.paths['/v1/merchant/orders/{order}'] as {
      get: { responses: { 200: { content: { 'application/json': { schema: Schema } } } } };
    };
    const described = route.get.responses[200].content['application/json'].schema;
    const { body } = await ask('M4', `Bearer ${stack.merchantKey}`);
    // An order that the shop prices when asked has nothing that is put.
    const put = ['description', 'metadata', 'lineItems', 'locale'];
    const ofLines = ['name', 'quantity', 'amount'].map((name) => `lineItems.${name}`);
    expect([...fieldsOf(body), ...put, ...ofLines].toSorted()).toEqual(describedFields(described));
    expect(fieldsOf(body)).toContain('checkouts.transactions.id');
  });

  it('says at its top level what was paid, what was refunded, and how', async () => {
    const { body: opened } = await stack.open('M5', { amount: '5.00' });
    await stack.payAtProvider(opened.sessionId ?? '');
    await stack.fetch(stack.returnPath(opened.sessionId ?? '', 'RedirectUrl'));
    await stack.until(opened.checkout, 'paid');
    const { body } = await ask('M5', `Bearer ${stack.merchantKey}`);
    const paid = {
      ...{ state: 'paid', certain: true, amount: '5.00', currency: 'GBP' },
      ...{ refund: 'none', amountRefunded: '0.00', attention: [] },
      transaction: expect.stringMatching(/./) as string,
      payment: {
        method: 'New Card',
        scheme: 'payments',
        lastDigits: '0001',
        pspReference: expect.any(String) as string,
      },
    };
    expect(body).toMatchObject(paid);
    const event = await stack.shop.event('checkout.paid');
    expect(event.data).toMatchObject(paid);

    stack.sandbox.control.refund(body.transaction ?? '', { amount: '2.00' });
    await stack.post(stack.webhookPath(opened.sessionId ?? ''), {});
    const refunded = { ...paid, order: 'M5', refund: 'partial', amountRefunded: '2.00' };
    const { data } = await stack.shop.event('checkout.refunded');
    expect(data).toMatchObject(refunded);
    expect((await ask('M5', `Bearer ${stack.merchantKey}`)).body).toMatchObject(refunded);
  });

  it('says the price that was asked for last', async () => {
    for (const amount of ['5.00', '7.00', '5.00']) {
      await stack.open('M6', { amount });
      const { body } = await ask('M6', `Bearer ${stack.merchantKey}`);
      expect(body).toMatchObject({ amount });
    }
  });

  it('does not know an order that was never opened', async () => {
    const { status, body } = await ask('M2', `Bearer ${stack.merchantKey}`);
    expect([status, body.code]).toEqual([404, 'order_not_found']);
    expect(body.detail).not.toContain('token');
  });
});

describe('the key of another merchant', () => {
  let both: TestStack;
  const otherKey = 'key-of-the-coffee-shop';
  const orderTokenSecret = 'the-order-token-secret-of-the-coffee-shop';
  const askBoth = async (order: string, key: string) => {
    const { status, body } = await both.fetch<{ code?: string; checkouts?: { amount: string }[] }>(
      `/v1/merchant/orders/${order}`,
      { headers: { authorization: `Bearer ${key}` } },
    );
    return [status, body.code ?? body.checkouts?.map(({ amount }) => amount)];
  };
  const openAtOther = (order: string, amount: string) => {
    both.shop.orders.set(order, { amount });
    const claim = { merchant: 'coffeeshop', order, expiresAt: 2e9 };
    const orderToken = signOrderToken(orderTokenSecret, claim);
    return both.reopen(order, { merchant: 'coffeeshop', orderToken });
  };
  beforeAll(async () => {
    both = await TestStack.start();
    await both.server.close();
    const hash = createHash('sha256').update(otherKey).digest('hex');
    both.addMerchant({
      id: 'coffeeshop',
      apiKeyHash: [`sha256:${hash}`],
      orderTokenSecret: [orderTokenSecret],
    });
    await both.startServer();
    await both.open('T1', { amount: '5.00' });
    await openAtOther('C1', '6.00');
  });
  afterAll(() => both.close());

  it('does not even reveal that the order exists', async () => {
    expect(await askBoth('T1', both.merchantKey)).toEqual([200, ['5.00']]);
    expect(await askBoth('C1', otherKey)).toEqual([200, ['6.00']]);
    for (const [order, key] of [
      ['T1', otherKey],
      ['C1', both.merchantKey],
      ['nowhere', otherKey],
    ] as const) {
      expect(await askBoth(order, key)).toEqual([404, 'order_not_found']);
    }
  });

  it('shows the order of its own where both have one of that name', async () => {
    await both.open('A1', { amount: '7.00' });
    expect(await askBoth('A1', otherKey)).toEqual([404, 'order_not_found']);
    await openAtOther('A1', '8.00');
    expect(await askBoth('A1', both.merchantKey)).toEqual([200, ['7.00']]);
    expect(await askBoth('A1', otherKey)).toEqual([200, ['8.00']]);
  });
});
