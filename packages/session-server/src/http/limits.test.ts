import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { signOrderToken } from '../orders/order-token.js';
import { TestStack } from '../testing/test-stack.js';
import { addressOf, Limit } from './limits.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({
    env: { PAY_TRUST_PROXY: '1' },
    tuning: {
      rateLimits: {
        createPerAddress: 5,
        createPerOrder: 7,
        createPerMerchant: 40,
        statusPerAddress: 4,
        pagesPerAddress: 2,
      },
    },
  });
  stack.shop.orders.set('L1', { amount: '5.00' });
});
afterAll(() => stack.close());

const openFrom = (address: string, order = 'L1', orderToken = stack.token(order)) =>
  stack.post<{ code?: string }>(
    '/v1/checkouts',
    { merchant: 'teashop', order, orderToken },
    { 'x-forwarded-for': address },
  );

describe('asking again and again', () => {
  it('is stopped for one address, polls, hints and the SDK description together', async () => {
    const { body } = await stack.open('Q1', { amount: '5.00' });
    const headers = { 'x-forwarded-for': '198.51.100.20' };
    const poll = () => stack.fetch(`/v1/checkouts?id=${body.checkout}:0`, { headers });
    const hint = () =>
      stack.post(`/v1/checkouts/${body.checkout}/hints`, { kind: 'shown' }, headers);
    const config = () => stack.fetch('/v1/checkout-config?merchant=teashop', { headers });
    const answers = [];
    for (const ask of [poll, poll, hint, config, hint, poll, config]) {
      answers.push((await ask()).status);
    }
    expect(answers).toEqual([200, 200, 200, 200, 429, 429, 429]);
    const other = { headers: { 'x-forwarded-for': '198.51.100.21' } };
    expect((await stack.fetch(`/v1/checkouts?id=${body.checkout}:0`, other)).status).toBe(200);
  });
});

