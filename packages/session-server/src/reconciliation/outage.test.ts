import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

const MINUTE = 60;
const SHOPPERS = 20;

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(() => stack.close());

/** Waits as a page does, until the order is paid; returns every state that it got. */
async function follow(checkout: string): Promise<string[]> {
  const states: string[] = [];
  for (let revision = 0; ;) {
    const { body } = await stack.fetch<CheckoutStatusReply>(
      `/v1/checkouts?id=${checkout}:${String(revision)}&wait=5`,
    );
    const status = body.checkouts[0];
    if (!status || status.revision === revision) continue;
    revision = status.revision;
    states.push(`${status.state}, ${status.certain ? 'certain' : 'not certain'}`);
    if (status.state === 'paid') return states;
  }
}

describe('while the provider is down for ten minutes', () => {
  it.each([
    ['fails', { fault: 'error', status: 503 }],
    ['limits us', { fault: 'error', status: 429 }],
    ['is silent', { fault: 'hold' }],
  ] as const)(
    'and its list %s, shoppers who wait learn that, and later that they have paid',
    async (_, fault) => {
      await stack.close();
      stack = await TestStack.start({ tuning: { createSessionTimeoutSeconds: 0.5 } });
      const orders = await Promise.all(
        Array.from({ length: SHOPPERS }, async (_, index) => {
          const { body } = await stack.open(`D${String(index)}`, { amount: '9.99' });
          return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
        }),
      );
      stack.sandbox.control.addFault({
        operation: 'transactions-list',
        ...fault,
        times: 100_000,
      });
      for (const { sessionId } of orders) await stack.payAtProvider(sessionId);
      for (const { sessionId } of orders) {
        await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
      }
      const states = Promise.all(orders.map(({ checkout }) => follow(checkout)));
      const calls = listCalls();
      stack.advance(MINUTE);
      await expect.poll(listCalls).toBeGreaterThan(calls);
      stack.advance(9 * MINUTE);
      await Promise.all(orders.map(({ checkout }) => stack.until(checkout, 'unconfirmed')));
      stack.sandbox.control.releaseFaults();
      stack.advance(10 * MINUTE);
      const expected = ['returned, not certain', 'unconfirmed, not certain', 'paid, certain'];
      expect(await states).toEqual(orders.map(() => expected));
      const typesOf = (order: string) =>
        new Set(
          stack.shop.events.filter(({ data }) => data['order'] === order).map(({ type }) => type),
        );
      const types = new Set(['checkout.unconfirmed', 'checkout.attention', 'checkout.paid']);
      for (let index = 0; index < SHOPPERS; index += 1)
        await expect.poll(() => typesOf(`D${String(index)}`)).toEqual(types);
    },
  );

  it('a shopper who wants to pay is asked to come back, and can pay once it is up again', async () => {
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'error', times: 20 });
    stack.shop.orders.set('D1', { amount: '9.99' });
    for (let minute = 0; minute < 10; minute += 1) {
      const { status, body, headers } = await stack.reopen('D1');
      expect([status, body.code]).toEqual([503, 'provider_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      stack.advance(MINUTE);
    }
    const { status, body } = await stack.reopen('D1');
    expect([status, body.state]).toEqual([200, 'open']);
    await stack.payAtProvider(body.sessionId ?? '');
    await stack.post(stack.webhookPath(body.sessionId ?? ''), {});
    await stack.until(body.checkout, 'paid');
    expect(stack.shop.events.map(({ type }) => type)).not.toContain('checkout.failed');
  });
});

describe('a session that the provider makes after our time is over', () => {
  it('is never shown; another one is, and only that one', async () => {
    await stack.close();
    stack = await TestStack.start({ tuning: { createSessionTimeoutSeconds: 0.3 } });
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'hold', times: 1 });
    const { status, body } = await stack.open('S1', { amount: '9.99' });
    expect(status).toBe(200);
    stack.sandbox.control.releaseFaults();
    const sessions = stack.sandbox.control.sessions().map(({ session_id: id }) => id);
    expect(sessions).toHaveLength(2);
    expect(body.sessionId).toBe(sessions[1]);
    expect((await stack.reopen('S1')).body.sessionId).toBe(sessions[1]);
  });
});

function listCalls(): number {
  return stack.sandbox.control
    .requests()
    .filter(({ operation }) => operation === 'transactions-list').length;
}
