import { describe, expect, it } from 'vitest';

import { answerJson, clientOf, failureOf, pageOf, startServer } from '../testing/test-server.js';

describe('the options of one call', () => {
  it('add headers to those of the client', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const { transactions } = clientOf(server.url);
    await transactions.list({}, { headers: { 'X-Gateway': 'a b' } });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-gateway': 'a b', api_key: 'test-key' });
    await transactions.list();
    expect(server.requests[1]?.headers['x-gateway']).toBeUndefined();
  });

  it.each([
    { api_key: 'other' },
    { 'Content-Length': '5' },
    { 'transfer-encoding': 'chunked' },
    { Host: 'other.example' },
    { 'X-Odd': 'a\r\nb: c' },
    { 'X Odd': 'a' },
  ])('cannot replace or break a header of the client (%j)', async (headers) => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const error = await failureOf(clientOf(server.url).transactions.list({}, { headers }));
    expect(error).toMatchObject({ field: `headers.${Object.keys(headers)[0] ?? ''}` });
    expect(server.requests).toHaveLength(0);
  });

  it('add fields of any name to the body, and never one that is there already', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const { transactions } = clientOf(server.url);
    const extraFields = JSON.parse('{"constructor":1,"__proto__":2}') as Record<string, number>;
    await transactions.list({ limit: 5 }, { extraFields });
    expect(server.requests[0]?.body).toBe('{"limit":5,"constructor":1,"__proto__":2}');
    const twice = transactions.list({ limit: 5 }, { extraFields: { limit: 6 } });
    expect(await failureOf(twice)).toMatchObject({ field: 'limit', outcome: 'not_sent' });
  });

  it.each<[string, unknown]>([
    ['timeout', { timeout: 5 }],
    ['attemptTimeoutSeconds', { attemptTimeoutSeconds: 5 }],
    ['options', 5],
    ['options', null],
  ])(
    'that are not there, such as %s, are refused with the names of those that are',
    async (...row) => {
      const [field, options] = row;
      const { transactions } = clientOf('https://h.example');
      const error = await failureOf(transactions.list({}, options as object));
      expect(error).toMatchObject({ field, outcome: 'not_sent' });
      expect((error as Error).message).toContain('there are signal, timeoutSeconds');
    },
  );

  it('leave the object that they came in as it was', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const params = Object.freeze({ limit: 5 });
    const options = Object.freeze({ headers: Object.freeze({ 'X-A': '1' }), maxRetries: 0 });
    const { transactions } = clientOf(server.url);
    await transactions.list(params, options);
    for await (const _ of transactions.iterate(params, options));
    expect(server.requests).toHaveLength(2);
  });
});

describe('withResponse', () => {
  it('gives the answer with status, request id and headers, of the last attempt', async () => {
    await using server = await startServer((response, _, number) => {
      response.setHeader('x-request-id', `r-${number}`);
      answerJson(response, pageOf({ id: 'a' }), number === 1 ? 503 : 203);
    });
    const reply = await clientOf(server.url).transactions.list().withResponse();
    expect(reply).toMatchObject({ status: 203, requestId: 'r-2' });
    expect(reply.data.data.transactions).toEqual([{ id: 'a' }]);
    expect(reply.headers['content-type']).toBe('application/json');
  });

  it('fails with the error of the call, once', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 401));
    const { webhooks } = clientOf(server.url);
    const call = webhooks.test({ webhookId: 'a' }).withResponse();
    expect(await failureOf(call)).toMatchObject({ name: 'AuthenticationError' });
  });
});

describe('one client', () => {
  it('carries every operation', async () => {
    await using server = await startServer((response, { url }) => {
      if (url.includes('schedule-transfer')) answerJson(response, []);
      else if (url.includes('list')) answerJson(response, pageOf({ id: 'a' }));
      else
        answerJson(response, {
          session_id: 's',
          message: 'm',
          data: { webhook_id: 'w', hmac_key: 'k' },
        });
    });
    const client = clientOf(server.url, {
      merchantsBaseUrl: `${server.url}/m`,
      transfersBaseUrl: server.url,
    });
    for await (const row of client.transactions.iterate()) expect(row.id).toBe('a');
    await client.reports.updateSchedule({ id: 'a', status: 'active' });
    await client.merchants.associate({ action: 'reactivate', merchantId: 1 });
    await client.scheduledTransfers.list(1);
    await client.analytics.partner({ partner_name: 'a' });
    await client.checkoutSessions.create({ merchant_id: 1, order_id: 2 });
    await client.webhooks.create({ url: 'https://a.example' }, { storeKey: () => undefined });
    await client.webhooks.test({ webhookId: 'a' });
    await client.scheduledTransfers.list(1, { request_id: 'r' });
    expect(server.requests).toHaveLength(9);
    expect(server.requests.at(-1)).toMatchObject({ method: 'GET', body: '{"request_id":"r"}' });
  });
});
