import { text as readText } from 'node:stream/consumers';
import { PartnerClient } from '@pay-checkout/partner-api';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalServer } from '../testing/local-server.js';
import { createPartnerGateway } from './gateway.js';
import { AT_PROVIDER } from '../testing/store-harness.js';

const QUERY = {
  ...AT_PROVIDER,
  fromDate: '2026-01-01',
  toDate: '2026-01-02',
  limit: 100,
};

const servers: LocalServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A gateway to a provider on this machine that gives one answer to everything. */
async function gatewayTo(status: number, body: string, headers: Record<string, string> = {}) {
  const server = await LocalServer.start((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  servers.push(server);
  const client = new PartnerClient({ apiKey: 'key', baseUrl: server.url, maxRetries: 0 });
  return createPartnerGateway({ get: () => Promise.resolve(client) });
}

function listOf(transaction: string, pagination = '{"hasMore":false,"nextCursor":""}'): string {
  return `{"data":{"transactions":[${transaction}],"timezone":"UTC"},"pagination":${pagination}}`;
}

describe('a row of the list', () => {
  it('keeps its money as the exact text, and every field that may carry a reference', async () => {
    const gateway = await gatewayTo(
      200,
      listOf(
        '{"id":"tx-1","orderRef":"A1001.700","newRef":700,"amount":9.10,"service_fee":1e-1,"amountRefunded":0,"merchantId":1001,"currencyCode":"GBP","status":"SUCCESS"}',
      ),
    );
    const { rows, end } = await gateway.listTransactions(QUERY);
    expect(rows).toMatchObject([
      { id: 'tx-1', amount: '9.10', serviceFee: '0.1', amountRefunded: '0', merchantId: 1001 },
    ]);
    expect(rows[0]?.references).toMatchObject({ orderRef: 'A1001.700', newRef: '700' });
    expect(end).toEqual({ kind: 'complete' });
  });

  it('takes null as absent, and a number where the spec says text for its digits', async () => {
    const gateway = await gatewayTo(
      200,
      listOf('{"id":12345,"currencyCode":null,"status":null,"merchantId":null,"amount":null}'),
    );
    const { rows } = await gateway.listTransactions(QUERY);
    expect(rows).toMatchObject([{ id: '12345' }]);
    for (const field of ['currencyCode', 'status', 'merchantId', 'amount'] as const) {
      expect(rows[0]?.[field]).toBeUndefined();
    }
  });

  it('takes digits as text only for a merchant that the spec says is a number', async () => {
    const gateway = await gatewayTo(
      200,
      listOf('{"merchantId":"1001"},{"merchantId":"1001x"},{"merchantId":""}'),
    );
    const { rows } = await gateway.listTransactions(QUERY);
    expect(rows.map(({ merchantId }) => merchantId)).toEqual([1001, NaN, NaN]);
  });

  it.each([
    ['{"hasMore":true,"nextCursor":"c2"}', { kind: 'more', cursor: 'c2' }],
    ['{"hasMore":false,"nextCursor":"c2"}', { kind: 'complete' }],
    ['{"hasMore":true,"nextCursor":""}', { kind: 'incomplete', problem: 'missing_cursor' }],
    ['{"hasMore":true,"nextCursor":null}', { kind: 'incomplete', problem: 'missing_cursor' }],
    ['null', { kind: 'incomplete', problem: 'missing_pagination' }],
  ])('keeps its rows and says whether more follows: %s', async (pagination, end) => {
    const page = await gatewayTo(200, listOf('{"id":"tx-1"}', pagination));
    const { rows, end: said } = await page.listTransactions(QUERY);
    expect([rows.length, said]).toEqual([1, end]);
  });
});

describe('a row that is no object', () => {
  it('hides none of the others, and is reported', async () => {
    const gateway = await gatewayTo(200, listOf('null,{"id":"tx-1"},"canary"'));
    const page = await gateway.listTransactions(QUERY);
    expect(page.rows).toMatchObject([{ id: 'tx-1' }]);
    expect(page.unreadable).toEqual({
      count: 2,
      first: [
        { index: 0, kind: 'null' },
        { index: 2, kind: 'text' },
      ],
    });
    const whole = await gatewayTo(200, listOf('{"id":"tx-1"}'));
    expect((await whole.listTransactions(QUERY)).unreadable).toBeUndefined();
  });
});

describe('a field of 50,000 levels', () => {
  it('hides no row, nor a digit of their money', async () => {
    const deep = `{"id":"tx-1","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const gateway = await gatewayTo(
      200,
      listOf(`${deep},{"id":"tx-2","amount":9.990000000000001}`),
    );
    const { rows } = await gateway.listTransactions(QUERY);
    expect(rows).toMatchObject([{ id: 'tx-1' }, { id: 'tx-2', amount: '9.990000000000001' }]);
  });
});

describe('a list that cannot be read', () => {
  it.each([
    [500, '{}'],
    [403, '{}'],
    [200, 'not JSON'],
  ])('is a 503 of ours: %i %s', async (status, body) => {
    const gateway = await gatewayTo(status, body);
    await expect(gateway.listTransactions(QUERY)).rejects.toMatchObject({
      name: 'AppError',
      status: 503,
      code: 'provider_unavailable',
    });
  });
});

describe('a list that is refused for a while', () => {
  it.each([
    ['120', 120],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['later', 0],
  ])('says when to ask again: Retry-After %s', async (retryAfter, retryAfterSeconds) => {
    const gateway = await gatewayTo(429, '{}', {
      'retry-after': retryAfter,
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    });
    const failure: unknown = await gateway.listTransactions(QUERY).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'provider_unavailable', retryAfterSeconds });
  });
});

describe('a question for the list', () => {
  it('says that its days are days in UTC, and names only page and merchant', async () => {
    const asked: unknown[] = [];
    const server = await LocalServer.start((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        asked.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.writeHead(200, { 'content-type': 'application/json' }).end(listOf(''));
      });
    });
    servers.push(server);
    const client = new PartnerClient({ apiKey: 'key', baseUrl: server.url, maxRetries: 0 });
    const gateway = createPartnerGateway({ get: () => Promise.resolve(client) });
    await gateway.listTransactions(QUERY);
    await gateway.listTransactions({ ...QUERY, cursor: 'c2' });
    await gateway.listTransactions({ ...QUERY, providerMerchantId: undefined });
    const days = { fromDate: '2026-01-01', toDate: '2026-01-02', timezone: 'UTC' };
    expect(asked).toEqual([
      { ...days, merchantId: 1001, limit: 100 },
      { ...days, merchantId: 1001, limit: 100, cursor: 'c2' },
      { ...days, limit: 100 },
    ]);
  });
});

describe('a session that is asked for', () => {
  const fields = { merchant_id: 1001, order_id: 700, Amount: '9.99' };

  it.each([
    [200, '{"session_id":"session-1"}', { kind: 'created', sessionId: 'session-1' }],
    [400, '{}', { kind: 'refused' }],
    [500, '{}', { kind: 'unknown' }],
    [200, '{}', { kind: 'unknown' }],
    [200, 'not JSON', { kind: 'unknown' }],
  ])('ends as the provider’s answer %i %s says', async (status, body, result) => {
    const gateway = await gatewayTo(status, body);
    expect(await gateway.createSession('default', fields)).toMatchObject(result);
  });

  it('carries the extra fields of the merchant entry after ours', async () => {
    const bodies: string[] = [];
    const server = await LocalServer.start((request, response) => {
      void readText(request).then((body) => {
        bodies.push(body);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"session_id":"session-1"}');
      });
    });
    servers.push(server);
    const client = new PartnerClient({ apiKey: 'key', baseUrl: server.url, maxRetries: 0 });
    const extraFields = { channel: 'web', installments: 3, test: false };
    await createPartnerGateway({ get: () => Promise.resolve(client) }).createSession(
      'default',
      fields,
      extraFields,
    );
    expect(bodies).toEqual([JSON.stringify({ ...fields, ...extraFields })]);
  });

  it('ends not sent when its account is gone', async () => {
    const gateway = createPartnerGateway({ get: () => Promise.reject(new Error('no account')) });
    expect(await gateway.createSession('north', fields)).toMatchObject({ kind: 'not_sent' });
  });

  it('ends not sent when no one answers', async () => {
    const gateway = await gatewayTo(200, '{}');
    await Promise.all(servers.splice(0).map((server) => server.close()));
    expect(await gateway.createSession('default', fields)).toMatchObject({ kind: 'not_sent' });
  });
});
