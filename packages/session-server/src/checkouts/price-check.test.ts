import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

describe('a payment at a price that is no longer the order’s', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.close());

  const payAt = async (sessionId = ''): Promise<void> => {
    await stack.payAtProvider(sessionId);
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
  };
  const ask = async (order: string) => {
    const { body } = await stack.fetch<{ state: string; attention: string[] }>(
      `/v1/merchant/orders/${order}`,
      { headers: { authorization: `Bearer ${stack.merchantKey}` } },
    );
    return body;
  };

  it('shows on the route, and in an event of its own', async () => {
    const { body } = await stack.open('P1', { amount: '10.00' });
    stack.shop.orders.set('P1', { amount: '100.00' });
    await payAt(body.sessionId);
    await expect
      .poll(() => ask('P1'))
      .toMatchObject({ state: 'paid', certain: true, attention: ['price_changed'] });
    const { data } = await stack.shop.event('checkout.attention');
    expect(data).toMatchObject({ order: 'P1', amount: '10.00', attention: ['price_changed'] });
  });

  it('is paid at once, however long the shop takes to answer', async () => {
    const { body } = await stack.open('P2', { amount: '10.00' });
    stack.shop.orders.set('P2', { amount: '100.00' });
    const answer = stack.shop.holdNextLookup();
    await payAt(body.sessionId);
    await stack.until(body.checkout, 'paid');
    expect((await ask('P2')).attention).toEqual([]);
    answer();
    await expect.poll(async () => (await ask('P2')).attention).toEqual(['price_changed']);
  });

  it.each([
    ['asks the same price', 'P3', { amount: '10.00' }],
    ['sells it no more', 'P4', { amount: '100.00', status: 'paid' }],
  ] as const)('raises nothing where the shop %s', async (_, order, answer) => {
    const lookups = () => stack.shop.lookups.filter((name) => name === order);
    const { body } = await stack.open(order, { amount: '10.00' });
    stack.shop.orders.set(order, answer);
    await payAt(body.sessionId);
    await expect.poll(lookups).toHaveLength(2);
    // A third lookup is answered after the second.
    await stack.reopen(order);
    expect((await ask(order)).attention).toEqual([]);
  });
});
