import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../session-server/src/config.js';
import { startSessionServer } from '../../session-server/src/running-server.js';
import { LocalServer } from '../../session-server/src/testing/local-server.js';
import { TestStack } from '../../session-server/src/testing/test-stack.js';

interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks with headers that `fetch` would set itself. */
async function askAs(stack: TestStack, { path = '/operator/health', method, headers }: Ask) {
  const port = stack.server.operatorPort;
  const asked = request({ host: '127.0.0.1', port, path, method, headers });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const body = (await readJson(response)) as { code?: string };
  return [response.statusCode, body.code];
}

describe('the operator’s listener', () => {
  let stack: TestStack;
  beforeAll(async () => {
    const env = { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_NAMES: 'pay-1.internal' };
    stack = await TestStack.start({ env });
  });
  afterAll(() => stack.close());

  it.each(['127.0.0.1:9464', 'localhost', '[::1]:9464', '10.1.2.3', 'pay-1.internal:9464'])(
    'answers to %s',
    async (host) => {
      expect(await askAs(stack, { headers: { host } })).toEqual([200, undefined]);
    },
  );

  it.each(['attacker.example', 'attacker.example:9464', '127.0.0.1.attacker.example'])(
    'does not answer to the name “%s”, which a page could have made lead here',
    async (host) => {
      const refused = [421, 'operator_host_refused'];
      expect(await askAs(stack, { headers: { host } })).toEqual(refused);
      expect(await askAs(stack, { path: '/metrics', headers: { host } })).toEqual(refused);
    },
  );

  it.each([
    { origin: 'https://page.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-origin' },
  ])('does not answer a page of a browser: %j', async (headers) => {
    expect(await askAs(stack, { headers })).toEqual([403, 'operator_page_refused']);
  });

  it('answers a person who types its address into a browser', async () => {
    const headers = { 'sec-fetch-site': 'none' };
    expect(await askAs(stack, { headers })).toEqual([200, undefined]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'changes nothing for a body of type “%s”, such as a form sends',
    async (type) => {
      const { status, body } = await stack.askOperator<{ code: string }>(
        '/operator/events/redeliver',
        {
          method: 'POST',
          body: new Blob(['{"all":true}'], { type }),
        },
      );
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  it.each([
    '/operator/attention?days=1e308',
    '/operator/attention?days=Infinity',
    '/operator/attention?merchant=%00',
    '/operator/events/dead-lettered?merchant=%00',
    '/operator/orders/teashop/%00/timeline',
    '/operator/orders/teashop/%00/explain',
    '/operator/report?day=2026-03-01&merchant=%00',
  ])('names what is wrong with %s', async (path) => {
    const { status, body } = await stack.askOperator<{ code: string }>(path);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  it('is not the listener of the shoppers', async () => {
    expect((await stack.fetch('/metrics')).status).toBe(404);
    expect((await stack.fetch('/operator/health')).status).toBe(404);
    expect((await stack.askOperator('/v1/checkout-config?merchant=teashop')).status).toBe(404);
    expect(stack.server.operatorPort).not.toBe(stack.server.port);
  });

  it('answers problem JSON with an id, and nothing that a page could frame or keep', async () => {
    const { status, body, headers } = await stack.askOperator<{ requestId: string }>('/operator/x');
    expect(status).toBe(404);
    expect(body.requestId).toBe(headers.get('x-request-id'));
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('the operator’s listener with a key', () => {
  const key = 'operator-key-operator-key-operator-key';
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start({ env: { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: key } });
  });
  afterAll(() => stack.close());

  it.each(['/metrics', '/operator/health'])('shows %s to its holder only', async (path) => {
    for (const authorization of ['', `Bearer ${key}x`, `Basic ${key}`, key]) {
      const { status, body } = await stack.askOperator<{ code: string }>(path, {
        headers: { authorization },
      });
      expect([status, body.code]).toEqual([401, 'operator_key_refused']);
    }
    for (const scheme of ['Bearer', 'bearer']) {
      const headers = { authorization: `${scheme} ${key}` };
      expect((await stack.askOperator(path, { headers })).status).toBe(200);
    }
  });
});

describe('guesses of the key of a program', () => {
  it.each(['/metrics', '/operator/health'])(
    'at %s are limited by address, and never stop one that had the right key',
    async (path) => {
      const key = 'operator-key-operator-key-operator-key';
      const env = { PAY_OPERATOR_PORT: '0', PAY_OPERATOR_KEY: key, PAY_TRUST_PROXY: '127.0.0.0/8' };
      const stack = await TestStack.start({ env });
      const guess = async (given: string, address: string) => {
        const headers = { authorization: `bearer ${given}`, 'x-forwarded-for': address };
        return (await stack.askOperator(path, { headers })).status;
      };
      expect(await guess(key, '192.0.2.1')).toBe(200);
      const guesses: number[] = [];
      for (let at = 0; at < 21; at += 1) guesses.push(await guess(`wrong-${at}`, '192.0.2.1'));
      expect(guesses).toEqual([...Array<number>(20).fill(401), 429]);
      expect(await guess(key, '192.0.2.1')).toBe(200);
      for (let at = 0; at < 21; at += 1) await guess(`wrong-${at}`, '192.0.2.2');
      expect(await guess(key, '192.0.2.2')).toBe(429);
      expect(await guess(key, '192.0.2.3')).toBe(200);
      await stack.close();
    },
  );
});

describe('a server whose operator’s port is taken', () => {
  it('does not start by half: it lets go of its own port and of the data file', async () => {
    const stack = await TestStack.start();
    const taken = await LocalServer.start((_request, response) => response.end());
    try {
      await stack.server.close();
      const env = { ...stack.env, PAY_OPERATOR_PORT: String(taken.port) };
      await expect(startSessionServer(parseConfig(env))).rejects.toThrow(
        'another program listens there',
      );
      await stack.startServer();
      expect((await stack.fetch('/readyz')).status).toBe(200);
    } finally {
      await stack.close();
      await taken.close();
    }
  });
});

describe('the operator’s routes', () => {
  let stack: TestStack;
  beforeAll(async () => {
    const token = 'a-registered-endpoint-token-1';
    const tokenHash = `sha256:${createHash('sha256').update(token).digest('hex')}`;
    const webhookEndpoints = [{ tokenHash, paths: { orderId: 'order_id' } }];
    stack = await TestStack.start({
      env: { PAY_OPERATOR_PORT: '0' },
      merchant: { webhookEndpoints },
    });
  });
  afterAll(() => stack.close());

  it('say how it stands with the server', async () => {
    await stack.open('H1', { amount: '9.99' });
    const { status, body } = await stack.askOperator<Record<string, unknown>>('/operator/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      merchants: 1,
      backlog: {
        watchedAttempts: 1,
        deadLetteredEvents: 0,
        waitingWebhooks: 0,
        oldestReturnSeconds: 0,
      },
    });
    const { orderIdShare } = body['backlog'] as { orderIdShare: number };
    expect(orderIdShare).toBeGreaterThan(0.02);
    expect(orderIdShare).toBeLessThan(0.9);
  });

  it('explain an order as the command does', async () => {
    await stack.open('E1', { amount: '9.99' });
    const { body } = await stack.askOperator<{ order: string; lines: string[] }>(
      '/operator/orders/teashop/E1/explain',
    );
    expect(body.order).toBe('E1');
    expect(body.lines.join('\n')).toMatch(/^Checkout .*: open, 9\.99 GBP.*\n.*Attempt order_id/);
    const unknown = await stack.askOperator<{ code: string }>(
      '/operator/orders/unknown/E1/explain',
    );
    expect([unknown.status, unknown.body.code]).toEqual([404, 'unknown_merchant']);
  });

  it('say what happened to an order without a call of the provider', async () => {
    await stack.open('T1', { amount: '9.99' });
    const before = stack.sandbox.control.requests().length;
    const { body } = await stack.askOperator<{ order: string; lines: string[] }>(
      '/operator/orders/teashop/T1/timeline',
    );
    expect(body.order).toBe('T1');
    expect(body.lines.join('\n')).toMatch(
      /^\S+Z {2}Checkout created for 9\.99 GBP.*\n.*Session requested: order_id.*\n.*Session created/,
    );
    expect(stack.sandbox.control.requests()).toHaveLength(before);
    const unknown = await stack.askOperator('/operator/orders/teashop/T2/timeline');
    expect(unknown.body).toEqual({ merchant: 'teashop', order: 'T2', lines: [] });
  });

  it('explain one order at a time, so that no one can drain the provider’s patience', async () => {
    stack.sandbox.control.addFault({
      operation: 'transactions-list',
      fault: 'slow-body',
      seconds: 1,
    });
    const ask = () => stack.askOperator('/operator/orders/teashop/E1/explain');
    const statuses = (await Promise.all([ask(), ask()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 429]);
    expect((await ask()).status).toBe(200);
  });

  it('list dead-lettered events, and deliver them again', async () => {
    const event = await stack.refuseEvent('D1');
    const list = async (query = '') =>
      (await stack.askOperator<{ items: object[] }>(`/operator/events/dead-lettered${query}`)).body
        .items;
    expect(await list()).toMatchObject([
      { id: event, merchant: 'teashop', order: 'D1', type: 'checkout.cancelled', sequence: 1 },
    ]);
    expect(await list('?merchant=unknown')).toEqual([]);
    const redeliver = async (wanted: object) =>
      stack.askOperator<{ redelivered?: number; errors?: { message: string }[] }>(
        '/operator/events/redeliver',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(wanted),
        },
      );
    for (const wanted of [
      {},
      { all: false },
      { ids: [] },
      { ids: ['1'] },
      { all: true, ids: [] },
    ]) {
      const refused = await redeliver(wanted);
      expect(refused.status).toBe(400);
      expect(refused.body.errors?.[0]?.message).toMatch(/^expected .*(msg_…|id of an event)/);
    }
    expect((await redeliver({ merchant: 'unknown', retrying: true })).body.redelivered).toBe(0);
    expect((await redeliver({ ids: [event] })).body.redelivered).toBe(1);
    expect((await stack.shop.event('checkout.cancelled')).data['order']).toBe('D1');
    expect(await list()).toEqual([]);
  });

  it('deliver at once the events of a merchant that wait for their next try', async () => {
    stack.shop.eventAnswers.push(500);
    const { body } = await stack.open('D2', { amount: '9.99' });
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'CancelUrl'));
    const redeliver = async () => {
      const { body: answer } = await stack.askOperator<{ redelivered: number }>(
        '/operator/events/redeliver',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ merchant: 'teashop', retrying: true }),
        },
      );
      return answer.redelivered;
    };
    await expect.poll(redeliver).toBe(1);
    await expect.poll(() => stack.shop.events.map(({ data }) => data['order'])).toContain('D2');
  });

  it('list webhooks that no attempt was found for, with the merchants of the endpoint', async () => {
    await stack.post('/v1/webhooks/a-registered-endpoint-token-1', { order_id: 7 });
    const list = async () =>
      (await stack.askOperator<{ items: object[] }>('/operator/webhooks/unmatched')).body.items;
    await expect.poll(list).toMatchObject([{ merchants: ['teashop'] }]);
    expect(Object.keys((await list())[0] ?? {}).toSorted()).toEqual([
      'id',
      'merchants',
      'receivedAt',
    ]);
  });

  it('list the orders that a person should check, newest first', async () => {
    const { body } = await stack.open('T1', { amount: '9.99' });
    const session = stack.session(body.sessionId ?? '');
    stack.sandbox.control.addTransaction({
      row: {
        id: 'txn-1',
        orderRef: session.MerchantReference,
        merchantId: 1001,
        currencyCode: 'GBP',
        amount: '1.00',
        status: 'SUCCESS',
        transactionTime: new Date().toISOString(),
      },
    });
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'RedirectUrl'));
    const list = async (query = '') =>
      (await stack.askOperator<{ items: object[]; more: boolean }>(`/operator/attention${query}`))
        .body;
    await expect
      .poll(async () => (await list()).items)
      .toMatchObject([
        { merchant: 'teashop', order: 'T1', state: 'returned', attention: ['amount_mismatch'] },
      ]);
    expect(await list('?merchant=unknown')).toEqual({ items: [], more: false });
    const wrong = await stack.askOperator<{ errors: { field: string }[] }>(
      '/operator/attention?days=x',
    );
    expect(wrong.body.errors.map(({ field }) => field)).toEqual(['days']);
  });
});
