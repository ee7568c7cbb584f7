import { describe, expect, it } from 'vitest';

import { KeyNotStoredError } from '../errors.js';
import { Secret } from '../secret.js';
import { ManualClock } from '../testing/manual-clock.js';
import { showEverything, recordDiagnostics } from '../testing/show-everything.js';
import {
  answerJson,
  clientOf,
  failureOf,
  findDeadUrl,
  startServer,
} from '../testing/test-server.js';
import type { CreateWebhookParams } from './webhooks.js';

const CANARY = 'canary-hmac-5b1e0c7d92';
const PARAMS = { url: 'https://shop.example/hook', description: 'Käse', events: ['any.name'] };
const CREATED = { data: { webhook_id: 'wh-1', hmac_key: CANARY, status: 'new' }, trace: 't' };
const storeKey = (): void => undefined;

describe('webhooks.create', () => {
  it('sends what is given, events of any name, and gives the key as a Secret', async () => {
    await using server = await startServer((response) => answerJson(response, CREATED));
    const { data, ...rest } = await clientOf(server.url).webhooks.create(PARAMS, { storeKey });
    expect(rest).toEqual({ trace: 't' });
    expect(data).toMatchObject({ webhook_id: 'wh-1', status: 'new' });
    expect(data.hmac_key).toBeInstanceOf(Secret);
    expect(data.hmac_key.reveal()).toBe(CANARY);
    expect(server.requests[0]).toMatchObject({ url: '/developer-service/webhooks/create' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(PARAMS);
  });

  it.each([CANARY, new Secret(CANARY)])(
    'sends a key of your own in full, given as text or as a Secret',
    async (hmac_key) => {
      await using server = await startServer((response) => answerJson(response, CREATED));
      await clientOf(server.url).webhooks.create({ ...PARAMS, hmac_key }, { storeKey });
      expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ ...PARAMS, hmac_key: CANARY });
    },
  );

  it('has its key stored before it resolves', async () => {
    await using server = await startServer((response) => answerJson(response, CREATED));
    const stored = Promise.withResolvers<void>();
    const steps: string[] = [];
    const asked = Promise.withResolvers<void>();
    const created = clientOf(server.url)
      .webhooks.create(PARAMS, {
        storeKey: async (key, id) => {
          steps.push(`storing ${id}: ${key.reveal()}`);
          asked.resolve();
          await stored.promise;
          steps.push('stored');
        },
      })
      .then(() => steps.push('resolved'));
    await asked.promise;
    expect(steps).toEqual([`storing wh-1: ${CANARY}`]);
    stored.resolve();
    await created;
    expect(steps.slice(1)).toEqual(['stored', 'resolved']);
  });

  it('hands over the key in its error when it could not be stored, and hides it there', async () => {
    await using server = await startServer((response) => answerJson(response, CREATED));
    const failing = (): never => {
      throw new Error(`disk full while writing ${CANARY}`);
    };
    const create = clientOf(server.url).webhooks.create(PARAMS, { storeKey: failing });
    const error = await failureOf(create);
    expect(error).toBeInstanceOf(KeyNotStoredError);
    const { hmacKey, webhookId } = error as KeyNotStoredError;
    expect([hmacKey.reveal(), webhookId]).toEqual([CANARY, 'wh-1']);
    expect(showEverything(error)).not.toContain(CANARY);
    expect(showEverything(error)).toContain('disk full');
  });

  it('refuses to begin without a place for the key', async () => {
    const { webhooks } = clientOf('https://h.example');
    const promise = webhooks.create(PARAMS, {} as { storeKey: typeof storeKey });
    expect(await failureOf(promise)).toMatchObject({ field: 'storeKey', outcome: 'not_sent' });
  });

  it.each([
    ['a lost answer', null, 'ConnectionError'],
    ['a failure of the provider', { status: 503, body: '{}' }, 'ServerError'],
    ['an answer that is cut off', { status: 200, body: '{"data":' }, 'InvalidResponseError'],
    [
      'an answer without the key',
      { status: 200, body: '{"data":{"webhook_id":"w"}}' },
      'InvalidResponseError',
    ],
  ])('is not repeated after %s, and says what to do', async (_, answer, name) => {
    await using server = await startServer((response) => {
      if (answer === null) response.destroy();
      else response.writeHead(answer.status).end(answer.body);
    });
    const error = await failureOf(clientOf(server.url).webhooks.create(PARAMS, { storeKey }));
    expect(error).toMatchObject({ name, outcome: 'unknown', attempt: 1 });
    expect((error as Error).message).toContain('A webhook may exist whose key was lost');
    expect(server.requests).toHaveLength(1);
  });

  it('is not repeated even when nothing was sent', async () => {
    const { webhooks } = clientOf(await findDeadUrl());
    const error = await failureOf(webhooks.create(PARAMS, { storeKey, maxRetries: 5 }));
    expect(error).toMatchObject({ outcome: 'not_sent', attempt: 1 });
    expect((error as Error).message).not.toContain('may exist');
  });

  it.each<[string, object]>([
    ['url', { url: '/hook' }],
    ['url', {}],
    ['events', { ...PARAMS, events: 'all' }],
    ['hmac_key', { ...PARAMS, hmac_key: '' }],
    ['hmac_key', { ...PARAMS, hmac_key: 'fifteen-letters' }],
    ['url', { ...PARAMS, url: 'javascript://a.example/%0aalert(1)' }],
    ['url', { ...PARAMS, url: 'app://shop/hook' }],
    ['hmac_key', { ...PARAMS, hmac_key: new Secret('') }],
  ])('names %s when it cannot be right', async (field, params) => {
    const { webhooks } = clientOf('https://h.example');
    const promise = webhooks.create(params as CreateWebhookParams, { storeKey });
    expect(await failureOf(promise)).toMatchObject({ name: 'InvalidRequestError', field });
  });
});

