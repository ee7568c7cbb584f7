import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply } from '../contract.js';
import { ShopClient } from '../provider/shop-client.js';
import { createOrderLookup } from '../orders/order-lookup.js';
import { signOrderToken } from '../orders/order-token.js';
import { LocalServer } from '../testing/local-server.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestDns } from '../testing/test-dns.js';
import { SHOP_ORIGIN, TestStack } from '../testing/test-stack.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.close());

describe('an order token stops', () => {
  it('a stranger who knows an order but not the secret', async () => {
    stack.shop.orders.set('T1', { amount: '5.00' });
    const expiresAt = Math.floor(Date.now() / 1000) + 600;
    const claim = { merchant: 'teashop', order: 'T1', expiresAt };
    const guess = signOrderToken('0'.repeat(64), claim);
    expect((await stack.reopen('T1', { orderToken: guess })).status).toBe(404);
  });

  it('a stranger who prolongs an old token', async () => {
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

describe('where an order opens by its name alone, an order token', () => {
  let openShop: TestStack;
  beforeAll(async () => {
    openShop = await TestStack.start({ merchant: { openBy: 'order' } });
    openShop.shop.orders.set('N1', { amount: '5.00' });
  });
  afterAll(() => openShop.close());

  it('need not be there, but a good one is', async () => {
    expect((await openShop.reopen('N1', { orderToken: undefined })).status).toBe(200);
    expect((await openShop.reopen('N1')).status).toBe(200);
  });

  it('that is none is refused all the same, as everywhere', async () => {
    const claim = { merchant: 'teashop', order: 'N1', expiresAt: 2e9 };
    const bad = [
      '',
      'N1',
      signOrderToken('0'.repeat(64), claim),
      signOrderToken(openShop.orderTokenSecret, { ...claim, merchant: 'another' }),
      openShop.token('N2'),
    ];
    for (const orderToken of bad) {
      const { status, body } = await openShop.reopen('N1', { orderToken });
      expect([status, body.code]).toEqual([404, 'order_not_found']);
    }
    const { status, body } = await openShop.reopen('N1', { orderToken: openShop.token('N1', -1) });
    expect([status, body.code]).toEqual([401, 'order_token_expired']);
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

  it('does not let anyone cancel with a session that was superseded, or with that of another order', async () => {
    const { body: older } = await stack.open('S6', { amount: '5.00' });
    const { body: newer } = await stack.reopen('S6', { renew: older.sessionId });
    expect([newer.checkout, newer.sessionId]).not.toContain(older.sessionId);
    const { body: other } = await stack.open('S7', { amount: '5.00' });
    const stateAfter = async (sessionId: string | undefined) => {
      const hint = { kind: 'cancelled', sessionId };
      const { body } = await stack.post<{ state: string }>(
        `/v1/checkouts/${newer.checkout}/hints`,
        hint,
      );
      return body.state;
    };
    expect(await stateAfter(older.sessionId)).toBe('open');
    expect(await stateAfter(other.sessionId)).toBe('open');
    expect(await stateAfter(newer.sessionId)).toBe('cancelled');
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
  const FOREIGN = { origin: 'https://evil.example', 'sec-fetch-mode': 'cors' };
  const OURS = { origin: SHOP_ORIGIN, 'sec-fetch-mode': 'cors' };
  const TEXT = 'text/plain;charset=UTF-8';
  const FORM = 'application/x-www-form-urlencoded';

  it.each<[string, Record<string, string>, string, number]>([
    ['a foreign page’s script', FOREIGN, TEXT, 403],
    ['a foreign page’s script', FOREIGN, 'application/json', 403],
    ['a foreign form', { ...FOREIGN, 'sec-fetch-mode': 'navigate' }, TEXT, 403],
    ['a form of the shop’s page', { ...OURS, 'sec-fetch-mode': 'navigate' }, TEXT, 403],
    ['a form of the shop’s page', { ...OURS, 'sec-fetch-mode': 'navigate' }, FORM, 403],
    ['a sandboxed frame', { ...OURS, origin: 'null' }, TEXT, 403],
    ['no page', {}, TEXT, 403],
    ['no page', {}, 'application/json', 403],
    ['the shop’s page, as a form’s fields', OURS, FORM, 400],
    ['the shop’s page, in parts', OURS, 'multipart/form-data; boundary=x', 400],
  ])(
    'with a form’s content type is not read: the browser sends it without a preflight (from %s, %j)',
    async (_who, headers, type, refusal) => {
      stack.shop.orders.set('X1', { amount: '5.00' });
      const order = { merchant: 'teashop', order: 'X1', orderToken: stack.token('X1') };
      const post = async (body: string) => {
        // Not by `fetch()`, which says itself how it fetches.
        const sent = request(`${stack.url}/v1/checkouts`, {
          method: 'POST',
          headers: { 'content-type': type, ...headers },
        });
        sent.end(body);
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        answer.resume();
        return answer.statusCode;
      };
      expect(await post(JSON.stringify(order))).toBe(refusal);
      // A body that is no JSON, or too large, is refused by the same rule: it was not read.
      expect(await post('{')).toBe(refusal);
      expect(await post('x'.repeat(17_000))).toBe(refusal);
      expect(stack.shop.lookups).not.toContain('X1');
    },
  );

  it.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ])('that brings a hint as %j is not read either', async (type) => {
    const { body: opened } = await stack.open('X2', { amount: '5.00' });
    const path = `/v1/checkouts/${opened.checkout}/hints`;
    const hint = JSON.stringify({ kind: 'cancelled', sessionId: opened.sessionId });
    const { status } = await stack.fetch(path, {
      method: 'POST',
      headers: { 'content-type': type, origin: 'https://evil.example' },
      // As bytes, so that no type is given them on the way.
      body: new TextEncoder().encode(hint),
    });
    expect(status).toBe(400);
    const { body } = await stack.fetch<CheckoutStatusReply>(
      `/v1/checkouts?id=${opened.checkout}:0`,
    );
    expect(body.checkouts[0]?.state).toBe('open');
  });

  it('that brings a hint as JSON is asked about first, and gets no leave', async () => {
    const { body: opened } = await stack.open('X3', { amount: '5.00' });
    const { headers } = await stack.fetch(`/v1/checkouts/${opened.checkout}/hints`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    const names = ['access-control-allow-origin', 'access-control-allow-headers'];
    expect(names.map((name) => headers.get(name))).toEqual([null, null]);
  });
});

describe('the order lookup', () => {
  /** Something inside our network, and names that lead there. */
  async function startInside() {
    let requests = 0;
    const inside = await LocalServer.start((_request, response) => {
      requests += 1;
      response.writeHead(404).end();
    });
    const dns = new TestDns();
    const client = new ShopClient(dns.lookup);
    const lookUp = createOrderLookup(client);
    return {
      inside,
      dns,
      requests: () => requests,
      askFor: (name: string) => {
        const url = `http://${name}:${String(inside.port)}/order-lookup`;
        return lookUp(testMerchant({ orderLookup: { url } }), 'P1').catch(
          (error: unknown) => error,
        );
      },
      close: () => Promise.all([client.close(), inside.close()]),
    };
  }
  const refused = {
    code: 'order_lookup_failed',
    cause: expect.objectContaining({ name: 'PrivateAddressError' }) as unknown,
  };

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433'])(
    'is not made to a private address, unless the merchant entry allows it: %s',
    async (host) => {
      const { inside, requests, close } = await startInside();
      const url = `http://${host}:${String(inside.port)}/order-lookup`;
      const answers = [];
      for (const allowPrivateAddress of [false, true]) {
        const orderLookup = { url, allowPrivateAddress };
        const guarded = await TestStack.start({ merchant: { orderLookup } });
        const { body } = await guarded.open('P1', { amount: '5.00' });
        answers.push([body.code, requests()]);
        await guarded.close();
      }
      await close();
      // The second one shows that a listener there would have heard the first one.
      expect(answers).toEqual([
        ['order_lookup_failed', 0],
        ['order_not_found', 1],
      ]);
    },
  );

  it.each([
    ['alone', ['127.0.0.1']],
    ['next to a public one', ['3000::1', '127.0.0.1']],
    ['as IPv6', ['::ffff:127.0.0.1']],
  ])('is not made to a name that leads into the private network: %s', async (_how, addresses) => {
    const { dns, requests, askFor, close } = await startInside();
    dns.names.set('shop.example', addresses);
    expect(await askFor('shop.example')).toMatchObject(refused);
    await close();
    expect(requests()).toBe(0);
  });

  it('is not made to a name that leads elsewhere once it was checked (DNS rebinding)', async () => {
    const { dns, requests, askFor, close } = await startInside();
    // Public, and assigned to no one: none of 4000::/3 was ever given out.
    dns.names.set('shop.example', ['3000::1']);
    dns.later.set('shop.example', ['127.0.0.1']);
    const tried: string[] = [];
    const watch = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      socket.on('connectionAttempt', (address: string) => tried.push(address));
    };
    subscribe('net.client.socket', watch);
    try {
      // One answer, checked, and used for the one connection.
      expect(await askFor('shop.example')).toMatchObject({ code: 'order_lookup_failed' });
      expect(tried).toEqual(['3000::1']);
      // The next order resolves the name again, and it is refused now.
      expect(await askFor('shop.example')).toMatchObject(refused);
      expect(tried).toEqual(['3000::1']);
    } finally {
      unsubscribe('net.client.socket', watch);
      await close();
    }
    expect(requests()).toBe(0);
  });
});
