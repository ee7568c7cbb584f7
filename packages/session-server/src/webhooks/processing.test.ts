import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { signWebhook, WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINT, ENDPOINT_TOKEN, WebhookHarness } from '../testing/webhook-harness.js';
import { StoreHarness } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { parseEncryptionKeys, DataEncryption } from '../encryption.js';

const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;
const KEY = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const HEX_KEY = 'a-key-of-the-provider-2026';

let harness: WebhookHarness;
let store: WebhookHarness['store'];
beforeEach(async () => {
  harness = await WebhookHarness.start();
  store = harness.store;
});
afterEach(() => harness.close());

const counts = () => store.countWebhooks();
const bytes = (buffer: Buffer) => new Uint8Array(buffer);

describe('a webhook', () => {
  it('is answered 2xx only when it is stored', async () => {
    harness.merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    expect(await harness.send(ENDPOINT_TOKEN, '{"order_id":1}')).toBe(204);
    store.failing.add('webhook:record');
    expect(await harness.send(ENDPOINT_TOKEN, '{"order_id":2}')).toBe(500);
  });

  it('that waited for the worker is as old as it was when it came', async () => {
    const signature = { scheme: 'standardWebhooks', keys: [{ key: KEY }] };
    harness.merchants = [testMerchant({ webhooks: { signature } })];
    const { tokens } = await new StoreHarness(store).activate();
    const sign = (id: string, timestamp: Date) =>
      signWebhook(WEBHOOK_SCHEMES.standardWebhooks, KEY, { id, timestamp, body: `"${id}"` });
    const { now } = harness;
    await harness.send(tokens.webhook, '"fresh"', await sign('fresh', new Date(now)));
    await harness.send(tokens.webhook, '"stale"', await sign('stale', new Date(now - HOUR_MS)));
    harness.now += HOUR_MS;
    harness.startWorker();
    await expect
      .poll(counts)
      .toMatchObject({ processed: 2, flagged: { verified: 1, signature_refused: 1 } });
  });

  it('is verified byte by byte, when it is no text', async () => {
    const signature = { scheme: 'bodyHex', keys: [{ key: HEX_KEY }] };
    harness.merchants = [testMerchant({ webhooks: { signature } })];
    const { tokens } = await new StoreHarness(store).activate();
    const body = bytes(randomBytes(900));
    const headers = await signWebhook(WEBHOOK_SCHEMES.bodyHex, HEX_KEY, { body });
    await harness.send(tokens.webhook, body, headers);
    harness.startWorker();
    await expect.poll(counts).toMatchObject({ processed: 1, flagged: { verified: 1 } });
  });

  it.each([
    ['as JSON', (id: string) => bytes(Buffer.from(`{"order_id":${id}}`)), {}],
    [
      'compressed with gzip',
      (id: string) => bytes(gzipSync(`{"order_id":${id}}`)),
      { 'content-encoding': 'gzip' },
    ],
    [
      'compressed with deflate',
      (id: string) => bytes(deflateSync(`{"order_id":${id}}`)),
      { 'content-encoding': 'deflate' },
    ],
    [
      'compressed with br',
      (id: string) => bytes(brotliCompressSync(`{"order_id":${id}}`)),
      { 'content-encoding': 'br' },
    ],
    [
      'as a form',
      (id: string) => bytes(Buffer.from(`status=PAID&order_id=${id}`)),
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
  ])('that comes %s finds its attempt', async (_how, write, headers) => {
    harness.merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const { attempt, checkout } = await new StoreHarness(store).activate();
    harness.startWorker();
    await harness.send(ENDPOINT_TOKEN, write(String(attempt.orderId)), headers);
    await expect.poll(() => harness.hints()).toEqual([checkout.id]);
  });

  it('belongs to the merchant whose endpoint it came to, also where two share one id at the provider', async () => {
    const other = testMerchant({ id: 'coffeeshop' });
    harness.merchants = [other, testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const theirs = await new StoreHarness(store).activate({ merchant: 'coffeeshop' });
    harness.now += 1000;
    harness.startWorker();
    await harness.send(ENDPOINT_TOKEN, JSON.stringify({ order_id: theirs.attempt.orderId }));
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 1, processed: 0 });
    expect(await harness.hints()).toEqual([]);
  });

  it('to an endpoint may name attempts of its own account alone, which need not be the merchant’s any more', async () => {
    const { checkout, attempt } = await new StoreHarness(store).activate({ account: 'north' });
    harness.now += 1000;
    const body = JSON.stringify({ order_id: attempt.orderId });
    const endpointAt = (account: object) => [{ ...ENDPOINT, ...account }];
    harness.merchants = [testMerchant({ webhookEndpoints: endpointAt({}) })];
    await harness.send(ENDPOINT_TOKEN, body);
    harness.startWorker();
    await expect.poll(counts).toMatchObject({ unmatched: 1, processed: 0 });
    expect(await harness.hints()).toEqual([]);
    harness.merchants = [testMerchant({ webhookEndpoints: endpointAt({ account: 'north' }) })];
    await expect.poll(counts).toMatchObject({ unmatched: 0, processed: 1 });
    expect(await harness.hints()).toEqual([checkout.id]);
  });

  it('to an endpoint that merchants share is read as each of them says', async () => {
    const { tokenHash } = ENDPOINT;
    harness.merchants = [
      testMerchant({ webhookEndpoints: [ENDPOINT] }),
      testMerchant({
        id: 'coffeeshop',
        webhookEndpoints: [{ tokenHash, paths: { merchantReference: 'data.reference' } }],
      }),
    ];
    const orders = new StoreHarness(store);
    const ours = await orders.activate();
    const theirs = await orders.activate({ merchant: 'coffeeshop' });
    harness.startWorker();
    const reference = theirs.attempt.merchantReference;
    await harness.send(ENDPOINT_TOKEN, JSON.stringify({ data: { reference } }));
    await harness.send(ENDPOINT_TOKEN, JSON.stringify({ order_id: ours.attempt.orderId }));
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 0, processed: 2 });
    expect((await harness.hints()).toSorted()).toEqual(
      [ours.checkout.id, theirs.checkout.id].toSorted(),
    );
  });

  it('that names two attempts triggers a poll for each of them', async () => {
    const paths = { orderId: 'order_id', merchantReference: 'reference' };
    harness.merchants = [testMerchant({ webhookEndpoints: [{ ...ENDPOINT, paths }] })];
    const orders = new StoreHarness(store);
    const [one, other] = [await orders.activate(), await orders.activate({ order: 'A1002' })];
    const body = { order_id: one.attempt.orderId, reference: other.attempt.merchantReference };
    harness.startWorker();
    await harness.send(ENDPOINT_TOKEN, JSON.stringify(body));
    await expect.poll(counts).toMatchObject({ processed: 1, flagged: { contradicts: 1 } });
    expect((await harness.hints()).toSorted()).toEqual(
      [one.checkout.id, other.checkout.id].toSorted(),
    );
    const planned = (await store.pollDue()).map(({ orderId }) => orderId);
    expect(planned.toSorted()).toEqual([one.attempt.orderId, other.attempt.orderId].toSorted());
  });

  it('that no key opens any more triggers a poll for the attempt of its token', async () => {
    const { tokens, checkout } = await new StoreHarness(store).activate();
    await harness.send(tokens.webhook, '{}');
    const keys = parseEncryptionKeys(`another:${Buffer.alloc(32, 9).toString('base64')}`) ?? [];
    harness.encryption = new DataEncryption(keys);
    harness.startWorker();
    await expect.poll(counts).toMatchObject({ processed: 1, flagged: { unreadable: 1 } });
    expect(await harness.hints()).toEqual([checkout.id]);
  });

  it('that comes soon after others leads to a poll that begins after it', async () => {
    const { tokens, checkout, attempt } = await new StoreHarness(store).activate();
    harness.startWorker();
    const start = harness.now;
    for (const [index, seconds] of [0, 2, 6, 15].entries()) {
      harness.now = start + seconds * 1000;
      await harness.send(tokens.webhook, String(seconds));
      await expect.poll(counts).toMatchObject({ processed: index + 1 });
      expect(await store.pollDue()).toMatchObject([{ orderId: attempt.orderId }]);
    }
    expect(await harness.hints()).toEqual(Array.from({ length: 4 }, () => checkout.id));
  });

  it('of a flood about one checkout leads to fewer and fewer polls', async () => {
    const { tokens, checkout } = await new StoreHarness(store).activate();
    harness.startWorker();
    let sent = 0;
    let polls = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      for (let copy = 0; copy < 3; copy += 1) {
        await harness.send(tokens.webhook, String((sent += 1)));
      }
      await expect.poll(counts).toMatchObject({ processed: sent });
      if (minute === 0) expect(await harness.hints()).toEqual([checkout.id]);
      for (let part = 0; part < 4; part += 1) {
        polls += (await store.pollDue()).length;
        harness.now += 15_000;
      }
    }
    expect(polls).toBeLessThanOrEqual(16);
  });

  it('of 1,000 at once about one checkout triggers one poll', async () => {
    const { tokens, checkout } = await new StoreHarness(store).activate();
    harness.startWorker();
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          harness.send(tokens.webhook, `{"forged":${String(batch * 50 + index)}}`),
        ),
      );
    }
    await expect.poll(counts).toMatchObject({ processed: 1000 });
    expect(await harness.hints()).toEqual([checkout.id]);
  });
});

