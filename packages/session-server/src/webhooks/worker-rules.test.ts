import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { signWebhook, WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINT, ENDPOINT_TOKEN, InboxHarness } from '../testing/inbox-harness.js';
import { StoreHarness } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { WebhookEncryption } from './encryption.js';
import { parseEncryptionKeys } from './encryption-keys.js';

const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;
const KEY = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const HEX_KEY = 'a-key-of-the-provider-2026';

let inbox: InboxHarness;
let store: InboxHarness['store'];
beforeEach(async () => {
  inbox = await InboxHarness.start();
  store = inbox.store;
});
afterEach(() => inbox.close());

const counts = () => store.countWebhooks();
const bytes = (buffer: Buffer) => new Uint8Array(buffer);

describe('a delivery', () => {
  it('is answered 2xx only when it is stored', async () => {
    inbox.merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    expect(await inbox.deliver(ENDPOINT_TOKEN, '{"order_id":1}')).toBe(204);
    store.recordWebhook = () => Promise.reject(new Error('the disk is full'));
    expect(await inbox.deliver(ENDPOINT_TOKEN, '{"order_id":2}')).toBe(500);
  });

  it('whose work was put off is as old as it was when it came', async () => {
    const signature = { scheme: 'standardWebhooks', keys: [{ key: KEY }] };
    inbox.merchants = [testMerchant({ webhooks: { signature } })];
    const { tokens } = await new StoreHarness(store).expose();
    const sign = (id: string, timestamp: Date) =>
      signWebhook(WEBHOOK_SCHEMES.standardWebhooks, KEY, { id, timestamp, body: `"${id}"` });
    const { now } = inbox;
    await inbox.deliver(tokens.webhook, '"fresh"', await sign('fresh', new Date(now)));
    await inbox.deliver(tokens.webhook, '"stale"', await sign('stale', new Date(now - HOUR_MS)));
    inbox.now += HOUR_MS;
    inbox.startInbox();
    await expect
      .poll(counts)
      .toMatchObject({ processed: 2, flagged: { verified: 1, signature_refused: 1 } });
  });

  it('is verified byte by byte, when it is no text', async () => {
    const signature = { scheme: 'bodyHex', keys: [{ key: HEX_KEY }] };
    inbox.merchants = [testMerchant({ webhooks: { signature } })];
    const { tokens } = await new StoreHarness(store).expose();
    const body = bytes(randomBytes(900));
    const headers = await signWebhook(WEBHOOK_SCHEMES.bodyHex, HEX_KEY, { body });
    await inbox.deliver(tokens.webhook, body, headers);
    inbox.startInbox();
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
    inbox.merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const { attempt, checkout } = await new StoreHarness(store).expose();
    inbox.startInbox();
    await inbox.deliver(ENDPOINT_TOKEN, write(String(attempt.orderId)), headers);
    await expect.poll(() => inbox.hints).toEqual([checkout.id]);
  });

  it('is of no merchant but the one whose endpoint it came to, also where two are one at the provider', async () => {
    const other = testMerchant({ id: 'coffeeshop' });
    inbox.merchants = [other, testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const theirs = await new StoreHarness(store).expose({ merchant: 'coffeeshop' });
    inbox.now += 1000;
    inbox.startInbox();
    await inbox.deliver(ENDPOINT_TOKEN, JSON.stringify({ order_id: theirs.attempt.orderId }));
    await expect.poll(counts).toMatchObject({ waiting: 0, parked: 1, processed: 0 });
    expect(inbox.hints).toEqual([]);
  });

  it('to an endpoint that merchants share is read as each of them says', async () => {
    const { tokenHash } = ENDPOINT;
    inbox.merchants = [
      testMerchant({ webhookEndpoints: [ENDPOINT] }),
      testMerchant({
        id: 'coffeeshop',
        webhookEndpoints: [{ tokenHash, paths: { merchantReference: 'data.reference' } }],
      }),
    ];
    const harness = new StoreHarness(store);
    const ours = await harness.expose();
    const theirs = await harness.expose({ merchant: 'coffeeshop' });
    inbox.startInbox();
    const reference = theirs.attempt.merchantReference;
    await inbox.deliver(ENDPOINT_TOKEN, JSON.stringify({ data: { reference } }));
    await inbox.deliver(ENDPOINT_TOKEN, JSON.stringify({ order_id: ours.attempt.orderId }));
    await expect.poll(counts).toMatchObject({ waiting: 0, parked: 0, processed: 2 });
    expect(inbox.hints.toSorted()).toEqual([ours.checkout.id, theirs.checkout.id].toSorted());
  });

  it('that names two attempts causes a look for each of them', async () => {
    const paths = { orderId: 'order_id', merchantReference: 'reference' };
    inbox.merchants = [testMerchant({ webhookEndpoints: [{ ...ENDPOINT, paths }] })];
    const harness = new StoreHarness(store);
    const [one, other] = [await harness.expose(), await harness.expose({ order: 'A1002' })];
    const body = { order_id: one.attempt.orderId, reference: other.attempt.merchantReference };
    inbox.startInbox();
    await inbox.deliver(ENDPOINT_TOKEN, JSON.stringify(body));
    await expect.poll(counts).toMatchObject({ processed: 1, flagged: { contradicts: 1 } });
    expect(inbox.hints.toSorted()).toEqual([one.checkout.id, other.checkout.id].toSorted());
    const planned = (await store.claimDuePolls(10)).map(({ orderId }) => orderId);
    expect(planned.toSorted()).toEqual([one.attempt.orderId, other.attempt.orderId].toSorted());
  });

  it('that no key opens any more causes the look of the attempt that it came for', async () => {
    const { tokens, checkout } = await new StoreHarness(store).expose();
    await inbox.deliver(tokens.webhook, '{}');
    const keys = parseEncryptionKeys(`another:${Buffer.alloc(32, 9).toString('base64')}`) ?? [];
    inbox.vault = new WebhookEncryption(keys);
    inbox.startInbox();
    await expect.poll(counts).toMatchObject({ processed: 1, flagged: { unreadable: 1 } });
    expect(inbox.hints).toEqual([checkout.id]);
  });

  it('of a flood about one checkout causes a look a minute at most, and six in an hour', async () => {
    const { tokens, checkout } = await new StoreHarness(store).expose();
    inbox.startInbox();
    let sent = 0;
    for (let minute = 0; minute < 30; minute += 1) {
      for (let copy = 0; copy < 3; copy += 1) {
        await inbox.deliver(tokens.webhook, String((sent += 1)));
      }
      await expect.poll(counts).toMatchObject({ processed: sent });
      if (minute === 0) expect(inbox.hints).toEqual([checkout.id]);
      inbox.now += 61_000;
    }
    expect(inbox.hints).toHaveLength(6);
  });

  it('of 1,000 at once about one checkout causes one look', async () => {
    const { tokens, checkout } = await new StoreHarness(store).expose();
    inbox.startInbox();
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          inbox.deliver(tokens.webhook, `{"forged":${String(batch * 50 + index)}}`),
        ),
      );
    }
    await expect.poll(counts, { timeout: 20_000 }).toMatchObject({ processed: 1000 });
    expect(inbox.hints).toEqual([checkout.id]);
  }, 60_000);
});

