import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PreviewReply, Problem } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

const preview = (
  order: string,
  more: Readonly<Record<string, unknown>> = {},
  { at = stack, headers = {} }: { at?: TestStack; headers?: Record<string, string> } = {},
) =>
  at.post<PreviewReply & Problem>(
    '/v1/checkouts',
    { merchant: 'teashop', order, orderToken: at.token(order), preview: true, ...more },
    headers,
  );

describe('a preview of an order', () => {
  it('says shop and price, opens nothing, stores nothing and asks no provider', async () => {
    stack.shop.orders.set('V1', { amount: '9.99' });
    const { status, body } = await preview('V1');
    expect([status, body]).toEqual([
      200,
      { shop: 'Test Tea', amount: '9.99', currency: 'GBP', environment: 'sandbox' },
    ]);
    expect(stack.sandbox.control.requests().map(({ operation }) => operation)).not.toContain(
      'create-session',
    );
    const headers = { authorization: `Bearer ${stack.merchantKey}` };
    expect((await stack.fetch('/v1/merchant/orders/V1', { headers })).status).toBe(404);
  });

  it('asks the shop once in five seconds, and then shows its new price', async () => {
    stack.shop.orders.set('V2', { amount: '1.00' });
    await preview('V2');
    stack.shop.orders.set('V2', { amount: '2.00' });
    stack.clock.advance(4);
    expect((await preview('V2')).body.amount).toBe('1.00');
    expect(stack.shop.lookups.filter((order) => order === 'V2')).toHaveLength(1);
    stack.clock.advance(2);
    expect((await preview('V2')).body.amount).toBe('2.00');
  });

  it('that is kept is never the price of a checkout', async () => {
    stack.shop.orders.set('V3', { amount: '1.00' });
    await preview('V3');
    const { body } = await stack.open('V3', { amount: '3.00' });
    expect(body.amount).toBe('3.00');
  });

  it('needs a good order token, also while the price is kept', async () => {
    stack.shop.orders.set('V4', { amount: '1.00' });
    await preview('V4');
    const codeOf = async (orderToken: unknown) => {
      const { status, body } = await preview('V4', { orderToken });
      return [status, body.code];
    };
    expect(await codeOf(undefined)).toEqual([401, 'order_token_missing']);
    expect(await codeOf(stack.token('V3'))).toEqual([404, 'order_not_found']);
    expect(await codeOf(stack.token('V4', -1))).toEqual([401, 'order_token_expired']);
  });

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
  ])('is given to no one at %s', async (_who, headers) => {
    stack.shop.orders.set('V5', { amount: '1.00' });
    const { status, body } = await preview('V5', {}, { headers });
    expect([status, body.code]).toEqual([403, 'origin_not_allowed']);
  });

  it.each([
    ['paid', 'order_already_paid'],
    ['void', 'order_void'],
  ] as const)('that is %s is refused as its checkout is', async (status, code) => {
    stack.shop.orders.set('V6', { amount: '1.00', status });
    expect((await preview('V6')).body.code).toBe(code);
  });

  it('that is paid here says so, whatever the shop still says', async () => {
    const { body } = await stack.open('V10', { amount: '1.00' });
    await preview('V10');
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.until(body.checkout, 'paid');
    stack.shop.orders.set('V10', { amount: '2.00' });
    expect((await preview('V10')).body).toMatchObject({
      checkout: body.checkout,
      state: 'paid',
      refund: 'none',
      amount: '1.00',
    });
  });

  it('says what is known of a checkout at its price', async () => {
    const { body } = await stack.open('V11', { amount: '1.00' });
    const { checkout } = body;
    expect((await preview('V11')).body).toMatchObject({ checkout, state: 'open', revision: 1 });
    stack.shop.orders.set('V11', { amount: '2.00' });
    stack.clock.advance(6);
    expect((await preview('V11')).body).toEqual({
      ...{ shop: 'Test Tea', amount: '2.00', currency: 'GBP', environment: 'sandbox' },
    });
  });

  it('says that a payment was submitted, at the price of its checkout, until that was declined', async () => {
    const { body } = await stack.open('V12', { amount: '1.00' });
    const { checkout, sessionId } = body;
    const hint = (kind: string) =>
      stack.post(`/v1/checkouts/${checkout}/hints`, { kind, sessionId });
    await hint('submitted');
    stack.shop.orders.set('V12', { amount: '2.00' });
    stack.clock.advance(6);
    const submitted = { checkout, state: 'open', submitted: true, amount: '1.00' };
    expect((await preview('V12')).body).toMatchObject(submitted);
    await hint('declined');
    expect((await preview('V12')).body).not.toHaveProperty('submitted');
  });

  it.each([
    ['void', 'order_void'],
    ['paid', 'order_already_paid'],
  ] as const)(
    'that its shop says is %s says that nothing was paid only while no page had a session',
    async (status, code) => {
      const order = `V13-${status}`;
      stack.shop.orders.set(order, { amount: '1.00', status });
      expect((await preview(order)).body).toMatchObject({ code, unpaid: true });
      await stack.open(order, { amount: '1.00' });
      stack.shop.orders.set(order, { amount: '1.00', status });
      stack.clock.advance(6);
      const { body } = await preview(order);
      expect(body.code).toBe(code);
      expect(body).not.toHaveProperty('unpaid');
      const created = await stack.reopen(order);
      expect(created.body).toMatchObject({ code });
      expect(created.body).not.toHaveProperty('unpaid');
    },
  );

  it('whose token has expired, or is forged, says no more than a shopper may know', async () => {
    stack.shop.orders.set('V14', { amount: '1.00' });
    const expired = { orderToken: stack.token('V14', -1) };
    expect((await preview('V14', expired)).body.unpaid).toBe(true);
    await stack.open('V14', { amount: '1.00' });
    expect((await preview('V14', expired)).body).not.toHaveProperty('unpaid');
    const forged = { orderToken: stack.token('V3') };
    expect((await preview('never-seen', forged)).body).not.toHaveProperty('unpaid');
  });

  it('has limits, and uses up nothing of those for paying', async () => {
    const rateLimits = { createPerAddress: 1, createPerOrder: 1, statusPerAddress: 3 };
    const guarded = await TestStack.start({ tuning: { rateLimits } });
    try {
      guarded.shop.orders.set('V7', { amount: '1.00' });
      guarded.shop.orders.set('V8', { amount: '1.00' });
      const answers = [];
      for (const order of ['V7', 'V7', 'V8', 'V9']) {
        answers.push((await preview(order, {}, { at: guarded })).status);
      }
      const stranger = { orderToken: 'V7.2000000000.forged' };
      expect((await preview('V7', stranger, { at: guarded })).status).toBe(429);
      // The second of one order, and the fourth of one address.
      expect(answers).toEqual([200, 429, 200, 429]);
      expect((await guarded.reopen('V7')).status).toBe(200);
    } finally {
      await guarded.close();
    }
  });
});
