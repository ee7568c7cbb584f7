import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

describe('a payment at a price that is no longer the order’s', () => {
  let stack: TestStack;
  beforeEach(async () => {
    stack = await TestStack.start();
  });
  afterEach(() => stack.close());

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

  it('shows after the server was killed right when the payment was stored', async () => {
    const { body } = await stack.open('P5', { amount: '10.00' });
    await stack.server.close();
    stack.shop.orders.set('P5', { amount: '100.00' });
    await stack.payAtProvider(body.sessionId ?? '');
    const child = fork(PROGRAM, {
      env: { ...stack.env, PAY_CRASH_AT: 'poll:store-match' },
    });
    const ended = once(child, 'exit');
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const path = stack.returnPath(body.sessionId ?? '', 'RedirectUrl');
    await fetch(`http://127.0.0.1:${String(port)}${path}`);
    expect(await ended).toEqual([null, 'SIGKILL']);
    await stack.startServer();
    expect((await ask('P5')).state).toBe('paid');
    await expect.poll(async () => (await ask('P5')).attention).toEqual(['price_changed']);
  });

  it('shows once the shop answers, where it did not at first', async () => {
    const lookups = () => stack.shop.lookups.filter((name) => name === 'P6');
    const { body } = await stack.open('P6', { amount: '10.00' });
    stack.shop.orders.set('P6', { amount: '100.00', order: 'of another name' });
    await payAt(body.sessionId);
    await stack.until(body.checkout, 'paid');
    await expect.poll(lookups).toHaveLength(2);
    stack.shop.orders.set('P6', { amount: '100.00' });
    stack.advance(61);
    // Its payment wakes the check.
    const { body: other } = await stack.open('P7', { amount: '10.00' });
    await payAt(other.sessionId);
    await expect.poll(async () => (await ask('P6')).attention).toEqual(['price_changed']);
    expect(lookups()).toHaveLength(3);
  });

  it('is none where the price changed after it, also when it is refunded then', async () => {
    const lookups = () => stack.shop.lookups.filter((name) => name === 'P8');
    const { body } = await stack.open('P8', { amount: '10.00' });
    await payAt(body.sessionId);
    await expect.poll(lookups).toHaveLength(2);
    stack.shop.orders.set('P8', { amount: '100.00' });
    const { control } = stack.sandbox;
    control.refund(control.transactions().at(-1)?.row.id ?? '', { amount: '1.00' });
    // Its payment causes a poll, which finds the refund, and wakes the check.
    const { body: other } = await stack.open('P9', { amount: '10.00' });
    await payAt(other.sessionId);
    await expect.poll(() => ask('P8')).toMatchObject({ refund: 'partial' });
    await expect.poll(() => stack.shop.lookups.filter((name) => name === 'P9')).toHaveLength(2);
    expect(await ask('P8')).toMatchObject({ attention: [] });
    expect(lookups()).toHaveLength(2);
  });

  it('is reported where the shop has made the order void', async () => {
    const { body } = await stack.open('P5', { amount: '10.00' });
    stack.shop.orders.set('P5', { amount: '10.00', status: 'void' });
    await payAt(body.sessionId);
    await expect.poll(async () => (await ask('P5')).attention).toEqual(['paid_after_void']);
  });

  it.each([
    ['asks the same price', 'P3', { amount: '10.00' }],
    ['has voided it', 'P4', { amount: '100.00', status: 'paid' }],
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
