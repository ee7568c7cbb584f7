import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { signOrderToken } from '../orders/order-token.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

describe('an order token stops', () => {
  it('somebody who knows an order but not the secret', async () => {
    stack.shop.orders.set('T1', { amount: '5.00' });
    const expiresAt = Math.floor(Date.now() / 1000) + 600;
    const claim = { merchant: 'teashop', order: 'T1', expiresAt };
    const guess = signOrderToken('0'.repeat(64), claim);
    expect((await stack.reopen('T1', { orderToken: guess })).status).toBe(404);
  });

  it('somebody who prolongs an old token', async () => {
    stack.shop.orders.set('T2', { amount: '5.00' });
    const [order, , hmac] = stack.token('T2', -60).split('.');
    const prolonged = `${String(order)}.${String(Math.floor(Date.now() / 1000) + 600)}.${String(hmac)}`;
    expect((await stack.reopen('T2', { orderToken: prolonged })).status).toBe(404);
  });

  it('a token of the same order name at another merchant', async () => {
    stack.shop.orders.set('T3', { amount: '5.00' });
    const expiresAt = Math.floor(Date.now() / 1000) + 600;
    const orderToken = signOrderToken(stack.orderTokenSecret, {
      merchant: 'another',
      order: 'T3',
      expiresAt,
    });
    expect((await stack.reopen('T3', { orderToken })).status).toBe(404);
  });
});

describe('a checkout id that was shared', () => {
  it('shows the state and no more: no session, no amount, nothing personal', async () => {
    const { body: opened } = await stack.open('S1', {
      amount: '5.00',
      customer: { email: 'shopper@example.test' },
    });
    const { text } = await stack.fetch(`/v1/checkouts?id=${opened.checkout}:0`);
    for (const hidden of [opened.sessionId ?? '', '5.00', 'shopper@example.test']) {
      expect(text).not.toContain(hidden);
    }
  });

  it('does not let a stranger cancel: that takes the session as well', async () => {
    const { body: opened } = await stack.open('S2', { amount: '5.00' });
    for (const sessionId of [undefined, 'guessed']) {
      await stack.post(`/v1/checkouts/${opened.checkout}/hints`, { kind: 'cancelled', sessionId });
    }
    const { body } = await stack.fetch<CheckoutStatusReply>(
      `/v1/checkouts?id=${opened.checkout}:0`,
    );
    expect(body.checkouts[0]?.state).toBe('open');
  });

  it('is not guessed: it is 128 random bits, and not made of the order', async () => {
    const ids = [];
    for (const order of ['S3', 'S4', 'S5']) {
      const { body } = await stack.open(order, { amount: '5.00' });
      ids.push(body.checkout);
      expect(body.checkout).toMatch(/^[0-9a-z]{8}[A-Za-z0-9_-]{22}$/);
    }
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a request from another site', () => {
  it('with a form’s content type is not read: the browser sends it without a preflight', async () => {
    stack.shop.orders.set('X1', { amount: '5.00' });
    const body = JSON.stringify({
      merchant: 'teashop',
      order: 'X1',
      orderToken: stack.token('X1'),
    });
    const { status } = await stack.fetch('/v1/checkouts', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', origin: SHOP_ORIGIN },
      body,
    });
    expect(status).toBe(400);
    expect(stack.shop.lookups).not.toContain('X1');
  });
});

describe('the order lookup', () => {
  it('is not made to a private address, unless the merchant entry allows it', async () => {
    const guarded = await TestStack.start({
      merchant: { orderLookup: { url: 'http://127.0.0.1:9/order-lookup' } },
    });
    try {
      const { status, body } = await guarded.open('P1', { amount: '5.00' });
      expect([status, body.code]).toEqual([502, 'order_lookup_failed']);
      expect(guarded.shop.lookups).toEqual([]);
    } finally {
      await guarded.close();
    }
  });

  it('is not made to a name that leads into the private network', async () => {
    const guarded = await TestStack.start({
      merchant: { orderLookup: { url: 'http://localhost:9/order-lookup' } },
    });
    try {
      expect((await guarded.open('P2', { amount: '5.00' })).body.code).toBe('order_lookup_failed');
    } finally {
      await guarded.close();
    }
  });
});
