import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { TestStack } from '../testing/test-stack.js';

let stack: TestStack;

beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(async () => {
  await stack.close();
});

async function opened(order: string, amount = '9.99') {
  const { body } = await stack.open(order, { amount });
  return { checkout: body.checkout, sessionId: body.sessionId ?? '' };
}

/** Opens it as far as the provider, who answers when `finish` is called. */
async function openSlowly(order: string, more: Readonly<Record<string, unknown>> = {}) {
  stack.sandbox.control.addFault({ operation: 'create-session', fault: 'hold' });
  const answer = stack.reopen(order, more);
  await expect.poll(() => stack.sandbox.control.faults().held).toBe(1);
  return {
    finish: () => {
      stack.sandbox.control.releaseFaults();
      return answer;
    },
  };
}

describe('while the provider is asked for another session', () => {
  it.each([
    ['renewed', {}],
    ['at another price', { amount: '12.00' }],
  ])('one that is %s and was paid in its older session is shown as paid', async (kind, change) => {
    const { checkout, sessionId } = await opened('A1');
    if ('amount' in change) stack.shop.orders.set('A1', change);
    const slow = await openSlowly('A1', kind === 'renewed' ? { renew: sessionId } : {});
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    const { status, body } = await slow.finish();
    expect(status).toBe(200);
    expect(body).toMatchObject({ checkout, state: 'paid' });
    expect(body.sessionId).toBeUndefined();
  });

  it('and after its first answer was lost, the order is shown as paid, too', async () => {
    const { checkout, sessionId } = await opened('A10');
    stack.sandbox.control.addFault({ operation: 'create-session', fault: 'drop-after-commit' });
    const slow = await openSlowly('A10', { renew: sessionId });
    await stack.payAtProvider(sessionId);
    await stack.post(stack.webhookPath(sessionId), {});
    await stack.until(checkout, 'paid');
    const { status, body } = await slow.finish();
    expect([status, body.state]).toEqual([200, 'paid']);
  });

  it('who comes back from paying in the older one is asked for no other payment', async () => {
    const { checkout, sessionId } = await opened('A2');
    const slow = await openSlowly('A2', { renew: sessionId });
    await stack.fetch(stack.returnPath(sessionId, 'RedirectUrl'));
    const { body } = await slow.finish();
    expect(body).toMatchObject({ checkout, state: 'returned' });
    expect(body.sessionId).toBeUndefined();
  });
});

describe('who comes back from paying in a session that was superseded', () => {
  it('is asked for no other payment, and the order is paid when that is known', async () => {
    const { checkout, sessionId: older } = await opened('A3');
    const { body: renewed } = await stack.reopen('A3', { renew: older });
    expect(renewed.sessionId).not.toBe(older);
    await stack.payAtProvider(older);
    stack.sandbox.control.addFault({ operation: 'transactions-list', fault: 'error', times: 1 });
    await stack.fetch(stack.returnPath(older, 'RedirectUrl'));
    const { body } = await stack.reopen('A3', { renew: renewed.sessionId ?? '' });
    expect(body.sessionId).toBeUndefined();
    expect(['returned', 'paid']).toContain(body.state);
    stack.advance(30);
    await stack.until(checkout, 'paid');
  });
});