describe('a delivery that cannot be worked on', () => {
  it('has its look when it could not be stored that it was', async () => {
    const { tokens, checkout, attempt } = await new StoreHarness(store).expose();
    const settle = store.completeWebhook.bind(store);
    store.completeWebhook = () => Promise.reject(new Error('the disk is full'));
    inbox.startInbox();
    await inbox.deliver(tokens.webhook, '{}');
    await expect.poll(() => inbox.errors).toHaveLength(1);
    expect(inbox.hints).toEqual([]);
    store.completeWebhook = settle;
    inbox.now += LEASE_MS;
    await expect.poll(counts, { timeout: 5000 }).toMatchObject({ waiting: 0, processed: 1 });
    expect(inbox.hints).toEqual([checkout.id]);
    expect(await store.claimDuePolls(10)).toMatchObject([{ orderId: attempt.orderId, looks: 1 }]);
  });

  it('stops no other, and comes again', async () => {
    const harness = new StoreHarness(store);
    const broken = await harness.expose({ merchant: 'coffeeshop' });
    const { tokens } = await harness.expose();
    const { find } = inbox.source;
    inbox.source.find = (id) =>
      id === 'coffeeshop' ? Promise.reject(new Error('the source is broken')) : find(id);
    await inbox.deliver(broken.tokens.webhook, '{}');
    await inbox.deliver(tokens.webhook, '{}');
    inbox.startInbox();
    await expect.poll(counts).toMatchObject({ waiting: 1, processed: 1 });
    expect(inbox.errors).toEqual(['a webhook delivery could not be worked on; it is tried again']);
    inbox.source.find = find;
    inbox.now += LEASE_MS;
    await expect.poll(counts, { timeout: 5000 }).toMatchObject({ waiting: 0, processed: 2 });
  });
});

describe('a delivery that is parked', () => {
  it('is read anew when the merchants file says other paths, and for nothing else', async () => {
    inbox.merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const { attempt, checkout } = await new StoreHarness(store).expose();
    inbox.now += 1000;
    let unparked = 0;
    const unpark = store.retryUnmatched.bind(store);
    store.retryUnmatched = () => {
      unparked += 1;
      return unpark();
    };
    inbox.startInbox();
    const body = JSON.stringify({ elsewhere: { order: attempt.orderId } });
    await inbox.deliver(ENDPOINT_TOKEN, body);
    await expect.poll(counts).toMatchObject({ waiting: 0, parked: 1 });
    inbox.merchants = [testMerchant({ name: 'Another Name', webhookEndpoints: [ENDPOINT] })];
    await inbox.deliver(ENDPOINT_TOKEN, '{"order_id":1}');
    await expect.poll(counts).toMatchObject({ waiting: 0, parked: 2 });
    expect(unparked).toBe(1);
    const paths = { orderId: 'elsewhere.order' };
    inbox.merchants = [testMerchant({ webhookEndpoints: [{ ...ENDPOINT, paths }] })];
    await expect.poll(counts, { timeout: 5000 }).toMatchObject({ parked: 1, processed: 1 });
    await inbox.deliver(ENDPOINT_TOKEN, '{"order_id":2}');
    await expect.poll(counts).toMatchObject({ waiting: 0, parked: 2, processed: 1 });
    expect([unparked, inbox.hints]).toEqual([2, [checkout.id]]);
  });
});