describe('the key of a webhook', () => {
  it('is hidden in everything that a program usually prints, keeps or sends', async () => {
    await using server = await startServer((response) => answerJson(response, CREATED));
    const recorded = recordDiagnostics();
    const client = clientOf(server.url);
    const created = await client.webhooks.create({ ...PARAMS, hmac_key: CANARY }, { storeKey });
    const shown = [created, created.data.hmac_key, { ...created.data }, client, recorded.events];
    for (const value of shown) expect(showEverything(value)).not.toContain(CANARY);
    expect(`key: ${created.data.hmac_key as unknown as string}`).toBe('key: [secret]');
    expect(showEverything(structuredClone({ ...created.data }))).not.toContain(CANARY);
    expect(recorded.events.length).toBeGreaterThan(0);
    recorded.stop();
  });

  it.each([400, 500, 200])(
    'is in no error of status %i, although the answer repeats it',
    async (status) => {
      await using server = await startServer((response) => {
        response.writeHead(status).end(`{"data":{"webhook_id":5,"hmac_key":"${CANARY}"}}`);
      });
      const recorded = recordDiagnostics();
      const { webhooks } = clientOf(server.url, { validation: 'strict' });
      const error = await failureOf(webhooks.create({ ...PARAMS, hmac_key: CANARY }, { storeKey }));
      expect(showEverything([error, recorded.events])).not.toContain(CANARY);
      recorded.stop();
    },
  );

  it('is taken out of the errors of a foreign transport that quotes the request', async () => {
    const transport = {
      send: (request: { body?: Uint8Array }) =>
        Promise.reject(new Error(`failed: ${new TextDecoder().decode(request.body)}`)),
    };
    const { webhooks } = clientOf('https://h.example', { transport });
    const error = await failureOf(webhooks.create({ ...PARAMS, hmac_key: CANARY }, { storeKey }));
    expect(showEverything(error)).not.toContain(CANARY);
    expect(showEverything(error)).toContain('[secret]');
  });
});

describe('webhooks.test', () => {
  it('takes a status that is no success for an answer', async () => {
    const data = { status_code: 502, response: '<html>bad gateway' };
    await using server = await startServer((response) => answerJson(response, { data }));
    const { webhooks } = clientOf(server.url);
    expect(await webhooks.test({ webhookId: 'wh-1', resellerId: 7 })).toEqual({ data });
    expect(server.requests[0]).toMatchObject({
      url: '/developer-service/webhooks/test',
      body: '{"webhookId":"wh-1","resellerId":7}',
    });
  });

  it.each([{ response: 'timeout' }, { status_code: null, response: 'timeout' }, {}])(
    'takes a timeout of the endpoint for an answer, however it is written (%j)',
    async (data) => {
      await using server = await startServer((response) => answerJson(response, { data }));
      expect(await clientOf(server.url).webhooks.test({ webhookId: 'w' })).toEqual({ data });
    },
  );

  it("waits longer than the provider's 10 s, also when the client's own limits are shorter", async () => {
    const clock = new ManualClock();
    const data = { status_code: 0, response: 'timed out after 10 s' };
    await using server = await startServer((response) => {
      clock.advance(11_000);
      answerJson(response, { data });
    });
    const { webhooks } = clientOf(server.url, { clock, timeoutSeconds: 5 });
    expect(await webhooks.test({ webhookId: 'w' })).toEqual({ data });
  });

  it('ends in time all the same, when the provider itself does not answer', async () => {
    const clock = new ManualClock();
    await using server = await startServer(() => clock.advance(30_000));
    const { webhooks } = clientOf(server.url, { clock });
    expect(await failureOf(webhooks.test({ webhookId: 'w' }))).toMatchObject({
      name: 'TimeoutError',
      attempt: 1,
    });
  });

  it('is never repeated: each one reaches the endpoint', async () => {
    await using server = await startServer((response) => answerJson(response, {}, 503));
    await failureOf(clientOf(server.url).webhooks.test({ webhookId: 'w' }));
    expect(server.requests).toHaveLength(1);
  });
});