describe('an order in which a payment was submitted', () => {
  const hint = (checkout: string, kind: string, sessionId: string) =>
    stack.post<{ state: string }>(`/v1/checkouts/${checkout}/hints`, { kind, sessionId });

  const statusOf = async (checkout: string) => {
    const { body } = await stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:0`);
    return body.checkouts[0];
  };
  const countReads = () =>
    stack.sandbox.control.requests().filter(({ operation }) => operation === 'transactions-list')
      .length;
  /** Asks until a read that began after this has ended: they do not overlap. */
  const untilRead = async (checkout: string) => {
    const before = countReads();
    await expect
      .poll(async () => {
        await statusOf(checkout);
        return countReads();
      })
      .toBeGreaterThan(before + 2);
  };

  it('says so in every reply, and is not renewed, until the list was read after the settle window', async () => {
    const { checkout, sessionId } = await opened('A4');
    expect((await hint(checkout, 'submitted', sessionId)).body.state).toBe('open');
    const submitted = { checkout, state: 'open', submitted: true };
    const renewed = await stack.reopen('A4', { renew: sessionId });
    expect([renewed.status, renewed.body]).toMatchObject([200, submitted]);
    expect(renewed.body.sessionId).toBeUndefined();
    expect((await stack.reopen('A4')).body).toMatchObject({ ...submitted, sessionId });
    expect(await statusOf(checkout)).toMatchObject(submitted);
    expect((await hint(checkout, 'cancelled', sessionId)).body.state).toBe('open');
    // Far from the end of the window on either side: on a busy machine the reads take seconds.
    stack.advance(200);
    await untilRead(checkout);
    expect(await statusOf(checkout)).toMatchObject(submitted);
    stack.advance(200);
    // The request itself leads to the read that answers it.
    await expect.poll(() => statusOf(checkout)).not.toHaveProperty('submitted');
    expect((await stack.reopen('A4', { renew: sessionId })).body.sessionId).not.toBe(sessionId);
  });

  it('stays so while the list cannot be read', async () => {
    const { checkout, sessionId } = await opened('A4b');
    await hint(checkout, 'submitted', sessionId);
    const fault = { operation: 'transactions-list', fault: 'error', status: 503, times: 1000 };
    stack.sandbox.control.addFault(fault as never);
    stack.advance(900);
    await untilRead(checkout);
    expect(await statusOf(checkout)).toMatchObject({ submitted: true });
  });

  it('at an older price says so to a page that shows the newer one, too', async () => {
    const older = await opened('A6', '20.00');
    const newer = await opened('A6', '25.00');
    expect(await statusOf(older.checkout)).toMatchObject({ supersededBy: newer.checkout });
    await hint(older.checkout, 'submitted', older.sessionId);
    expect(await statusOf(newer.checkout)).toMatchObject({ supersededBy: older.checkout });
    expect((await stack.reopen('A6')).body).toMatchObject({
      checkout: older.checkout,
      submitted: true,
    });
    await hint(older.checkout, 'declined', older.sessionId);
    expect(await statusOf(newer.checkout)).not.toHaveProperty('supersededBy');
  });

  it('and is paid at an older price leads the page of the newer one there', async () => {
    const older = await opened('A9', '20.00');
    const newer = await opened('A9', '25.00');
    await stack.payAtProvider(older.sessionId);
    await stack.until(older.checkout, 'paid');
    expect(await statusOf(newer.checkout)).toMatchObject({ supersededBy: older.checkout });
    expect(await statusOf(older.checkout)).not.toHaveProperty('supersededBy');
  });

  it('is renewed once the payment was declined', async () => {
    const { checkout, sessionId } = await opened('A5');
    await hint(checkout, 'submitted', sessionId);
    await hint(checkout, 'declined', sessionId);
    expect((await stack.reopen('A5', { renew: sessionId })).status).toBe(200);
  });

  it('is kept from no new session by who does not have its session', async () => {
    const { checkout, sessionId } = await opened('A7');
    await stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'submitted' });
    await hint(checkout, 'submitted', 'unknown-session');
    expect((await stack.reopen('A7', { renew: sessionId })).status).toBe(200);
  });
});

describe('a price that was asked for before a checkout at a newer one was created', () => {
  it('is asked for again, and takes nothing from the newer one', async () => {
    await opened('A8', '20.00');
    const answerLookup = stack.shop.holdNextLookup();
    const late = stack.reopen('A8');
    await expect.poll(() => stack.shop.lookups.filter((name) => name === 'A8')).toHaveLength(2);
    const newer = await opened('A8', '25.00');
    answerLookup();
    const { body } = await late;
    expect(body).toMatchObject({ amount: '25.00', sessionId: newer.sessionId });
  });
});

describe('a provider who has no time', () => {
  it.each([408, 425, 429])('and says so with %i is unavailable, until it says', async (status) => {
    const before = stack.createSessionCalls();
    stack.sandbox.control.addFault({
      operation: 'create-session',
      fault: 'error',
      status,
      retryAfterSeconds: 17,
    });
    const refused = await stack.open('A9', { amount: '5.00' });
    expect([refused.status, refused.body.code]).toEqual([503, 'provider_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('17');
    expect(stack.createSessionCalls() - before).toBe(1);
    expect((await stack.reopen('A9')).status).toBe(200);
  });

  it('makes no shopper wait for longer than five minutes', async () => {
    const fault = { operation: 'create-session', fault: 'error', status: 429 } as const;
    stack.sandbox.control.addFault({ ...fault, retryAfterSeconds: 99_999_999_999 });
    const refused = await stack.open('A10', { amount: '5.00' });
    expect(refused.headers.get('retry-after')).toBe('300');
  });
});
