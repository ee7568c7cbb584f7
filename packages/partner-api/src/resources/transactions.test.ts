import { describe, expect, it } from 'vitest';

import { decimalOf } from '../decimal.js';
import { answerJson, clientOf, failureOf, pageOf, startServer } from '../testing/test-server.js';
import { extraOf } from '../extra.js';
import { endOfPage } from './transaction-pages.js';
import type { ListTransactionsParams } from './transactions.js';

describe('transactions.list', () => {
  it('sends what spec 4.1 shows, with the length in bytes', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const params = {
      fromDate: '2026-02-28',
      toDate: '2026-03-31',
      limit: 100,
      cursor: 'c-é',
      status: ['SUCCESS', 'REFUND', 'SOMETHING_NEW'],
      merchantId: 1001,
      timezone: 'Europe/London',
      resellerId: 7,
    };
    await clientOf(server.url).transactions.list(params);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/transactions/list' });
    expect(JSON.parse(request?.body ?? '')).toEqual(params);
    expect(request?.headers).toMatchObject({
      api_key: 'test-key',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request?.body ?? '')),
      'user-agent': 'pay-checkout-partner-api',
    });
    expect(request?.headers['transfer-encoding']).toBeUndefined();
  });

  it('sends an empty object when nothing is asked for', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    await clientOf(server.url).transactions.list({ cursor: undefined });
    expect(server.requests[0]?.body).toBe('{}');
  });

  it.each(['', '/'])(
    'keeps the path prefix of the base address (with %j at its end)',
    async (end) => {
      await using server = await startServer((response) => answerJson(response, pageOf()));
      await clientOf(`${server.url}/partners/eu${end}`).transactions.list();
      expect(server.requests[0]?.url).toBe('/partners/eu/v1/transactions/list');
    },
  );

  it('gives both variants, statuses and fields that the spec does not list as they came', async () => {
    const rows = [
      { id: 'a', status: 'SUCCESS', amount: 12.5, last4Digits: '0004', service_fee: 0.3 },
      { id: 'b', status: 'REFUNDED', net: 9.5, deductions: 0.5, amountRefunded: 10 },
      { id: 'c', status: 'HELD', paymentMethod: 'New Wallet', brandNew: { deep: [1] } },
      {},
    ];
    await using server = await startServer((response) => {
      answerJson(response, {
        data: { transactions: rows, timezone: 'UTC', total: 4 },
        pagination: { hasMore: true, nextCursor: 'opaque==', pages: 2 },
        trace: 'x',
      });
    });
    const page = await clientOf(server.url).transactions.list();
    expect(page).toEqual({
      data: { transactions: rows, timezone: 'UTC', total: 4 },
      pagination: { hasMore: true, nextCursor: 'opaque==', pages: 2 },
      trace: 'x',
    });
  });

  it('gives the fields that the document does not list as extra ones, with every digit', async () => {
    await using server = await startServer((response) => {
      response.end(
        '{"data":{"transactions":[{"id":"a","tip":1.50,"extra":{"a":1}}]},"pagination":{"hasMore":false}}',
      );
    });
    const [row = {}] = (await clientOf(server.url).transactions.list()).data.transactions;
    expect(JSON.stringify(extraOf(row))).toBe('{"tip":1.5,"extra":{"a":1}}');
    expect(decimalOf(extraOf(row), 'tip')).toBe('1.50');
    const schedule = { id: 's', cadence: 'daily', colour: 'red' };
    expect(extraOf(schedule, 'ReportSchedule')).toEqual({ colour: 'red' });
    // @ts-expect-error a misspelt field is a mistake of types
    expect(row.amout).toBeUndefined();
  });

  it('gives the exact text of an amount that is too long for a double', async () => {
    await using server = await startServer((response) => {
      response.end(
        '{"data":{"transactions":[{"amount":12345678901234567890.12},{"amount":9.99}]},' +
          '"pagination":{"hasMore":false}}',
      );
    });
    const { transactions } = (await clientOf(server.url).transactions.list()).data;
    expect(transactions.map((row) => decimalOf(row, 'amount'))).toEqual([
      '12345678901234567890.12',
      '9.99',
    ]);
  });

  it('takes null for no cursor, and keeps hasMore without a cursor visible', async () => {
    await using server = await startServer((response) => {
      answerJson(response, {
        data: { transactions: [] },
        pagination: { hasMore: true, nextCursor: null },
      });
    });
    const page = await clientOf(server.url).transactions.list();
    expect(page.pagination).toEqual({ hasMore: true });
  });

  it.each([
    ['data (nothing) is not an object', {}],
    ['data.transactions (object) is not a list', { data: { transactions: {} } }],
  ])('refuses an answer where %s, and quotes nothing of it', async (sentence, body) => {
    await using server = await startServer((response) => answerJson(response, body));
    const error = await failureOf(clientOf(server.url).transactions.list());
    expect(error).toMatchObject({ name: 'InvalidResponseError', problem: 'shape', attempt: 1 });
    expect((error as Error).message).toContain(sentence);
    expect((error as Error).message).not.toContain('canary');
  });

  it.each([
    ['without pagination', undefined, 'missing_pagination', 'pagination: nothing'],
    ['with null for pagination', null, 'missing_pagination', 'pagination: null'],
    ['with a text for hasMore', { hasMore: 'no' }, 'missing_pagination', 'hasMore: text'],
    [
      'with a number for a cursor',
      { hasMore: true, nextCursor: 5 },
      'missing_cursor',
      'nextCursor',
    ],
    ['without a cursor', { hasMore: true }, 'missing_cursor', undefined],
  ])('keeps the rows of a page %s, and says that more may follow', async (...row) => {
    const [, pagination, problem, drift] = row;
    await using server = await startServer((response) =>
      answerJson(response, { data: { transactions: [{ id: 'a' }] }, pagination }),
    );
    const client = clientOf(server.url);
    const page = await client.transactions.list();
    expect(page.data.transactions).toEqual([{ id: 'a' }]);
    expect(endOfPage(page)).toEqual({ kind: 'incomplete', problem });
    const report = JSON.stringify(client.driftReport());
    if (drift === undefined) return expect(report).toBe('{}');
    expect(report).toContain(drift);
    const strict = client.transactions.list({}, { validation: 'strict' });
    return expect(await failureOf(strict)).toMatchObject({ problem: 'shape' });
  });

  it.each<[string, unknown]>([
    ['fromDate', { fromDate: new Date(0) }],
    ['fromDate', { fromDate: '2026-02-29' }],
    ['fromDate', { fromDate: '01/02/2026' }],
    ['toDate', { toDate: '2026-04-31' }],
    ['toDate', { toDate: '2026-13-01' }],
    ['fromDate', { fromDate: '2026-03-02', toDate: '2026-03-01' }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1.5 }],
    ['cursor', { cursor: '' }],
    ['cursor', { cursor: null }],
    ['status', { status: 'SUCCESS' }],
    ['status', { status: [1] }],
    ['merchantId', { merchantId: '1001' }],
    ['merchantId', { merchantId: 2 ** 53 }],
    ['resellerId', { resellerId: NaN }],
    ['timezone', { timezone: 1 }],
    ['form_date', { form_date: '2026-03-01' }],
    ['constructor', { constructor: 1 }],
  ])('names %s when it cannot be right, and sends nothing', async (field, params) => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const client = clientOf(server.url);
    const error = await failureOf(client.transactions.list(params as ListTransactionsParams));
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      field,
      outcome: 'not_sent',
      attempt: 0,
    });
    expect((error as Error).message).toContain(`transactions.list: ${field} `);
    expect(server.requests).toHaveLength(0);
  });

  it('takes a leap day', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    await clientOf(server.url).transactions.list({ fromDate: '2028-02-29' });
    expect(server.requests).toHaveLength(1);
  });

  it('sends a field that the spec does not show when it is given as an extra field', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const { transactions } = clientOf(server.url);
    await transactions.list({ limit: 5 }, { extraFields: { sort: 'asc' } });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ limit: 5, sort: 'asc' });
    expect(
      await failureOf(transactions.list({ limit: 5 }, { extraFields: { limit: 6 } })),
    ).toMatchObject({
      field: 'limit',
    });
  });
});
