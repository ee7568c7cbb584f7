import { describe, expect, it } from 'vitest';

import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { ScheduledTransfersBody } from './scheduled-transfers.js';

const TRANSFERS = [
  { id: 'st-1', merchantAccount: 'Ōsaka', currency: 'GBP', schedule: '0 6 * * 1', status: 'odd' },
  { id: 'st-2', schedule: 'when it rains', more: { deep: true } },
];
const BODY: ScheduledTransfersBody = {
  request_id: 'r-1',
  data: [
    {
      schedule_transfer_id: 'st-1',
      currency: 'GBP',
      schedule: '0 6 * * 1',
      description: 'Wöchentlich 🧀',
      refrence: 'ref-1',
    },
  ],
};

describe('scheduledTransfers.list', () => {
  it('is a GET without a body and without a key by default', async () => {
    await using server = await startServer((response) => answerJson(response, TRANSFERS));
    const client = clientOf('http://127.0.0.1:9', { transfersBaseUrl: `${server.url}/pay` });
    expect(await client.scheduledTransfers.list(1001)).toEqual(TRANSFERS);
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'GET',
      url: '/pay/api/v1/schedule-transfer/1001',
      body: '',
    });
    for (const name of ['api_key', 'content-type', 'content-length', 'transfer-encoding']) {
      expect(request?.headers[name]).toBeUndefined();
    }
  });

  it('asks for each merchant under its own address', async () => {
    await using server = await startServer((response) => answerJson(response, TRANSFERS));
    const client = clientOf('http://127.0.0.1:9', { transfersBaseUrl: server.url });
    for (const mid of [1001, 1002, 1001]) await client.scheduledTransfers.list(mid);
    expect(server.requests.map(({ url }) => url?.split('/').at(-1))).toEqual([
      '1001',
      '1002',
      '1001',
    ]);
  });

  it('carries a body framed by its length in bytes, never chunked, with "refrence" as spelled', async () => {
    await using server = await startServer((response) => answerJson(response, TRANSFERS));
    const client = clientOf(server.url, { transfersBaseUrl: server.url });
    await client.scheduledTransfers.list('1001', BODY);
    const [request] = server.requests;
    expect(request?.method).toBe('GET');
    expect(JSON.parse(request?.body ?? '')).toEqual(BODY);
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(request?.body ?? '')));
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(request?.headers['api_key']).toBeUndefined();
  });

  it('works again and again, with and without a body', async () => {
    await using server = await startServer((response) => answerJson(response, TRANSFERS));
    const { scheduledTransfers } = clientOf(server.url, { transfersBaseUrl: server.url });
    for (const body of [BODY, undefined, BODY, BODY, undefined]) {
      expect(await scheduledTransfers.list(1, body)).toEqual(TRANSFERS);
    }
    expect(server.requests.map(({ body }) => body !== '')).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it('carries a key only when one is set for it', async () => {
    await using server = await startServer((response) => answerJson(response, []));
    const client = clientOf(server.url, {
      transfersBaseUrl: server.url,
      transfersApiKey: 'other-key',
    });
    expect(await client.scheduledTransfers.list(1)).toEqual([]);
    expect(server.requests[0]?.headers['api_key']).toBe('other-key');
  });

  it('is repeated without a body, and never with one: what the body does is not shown', async () => {
    await using server = await startServer((response, _, number) => {
      if (number % 2 === 1) answerJson(response, {}, 503);
      else answerJson(response, TRANSFERS);
    });
    const { scheduledTransfers } = clientOf(server.url, { transfersBaseUrl: server.url });
    await scheduledTransfers.list(1);
    expect(server.requests).toHaveLength(2);
    const error = await failureOf(scheduledTransfers.list(1, BODY));
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', attempt: 1 });
    expect((error as Error).message).toContain('not repeated');
    expect(server.requests).toHaveLength(3);
  });

  it('with a body is not even repeated when nothing was sent', async () => {
    const client = clientOf('http://127.0.0.1:9', { transfersBaseUrl: 'http://127.0.0.1:9' });
    expect(await failureOf(client.scheduledTransfers.list(1, BODY))).toMatchObject({
      outcome: 'not_sent',
      attempt: 1,
    });
  });

  it('counts extra fields as a body', async () => {
    await using server = await startServer((response) => response.destroy());
    const { scheduledTransfers } = clientOf(server.url, { transfersBaseUrl: server.url });
    const options = { extraFields: { mode: 'x' } };
    await failureOf(scheduledTransfers.list(1, undefined, options));
    expect(server.requests.map(({ body }) => body)).toEqual(['{"mode":"x"}']);
  });

  it.each([
    ['in production', { environment: 'production' }],
    ['when no environment is named', {}],
  ] as const)('has no address by default %s', async (_, options) => {
    const { scheduledTransfers } = clientOf('https://h.example/api', options);
    const error = await failureOf(scheduledTransfers.list(1));
    expect(error).toMatchObject({ field: 'transfersBaseUrl', outcome: 'not_sent' });
    expect((error as Error).message).toContain('for the sandbox only');
  });

  it('goes to the host of baseUrl in the sandbox', async () => {
    await using server = await startServer((response) => answerJson(response, []));
    const client = clientOf(`${server.url}/api/base`, { environment: 'sandbox' });
    await client.scheduledTransfers.list(1);
    expect(server.requests[0]?.url).toBe('/api/v1/schedule-transfer/1');
  });

  it('hints at what stands in between when a GET with a body is refused', async () => {
    await using server = await startServer((response) => {
      response.writeHead(403, { 'Content-Type': 'text/html' }).end('<html>no</html>');
    });
    const { scheduledTransfers } = clientOf(server.url, { transfersBaseUrl: server.url });
    const refused = await failureOf(scheduledTransfers.list(1, BODY));
    expect((refused as Error).message).toContain('may refuse a GET with a body');
    expect(((await failureOf(scheduledTransfers.list(1))) as Error).message).not.toContain(
      'a body',
    );
  });

  it('keeps a merchant identifier in its place in the path', async () => {
    await using server = await startServer((response) => answerJson(response, []));
    const { scheduledTransfers } = clientOf(server.url, { transfersBaseUrl: server.url });
    await scheduledTransfers.list('a/../b?c#d');
    expect(server.requests[0]?.url).toBe('/api/v1/schedule-transfer/a%2F..%2Fb%3Fc%23d');
    for (const mid of ['', '.', '..', 1.5]) {
      expect(await failureOf(scheduledTransfers.list(mid))).toMatchObject({ field: 'mid' });
    }
  });

  it.each([
    ['request_id', { request_id: 5 }],
    ['data', { data: {} }],
    ['data', { data: [{ currency: 5 }] }],
    ['data', { data: [{ reference: 'spelled well' }] }],
    ['requestId', { requestId: 'a' }],
  ])('names %s when it cannot be right', async (field, body) => {
    const { scheduledTransfers } = clientOf('https://h.example', { environment: 'sandbox' });
    const promise = scheduledTransfers.list(1, body as ScheduledTransfersBody);
    expect(await failureOf(promise)).toMatchObject({ name: 'InvalidRequestError', field });
  });

  it.each([
    ['the body (object) is not a list', {}],
    ['[] (text) is not an object', [{}, 'canary']],
  ])('refuses an answer where %s', async (sentence, body) => {
    await using server = await startServer((response) => answerJson(response, body));
    const { scheduledTransfers } = clientOf(server.url, { transfersBaseUrl: server.url });
    const error = (await failureOf(scheduledTransfers.list(1))) as Error;
    expect(error.message).toContain(sentence);
    expect(error.message).not.toContain('canary');
  });
});
