import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';

import { ConnectionError } from './errors.js';
import type { Transport } from './http/transport.js';
import { Secret } from './secret.js';
import { showEverything } from './testing/show-everything.js';
import {
  answerJson,
  clientOf,
  failureOf,
  findDeadUrl,
  pageOf,
  startServer,
} from './testing/test-server.js';

const CANARY = 'canary-7f3a9c';
describe('Secret', () => {
  it('is hidden wherever a value is usually printed, and read only by reveal', () => {
    const secret = new Secret(CANARY);
    expect(showEverything({ nested: [secret] })).not.toContain(CANARY);
    expect(showEverything(secret)).not.toContain(CANARY);
    expect(`key: ${secret as unknown as string}`).toBe('key: [secret]');
    expect(inspect(structuredClone(secret), { showHidden: true })).not.toContain(CANARY);
    expect(secret.reveal()).toBe(CANARY);
  });
});

describe('the API key', () => {
  it('is sent as the header api_key and seen nowhere in a client that is in use', async () => {
    await using server = await startServer((response) => answerJson(response, pageOf()));
    const client = clientOf(server.url, { apiKey: new Secret(CANARY) });
    await client.transactions.list();
    expect(server.requests[0]?.headers['api_key']).toBe(CANARY);
    expect(showEverything(client)).not.toContain(CANARY);
    expect(() => structuredClone({ ...client })).not.toThrow();
    expect(showEverything(structuredClone({ ...client }))).not.toContain(CANARY);
  });

  it.each([401, 302, 500])(
    'is in no error of status %i, although the answer repeats it',
    async (status) => {
      await using server = await startServer((response) => {
        response.writeHead(status, { Location: `https://else.example/?key=${CANARY}` }).end(CANARY);
      });
      const client = clientOf(server.url, { apiKey: CANARY, maxRetries: 0 });
      expect(showEverything(await failureOf(client.transactions.list()))).not.toContain(CANARY);
    },
  );

  it('is in no error of a page that is not JSON, nor is anything else of that page', async () => {
    await using server = await startServer((response) => response.end(`{"a": ${CANARY}`));
    const client = clientOf(server.url, { apiKey: CANARY, maxRetries: 0 });
    expect(showEverything(await failureOf(client.transactions.list()))).not.toContain(CANARY);
  });

  it('is in no error of a connection that is refused', async () => {
    const client = clientOf(await findDeadUrl(), { apiKey: CANARY, maxRetries: 0 });
    expect(showEverything(await failureOf(client.transactions.list()))).not.toContain(CANARY);
  });

  it('is taken out of the errors of a foreign transport that hangs the request on them', async () => {
    const transport: Transport = {
      send: (request) => {
        const cause = Object.assign(new Error(`bad ${CANARY}`), { request });
        return Promise.reject(Object.assign(new Error(`sent ${CANARY}`, { cause }), { request }));
      },
    };
    const client = clientOf('https://h.example', { apiKey: CANARY, maxRetries: 0, transport });
    const error = await failureOf(client.transactions.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(showEverything(error)).not.toContain(CANARY);
    expect(showEverything(error)).toContain('bad [secret]');
  });

  it.each(['', 'two words', 'key\n', 'ключ'])(
    'that cannot be one (%j) is refused unseen',
    (apiKey) => {
      expect(() => clientOf('https://h.example', { apiKey })).toThrow(/apiKey must be/);
    },
  );
});