describe('the description of the API', () => {
  it('is given to one address so many times a minute', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.23' };
    const statuses = [];
    for (let ask = 0; ask < 3; ask += 1) {
      statuses.push((await stack.fetch('/openapi.json', { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('the hosted page', () => {
  it('is shown to one address so many times a minute, and then says in words to wait', async () => {
    const show = (address: string) =>
      stack.fetch(`/v1/pay/teashop/${stack.token('L1')}`, {
        headers: { 'x-forwarded-for': address },
      });
    const answers = [];
    for (let view = 0; view < 3; view += 1) answers.push(await show('198.51.100.22'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const { headers, text } = await show('198.51.100.22');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('Reload this page to try again.');
    expect(text).not.toContain('money');
    expect(text).toContain('Back to the shop');
    expect((await show('198.51.100.23')).status).toBe(200);
  });
});

describe('a shopper who was sent back', () => {
  it('is led home however often others at the address were refused', async () => {
    const { body } = await stack.open('H1', { amount: '5.00' });
    const headers = { 'x-forwarded-for': '198.51.100.24' };
    for (let ask = 0; ask < 10; ask += 1) {
      await openFrom('198.51.100.24', 'H2', 'guess');
      await stack.fetch(`/v1/checkouts?id=${body.checkout}:0`, { headers });
      await stack.fetch(`/v1/return/guess-${String(ask)}`, { headers });
      await stack.fetch(`/v1/pay/teashop/guess-${String(ask)}`, { headers });
    }
    const path = stack.returnPath(body.sessionId ?? '', 'RedirectUrl');
    const back = await stack.fetch(path, { headers });
    expect([back.status, back.text.includes('Continue to the shop')]).toEqual([200, true]);
    const leave = `/v1/checkouts/${body.checkout}/leave?kind=return`;
    expect((await stack.fetch(leave, { headers })).status).toBe(303);
    const { body: known } = await stack.fetch<CheckoutStatusReply>(
      `/v1/checkouts?id=${body.checkout}:0`,
      { headers: { 'x-forwarded-for': '198.51.100.25' } },
    );
    expect(known.checkouts[0]?.state).toBe('returned');
  });
});

describe('guessing where shoppers are sent back', () => {
  it.each([
    ['198.51.100.26', '/v1/return/guess'],
    ['198.51.100.27', '/v1/checkouts/guess/leave?kind=return'],
  ])('is refused to one address after so many guesses a minute (%s)', async (address, path) => {
    const guess = () => stack.fetch(path, { headers: { 'x-forwarded-for': address } });
    const answers = [await guess(), await guess(), await guess()];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('creating checkouts again and again', () => {
  it('is stopped for one address, then for one order, and says when to come back', async () => {
    for (let open = 0; open < 5; open += 1) {
      expect((await openFrom('198.51.100.1')).status).toBe(200);
    }
    const sixth = await openFrom('198.51.100.1');
    expect([sixth.status, sixth.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);
    // A page of another origin than ours may not read it otherwise.
    expect(sixth.headers.get('access-control-expose-headers')).toContain('retry-after');

    expect((await openFrom('198.51.100.2')).status).toBe(200);
    expect((await openFrom('198.51.100.3')).status).toBe(200);
    expect((await openFrom('198.51.100.4')).status).toBe(429);

    stack.shop.orders.set('L2', { amount: '5.00' });
    expect((await openFrom('198.51.100.5', 'L2')).status).toBe(200);
  });

  it('by a stranger without an order token locks no one out of the order, or of the shop', async () => {
    stack.shop.orders.set('L4', { amount: '5.00' });
    const guess = signOrderToken('0'.repeat(64), {
      merchant: 'teashop',
      order: 'L4',
      expiresAt: 2e9,
    });
    for (let open = 0; open < 20; open += 1) {
      const address = `192.0.2.${String(open)}`;
      expect((await openFrom(address, 'L4', guess)).status).toBe(404);
    }
    expect((await openFrom('198.51.100.4', 'L4')).status).toBe(200);
  });

  it.each([
    ['L6', (connection: number) => `198.51.100.6:${String(50_000 + connection)}`],
    ['L7', (connection: number) => `[2001:db8:7::1]:${String(50_000 + connection)}`],
  ])('counts an address behind which a proxy writes the port as one (%s)', async (order, from) => {
    stack.shop.orders.set(order, { amount: '5.00' });
    const answers = [];
    for (let connection = 0; connection < 6; connection += 1) {
      answers.push((await openFrom(from(connection), order)).status);
    }
    expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('counts the addresses of one IPv6 network of a customer as one', async () => {
    stack.shop.orders.set('L5', { amount: '5.00' });
    const answers = [];
    for (let open = 0; open < 6; open += 1) {
      answers.push((await openFrom(`2001:db8:1:2${String(open)}::${String(open)}`, 'L5')).status);
    }
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
  });

  it('counts the network of another customer for itself, also one right next to it', async () => {
    stack.shop.orders.set('L8', { amount: '5.00' });
    for (let open = 0; open < 5; open += 1) {
      expect((await openFrom('2001:db8:8:1ff::1', 'L8')).status).toBe(200);
    }
    expect((await openFrom('2001:db8:8:100::1', 'L8')).status).toBe(429);
    expect((await openFrom('2001:db8:8:200::1', 'L8')).status).toBe(200);
    expect((await openFrom('2001:db8:8:0ff::1', 'L8')).status).toBe(200);
  });

  it('counts an address that the browser made up as the one before the proxy', async () => {
    stack.shop.orders.set('L3', { amount: '5.00' });
    const answers = [];
    for (let open = 0; open < 6; open += 1) {
      answers.push((await openFrom(`203.0.113.${String(open)}, 198.51.100.9`, 'L3')).status);
    }
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
  });

  it('is stopped for one merchant, whatever its orders', async () => {
    const answers = [];
    for (let open = 0; open < 40; open += 1) {
      const order = `M${String(open)}`;
      stack.shop.orders.set(order, { amount: '5.00' });
      answers.push((await openFrom(`203.0.113.${String(open)}`, order)).status);
    }
    expect(new Set(answers)).toEqual(new Set([200, 429]));
  });
});

describe('where an order opens by its name alone', () => {
  let openShop: TestStack;
  beforeAll(async () => {
    openShop = await TestStack.start({
      env: { PAY_TRUST_PROXY: '1' },
      tuning: { rateLimits: { createPerOrder: 2, createPerMerchant: 6 } },
      merchant: { openBy: 'order' },
    });
  });
  afterAll(() => openShop.close());

  /** One after the other: their statuses. */
  const openAs = async (orders: readonly string[], address: string, hasToken = false) => {
    const answers = [];
    for (const order of orders) {
      openShop.shop.orders.set(order, { amount: '5.00' });
      const body = {
        merchant: 'teashop',
        order,
        ...(hasToken && { orderToken: openShop.token(order) }),
      };
      const from = { 'x-forwarded-for': address };
      answers.push((await openShop.post('/v1/checkouts', body, from)).status);
    }
    return answers;
  };

  it('a stranger who asks again and again is stopped, and locks no one out of the order', async () => {
    expect(await openAs(['N1', 'N1', 'N1'], '192.0.2.1')).toEqual([200, 200, 429]);
    expect(await openAs(['N1'], '198.51.100.1')).toEqual([200]);
    expect(await openAs(['N1', 'N1', 'N1'], '198.51.100.2', true)).toEqual([200, 200, 429]);
  });

  it('strangers who use up what a shop has for them leave its share to those with an order token', async () => {
    const orders = Array.from({ length: 6 }, (_, at) => `S${String(at)}`);
    expect((await openAs(orders, '192.0.2.2')).at(-1)).toBe(429);
    expect(await openAs(['N2', 'N3'], '198.51.100.3', true)).toEqual([200, 200]);
  });
});

describe('whose request it is', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:51234', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:51234', '192.0.2.1'],
    ['2001:db8:0:1200::1', '2001:db8:0:1200::/56'],
    ['[2001:db8:0:12ff:1::1]:51234', '2001:db8:0:1200::/56'],
    ['2001:db8:0:1300::1', '2001:db8:0:1300::/56'],
  ])('%s counts as %s', (ip, expected) => {
    expect(addressOf({ ip })).toBe(expected);
  });
});

describe('so many a minute', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const refusal = (limit: Limit, key: string): Promise<unknown> =>
    limit.count(key).catch((error: unknown) => error);

  it('are counted from the first one on, and refused ones make no one wait longer', async () => {
    const limit = new Limit('address', 2);
    expect([await refusal(limit, 'one'), await refusal(limit, 'one')]).toEqual([
      undefined,
      undefined,
    ]);
    vi.advanceTimersByTime(20_000);
    expect(await refusal(limit, 'one')).toMatchObject({ status: 429, retryAfterSeconds: 40 });
    vi.advanceTimersByTime(39_500);
    expect(await refusal(limit, 'one')).toMatchObject({ retryAfterSeconds: 1 });
    vi.advanceTimersByTime(1000);
    expect(await refusal(limit, 'one')).toBeUndefined();
  });

  it('are counted for each key apart, and one that was counted in error is taken back', async () => {
    const limit = new Limit('address', 1);
    const allowed = [];
    for (const key of ['one', 'other', 'one']) allowed.push(await limit.allows(key));
    expect(allowed).toEqual([true, true, false]);
    await limit.takeBack('other');
    expect([await limit.allows('other'), await limit.allows('other')]).toEqual([true, false]);
  });
});
