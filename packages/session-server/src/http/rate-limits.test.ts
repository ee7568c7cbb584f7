import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({
    env: {
      PAY_TRUST_PROXY: '1',
      PAY_OPENS_PER_MINUTE_PER_ADDRESS: '5',
      PAY_OPENS_PER_MINUTE_PER_ORDER: '7',
    },
  });
  stack.shop.orders.set('L1', { amount: '5.00' });
});
afterAll(() => stack.close());

const openFrom = (address: string, order = 'L1') =>
  stack.post<{ code?: string }>(
    '/v1/checkouts',
    { merchant: 'teashop', order, orderToken: stack.token(order) },
    { 'x-forwarded-for': address },
  );

describe('opening again and again', () => {
  it('is stopped for one address, then for one order, and says when to come back', async () => {
    for (let open = 0; open < 5; open += 1) {
      expect((await openFrom('198.51.100.1')).status).toBe(200);
    }
    const sixth = await openFrom('198.51.100.1');
    expect([sixth.status, sixth.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);

    expect((await openFrom('198.51.100.2')).status).toBe(200);
    expect((await openFrom('198.51.100.3')).status).toBe(200);
    expect((await openFrom('198.51.100.4')).status).toBe(429);

    stack.shop.orders.set('L2', { amount: '5.00' });
    expect((await openFrom('198.51.100.5', 'L2')).status).toBe(200);
  });

  it('counts an address that the browser made up as the one before the proxy', async () => {
    stack.shop.orders.set('L3', { amount: '5.00' });
    const answers = [];
    for (let open = 0; open < 6; open += 1) {
      answers.push((await openFrom(`203.0.113.${String(open)}, 198.51.100.9`, 'L3')).status);
    }
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
  });
});