describe('a webhook that cannot be processed', () => {
  it('triggers its poll once its outcome can be stored', async () => {
    const { tokens, checkout, attempt } = await new StoreHarness(store).activate();
    store.failing.add('webhook:complete');
    harness.startWorker();
    await harness.send(tokens.webhook, '{}');
    await expect.poll(() => harness.errors).toHaveLength(1);
    expect(await harness.hints()).toEqual([]);
    store.failing.clear();
    harness.now += LEASE_MS;
    await expect.poll(counts).toMatchObject({ waiting: 0, processed: 1 });
    expect(await harness.hints()).toEqual([checkout.id]);
    expect(await store.pollDue()).toMatchObject([{ orderId: attempt.orderId, polls: 1 }]);
  });

  it('holds up no other, and is tried again', async () => {
    const orders = new StoreHarness(store);
    const broken = await orders.activate({ merchant: 'coffeeshop' });
    const { tokens } = await orders.activate();
    const { find } = harness.source;
    harness.source.find = (id) =>
      id === 'coffeeshop' ? Promise.reject(new Error('the source is broken')) : find(id);
    await harness.send(broken.tokens.webhook, '{}');
    await harness.send(tokens.webhook, '{}');
    harness.startWorker();
    await expect.poll(counts).toMatchObject({ waiting: 1, processed: 1 });
    expect(harness.errors).toEqual(['a webhook could not be processed; it is tried again']);
    harness.source.find = find;
    harness.now += LEASE_MS;
    await expect.poll(counts).toMatchObject({ waiting: 0, processed: 2 });
  });
});

describe('an unmatched webhook', () => {
  it('is read again when the merchants file has other paths, and only then', async () => {
    harness.merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const { attempt, checkout } = await new StoreHarness(store).activate();
    harness.now += 1000;
    const retries = () => store.begun.filter((name) => name === 'webhook:retry-unmatched').length;
    harness.startWorker();
    const body = JSON.stringify({ elsewhere: { order: attempt.orderId } });
    await harness.send(ENDPOINT_TOKEN, body);
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 1 });
    harness.merchants = [testMerchant({ name: 'Another Name', webhookEndpoints: [ENDPOINT] })];
    await harness.send(ENDPOINT_TOKEN, '{"order_id":1}');
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 2 });
    expect(retries()).toBe(1);
    const paths = { orderId: 'elsewhere.order' };
    harness.merchants = [testMerchant({ webhookEndpoints: [{ ...ENDPOINT, paths }] })];
    await expect.poll(counts).toMatchObject({ unmatched: 1, processed: 1 });
    await harness.send(ENDPOINT_TOKEN, '{"order_id":2}');
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 2, processed: 1 });
    expect([retries(), await harness.hints()]).toEqual([2, [checkout.id]]);
  });
});
