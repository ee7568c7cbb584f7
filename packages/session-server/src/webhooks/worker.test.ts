import { createHash, hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { signWebhook, WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CheckoutStatusReply, MerchantOrder, Problem } from '../contract.js';
import { TestStore } from '../testing/test-store.js';
import { TEST_RULES } from '../testing/store-harness.js';
import { TestStack } from '../testing/test-stack.js';
import { encryptionContext, loadSandboxKeys, DataEncryption } from '../encryption.js';
import { unpackWebhook } from './payload.js';
import type { WebhookCounts } from './repository.js';

const ENDPOINT_TOKEN = 'endpoint-token-for-tests';
const KEYS = ['old-key-of-the-provider-2026', 'new-key-of-the-provider-2027'] as const;
const PATHS = { orderId: 'data.order_id', merchantReference: 'data.reference', status: 'status' };
const SIGNED = {
  signature: {
    scheme: 'bodyHex',
    keys: KEYS.map((key, index) => ({ key, id: `k${String(index)}` })),
  },
};
const HOUR = 3600;
const DAY = 24 * HOUR;

let stack: TestStack;

async function opened(order: string) {
  const { body } = await stack.open(order, { amount: '9.99' });
  const sessionId = body.sessionId ?? '';
  const session = stack.session(sessionId);
  return { checkout: body.checkout, sessionId, path: stack.webhookPath(sessionId), session };
}

async function orderOf(order: string): Promise<MerchantOrder> {
  const { body } = await stack.fetch<MerchantOrder>(`/v1/merchant/orders/${order}`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
  });
  return body;
}

async function stateOf(checkout: string): Promise<string | undefined> {
  const { body } = await stack.fetch<CheckoutStatusReply>(`/v1/checkouts?id=${checkout}:0`);
  return body.checkouts[0]?.state;
}

/** What is in the data file, read while the server runs. */
async function counts(): Promise<WebhookCounts> {
  const path = join(stack.folder, 'data.sqlite');
  const store = TestStore.openAlongside({ path, clock: stack.clock, rules: TEST_RULES }, 'read');
  const counted = await store.countWebhooks();
  await store.close();
  return counted;
}

const listCalls = (): number =>
  stack.sandbox.control.requests().filter(({ operation }) => operation === 'transactions-list')
    .length;

/** Waits until the list was polled twice since it had been so often, by the schedule alone. */
async function pollTwice(before: number): Promise<void> {
  await expect
    .poll(() => {
      stack.advance(10);
      return listCalls();
    })
    .toBeGreaterThan(before + 2);
}

async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = JSON.stringify(body);
  const { status } = await stack.fetch(path, { method: 'POST', body: text, headers });
  return status;
}

/** Sends with a good signature of one of the keys. */
async function sendSigned(path: string, body: unknown, key: string = KEYS[0]) {
  const headers = await signWebhook(WEBHOOK_SCHEMES.bodyHex, key, { body: JSON.stringify(body) });
  return send(path, body, headers);
}

/** Says that the payment in a session failed. */
const failedBody = (session: { order_id: number }) => ({
  status: 'FAILED',
  data: { order_id: session.order_id },
});

async function settled(): Promise<WebhookCounts> {
  await expect.poll(async () => (await counts()).waiting).toBe(0);
  return counts();
}

const endpoint = `/v1/webhooks/${ENDPOINT_TOKEN}`;
const tokenHash = `sha256:${createHash('sha256').update(ENDPOINT_TOKEN).digest('hex')}`;

describe('webhooks to a registered endpoint', () => {
  beforeEach(async () => {
    stack = await TestStack.start({
      merchant: { webhookEndpoints: [{ tokenHash, paths: PATHS }] },
      tuning: { webhooks: { maxUnmatched: 20, unmatchedHours: 2 } },
    });
  });
  afterEach(() => stack.close());

  it('find their attempt by the configured paths, as a number or as text', async () => {
    const byNumber = await opened('E1');
    await stack.payAtProvider(byNumber.sessionId);
    expect(await send(endpoint, { data: { order_id: byNumber.session.order_id } })).toBe(204);
    await stack.until(byNumber.checkout, 'paid');
    const byText = await opened('E2');
    await stack.payAtProvider(byText.sessionId);
    await send(endpoint, { data: { reference: byText.session.MerchantReference } });
    await stack.until(byText.checkout, 'paid');
  });

  it('are read when they come compressed', async () => {
    const { checkout, sessionId, session } = await opened('E3');
    await stack.payAtProvider(sessionId);
    const body = gzipSync(JSON.stringify({ data: { order_id: session.order_id } }));
    await stack.fetch(endpoint, { method: 'POST', body, headers: { 'content-encoding': 'gzip' } });
    await stack.until(checkout, 'paid');
    expect(await settled()).toMatchObject({ unmatched: 0, processed: 1 });
  });

  it('are unmatched while there is no attempt, and found again only with a lost one', async () => {
    const { session } = await opened('E4');
    for (const next of [1, 2, 3, 4]) {
      await send(endpoint, { data: { order_id: session.order_id + next } });
    }
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 4 });
    // An attempt is stored before the provider hears of it: no webhook of its own came before.
    await opened('E5');
    await send(endpoint, { data: { order_id: session.order_id } });
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 4, processed: 1 });
  });

  it('that are unmatched are bounded by count and by age', async () => {
    for (let body = 0; body < 50; body += 1) await send(endpoint, { forged: body });
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 20 });
    stack.advance(3 * HOUR);
    await send(endpoint, { forged: 'wakes the worker' });
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 1 });
  });

  it('that are unmatched are read again after a restart, in case the settings were fixed', async () => {
    const { checkout, sessionId, session } = await opened('E6');
    await stack.payAtProvider(sessionId);
    await send(endpoint, { elsewhere: { order: session.order_id } });
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 1 });
    await stack.server.close();
    stack.changeMerchant({
      webhookEndpoints: [{ tokenHash, paths: { orderId: 'elsewhere.order' } }],
    });
    await stack.startServer();
    await stack.until(checkout, 'paid');
  });

  it('never find the attempt of another merchant, nor one by a value that is no name', async () => {
    const { session } = await opened('E7');
    await send(endpoint, { data: { order_id: { $ne: 0 }, reference: ['A', 'B'] } });
    await send(endpoint, { data: { order_id: `${String(session.order_id)}.0` } });
    await send(endpoint, { 'data.order_id': session.order_id });
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 3, processed: 0 });
  });

  it('that name two attempts are flagged', async () => {
    const one = await opened('E8');
    const other = await opened('E9');
    await send(endpoint, {
      data: { order_id: one.session.order_id, reference: other.session.MerchantReference },
    });
    expect(await settled()).toMatchObject({ processed: 1, flagged: { contradicts: 1 } });
  });

  it('with the test of spec 4.8 are answered and counted, and nothing is stored', async () => {
    const answer = await stack.fetch<{ received: string }>(endpoint, {
      method: 'POST',
      body: '{"event":"test"}',
    });
    expect([answer.status, answer.body]).toEqual([200, { received: 'test' }]);
    await send(endpoint, { event: 'test', more: 1 });
    await expect.poll(counts).toMatchObject({ tests: 1, waiting: 0, unmatched: 1 });
  });

  it('with a token that was never given out are refused, and nothing is stored', async () => {
    for (const token of ['x', ENDPOINT_TOKEN.toUpperCase(), 'A'.repeat(300)]) {
      expect(await send(`/v1/webhooks/${token}`, { event: 'test' })).toBe(404);
    }
    expect(await counts()).toMatchObject({ waiting: 0, unmatched: 0, processed: 0, tests: 0 });
  });
});

describe('more webhooks than are kept', () => {
  const MAX_BYTES = 1000;
  beforeEach(async () => {
    stack = await TestStack.start({
      merchant: { webhookEndpoints: [{ tokenHash, paths: PATHS }] },
      env: { PAY_RETENTION_DAYS: '3' },
      tuning: {
        webhooks: { maxBytes: MAX_BYTES, bytesPerAttempt: 5000, bytesPerHourPerEndpoint: 9000 },
      },
    });
  });
  afterEach(() => stack.close());

  const post = (path: string, body: string) => stack.fetch<Problem>(path, { method: 'POST', body });

  /** Posts bodies of the largest size, each another one, until one is refused; answers how many were not. */
  async function fill(path: string): Promise<number> {
    for (let taken = 0; ; taken += 1) {
      const { status, headers, body } = await post(
        path,
        randomBytes(MAX_BYTES / 2).toString('hex'),
      );
      if (status === 204) continue;
      expect([status, body.code]).toEqual([429, 'too_many_webhooks']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      return taken;
    }
  }

  it('are taken up to the largest size, to the byte', async () => {
    const { path } = await opened('M1');
    expect((await post(path, 'x'.repeat(MAX_BYTES))).status).toBe(204);
    expect((await post(path, 'x'.repeat(MAX_BYTES + 1))).status).toBe(413);
  });

  it('are refused at the address of an attempt, and not stored, also after a restart', async () => {
    const { path } = await opened('M2');
    const other = await opened('M3');
    const taken = await fill(path);
    expect(taken).toBeGreaterThan(1);
    expect(await settled()).toMatchObject({ processed: taken });
    await stack.server.close();
    await stack.startServer();
    expect(await fill(path)).toBe(0);
    expect(await settled()).toMatchObject({ processed: taken });
    expect(await send(other.path, {})).toBe(204);
    expect((await post(path, '{"event":"test"}')).status).toBe(200);
    stack.advance(4 * DAY);
    await expect.poll(counts).toMatchObject({ processed: 0 });
    expect(await send(path, {})).toBe(204);
  });

  it('are refused at a registered endpoint for the rest of the hour, and at no other address', async () => {
    const taken = await fill(endpoint);
    expect(taken).toBeGreaterThan(3);
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: taken });
    const { path } = await opened('M4');
    expect(await send(path, {})).toBe(204);
    const { headers } = await post(endpoint, '{}');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(HOUR - 60);
  });
});

describe('webhooks of a paid order', () => {
  /** Sooner than the next scheduled poll, a minute later. */
  const SOON = { timeout: 30_000 };
  beforeEach(async () => {
    stack = await TestStack.start();
  });
  afterEach(() => stack.close());

  it('each lead to a read that began after it, also seconds after the one before', async () => {
    const { checkout, sessionId, path, session } = await opened('R1');
    await stack.payAtProvider(sessionId);
    await send(path, 'paid');
    await stack.until(checkout, 'paid');
    const known = async () => (await orderOf('R1')).checkouts[0];
    const id = (await known())?.transactions[0]?.id ?? '';
    for (const [amount, refund] of [
      ['1.00', 'partial'],
      ['8.99', 'full'],
    ] as const) {
      stack.sandbox.control.refund(id, { amount });
      await send(path, amount);
      await expect.poll(async () => (await known())?.refund, SOON).toBe(refund);
    }
    stack.sandbox.control.addTransaction({
      row: {
        orderRef: session.MerchantReference,
        merchantId: 1001,
        currencyCode: 'GBP',
        amount: '9.99',
        status: 'SUCCESS',
        transactionTime: new Date().toISOString(),
      },
    });
    await send(path, 'paid again');
    await expect.poll(async () => (await known())?.attention, SOON).toContain('paid_twice');
  });
});

describe('forged and replayed webhooks', () => {
  const INTERVAL_SECONDS = 1;
  beforeEach(async () => {
    stack = await TestStack.start({
      tuning: { pollIntervalSeconds: INTERVAL_SECONDS },
    });
  });
  afterEach(() => stack.close());

  /** How many polls may begin since a moment, whatever triggers them. */
  const maxPolls = (sinceMs: number): number =>
    Math.ceil((Date.now() - sinceMs) / (INTERVAL_SECONDS * 1000)) + 1;

  it('cause no more list calls when there are 1,000 than the one poll that goes on anyway', async () => {
    const { checkout, path } = await opened('F1');
    const before = listCalls();
    const start = Date.now();
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          send(path, { status: 'SUCCESS', forged: batch * 50 + index }),
        ),
      );
    }
    expect(await settled()).toMatchObject({ processed: 1000 });
    expect(listCalls() - before).toBeLessThanOrEqual(maxPolls(start));
    expect(await stateOf(checkout)).toBe('open');
  });

  it('that are the same to one token are processed once', async () => {
    const { path } = await opened('F2');
    for (let copy = 0; copy < 20; copy += 1) expect(await send(path, { same: 1 })).toBe(204);
    expect(await settled()).toMatchObject({ processed: 1 });
  });
});

describe('a webhook that contradicts the attempt of its token', () => {
  beforeEach(async () => {
    stack = await TestStack.start({
      merchant: {
        webhooks: {
          paths: PATHS,
          ...SIGNED,
          evidence: { failedStatuses: ['FAILED'] },
        },
      },
    });
  });
  afterEach(() => stack.close());

  it('is kept and flagged, proves nothing though it is verified, and triggers a poll', async () => {
    const mine = await opened('C1');
    const other = await opened('C2');
    const before = listCalls();
    await sendSigned(mine.path, {
      status: 'FAILED',
      data: { order_id: other.session.order_id },
    });
    expect(await settled()).toMatchObject({ flagged: { contradicts: 1, verified: 1 } });
    await expect.poll(listCalls).toBeGreaterThan(before);
    expect([await stateOf(mine.checkout), await stateOf(other.checkout)]).toEqual(['open', 'open']);
  });
});

describe('a verified webhook', () => {
  const evidence = { failedStatuses: ['FAILED'], paidStatuses: ['PAID'] };
  const paths = {
    ...PATHS,
    transaction: 'data.id',
    amount: 'data.amount',
    currency: 'data.currency',
  };
  beforeAll(async () => {
    stack = await TestStack.start({ merchant: { webhooks: { paths, ...SIGNED, evidence } } });
  });
  afterAll(() => stack.close());
  const paidBody = ({ order_id }: { order_id: number }, id: string, amount = 9.99) => ({
    status: 'PAID',
    data: { order_id, id, amount, currency: 'GBP' },
  });

  it.each(KEYS)('under any of the valid keys proves a failure that is listed', async (key) => {
    const { checkout, path, session } = await opened(`V-${key.slice(0, 3)}`);
    await sendSigned(path, failedBody(session), key);
    await stack.until(checkout, 'failed');
    expect(await orderOf(`V-${key.slice(0, 3)}`)).toMatchObject({ certain: true });
  });

  it('of a failure counts only after the list was read, and no session is created before', async () => {
    const { checkout, path, session, sessionId } = await opened('V0');
    stack.sandbox.control.addFault({ operation: 'transactions-list', fault: 'hold' });
    await stack.post(`/v1/checkouts/${checkout}/hints`, { kind: 'submitted', sessionId });
    await expect.poll(() => stack.sandbox.control.faults().held).toBe(1);
    await sendSigned(path, failedBody(session));
    await settled();
    const before = stack.createSessionCalls();
    const renewed = await stack.reopen('V0', { renew: sessionId });
    expect(renewed.body).toMatchObject({ checkout, submitted: true });
    expect(renewed.body.sessionId).toBeUndefined();
    expect((await stack.reopen('V0')).body).toMatchObject({ state: 'open', sessionId });
    expect(stack.createSessionCalls()).toBe(before);
    await stack.payAtProvider(sessionId);
    stack.sandbox.control.releaseFaults();
    await stack.until(checkout, 'paid');
    const ofOrder = () => stack.shop.events.filter(({ data }) => data['order'] === 'V0');
    await expect.poll(ofOrder).toHaveLength(1);
    expect(ofOrder()[0]).toMatchObject({ type: 'checkout.paid', data: { attention: [] } });
  });

  it('that is replayed does not fail the order again after the shopper went on', async () => {
    const { checkout, path, session } = await opened('V1');
    await sendSigned(path, failedBody(session));
    await stack.until(checkout, 'failed');
    await stack.reopen('V1');
    expect(await sendSigned(path, failedBody(session))).toBe(204);
    await settled();
    expect(await stateOf(checkout)).toBe('open');
  });

  it('proves a payment that is listed, once, also when the list then shows it', async () => {
    const { checkout, path, session } = await opened('V2');
    await sendSigned(path, paidBody(session, 'txn-v2'));
    await stack.until(checkout, 'paid');
    stack.sandbox.control.addTransaction({
      row: {
        id: 'txn-v2',
        orderRef: session.MerchantReference,
        merchantId: 1001,
        currencyCode: 'GBP',
        amount: '9.99',
        status: 'SUCCESS',
        transactionTime: new Date().toISOString(),
      },
    });
    const next = await opened('V2-other');
    const before = listCalls();
    await send(next.path, {});
    await pollTwice(before);
    expect(await orderOf('V2')).toMatchObject({
      state: 'paid',
      checkouts: [{ attention: [], transactions: [{ id: 'txn-v2' }] }],
    });
  });

  it('of another amount raises attention, and pays nothing', async () => {
    const { checkout, path, session } = await opened('V3');
    await sendSigned(path, paidBody(session, 'txn-v3', 9.98));
    await expect
      .poll(async () => (await orderOf('V3')).checkouts[0]?.attention)
      .toEqual(['amount_mismatch']);
    expect(await stateOf(checkout)).toBe('open');
  });

  it.each([
    ['with a status that is not listed', 'DECLINED', {}],
    ['of a payment without an id', 'PAID', { amount: 9.99, currency: 'GBP' }],
    ['of a failure that names no attempt', 'FAILED', { order_id: undefined }],
    [
      'of a payment that names no attempt',
      'PAID',
      { id: 'txn-v4', amount: 9.99, currency: 'GBP', order_id: undefined },
    ],
  ])('%s proves nothing', async (what, status, data) => {
    const { checkout, path, session } = await opened(`V4-${what.replaceAll(' ', '-')}`);
    const before = listCalls();
    await sendSigned(path, { status, data: { order_id: session.order_id, ...data } });
    await settled();
    await pollTwice(before);
    expect(await stateOf(checkout)).toBe('open');
  });

  it.each([
    ['with a wrong signature', { 'x-signature': '0'.repeat(64) }],
    ['without a signature', {}],
  ])('is not one %s: it is kept, flagged, and proves nothing', async (what, headers) => {
    const { checkout, path, session } = await opened(`V5-${what.replaceAll(' ', '-')}`);
    const { flagged } = await settled();
    expect(await send(path, failedBody(session), headers as Record<string, string>)).toBe(204);
    expect((await settled()).flagged.signature_refused).toBe(flagged.signature_refused + 1);
    expect(await stateOf(checkout)).toBe('open');
  });
});

describe('a good signature', () => {
  it('proves nothing when the merchant entry lists no statuses', async () => {
    stack = await TestStack.start({ merchant: { webhooks: { paths: PATHS, ...SIGNED } } });
    const { checkout, path, session } = await opened('N1');
    await sendSigned(path, failedBody(session));
    expect(await settled()).toMatchObject({ flagged: { verified: 1 } });
    expect(await stateOf(checkout)).toBe('open');
    await stack.close();
  });
});

describe('a signature over the address', () => {
  const scheme = { ...WEBHOOK_SCHEMES.bodyHex, template: '{url}\n{body}' };
  beforeEach(async () => {
    const signature = { scheme, keys: [{ key: KEYS[0] }] };
    stack = await TestStack.start({ merchant: { webhooks: { paths: PATHS, signature } } });
  });
  afterEach(() => stack.close());

  it.each([
    ['as it was given to the provider', ''],
    ['with the host, as a proxy may ask', 'http://pay.localhost:4200'],
  ])('is good when the address is asked for %s', async (_how, host) => {
    const { path } = await opened('U1');
    const address = `${path}?attempt=1`;
    const url = `http://127.0.0.1:4200${address}`;
    const headers = await signWebhook(scheme, KEYS[0], { body: '{}', url });
    const { hostname, port } = new URL(stack.url);
    const asked = request({ hostname, port, method: 'POST', path: host + address, headers });
    const [answer] = (await once(asked.end('{}'), 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(204);
    expect(await settled()).toMatchObject({ flagged: { verified: 1, signature_refused: 0 } });
  });
});

describe('the bodies of webhooks', () => {
  const canaries = ['Canary Nightjar', 'canary.nightjar@example.test', '4242-canary'];
  const key = (id: string, fill: number): string =>
    `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
  afterEach(() => stack.close());

  /** The one webhook that is kept, as it is in the file. */
  function storedWebhook() {
    const database = new DatabaseSync(join(stack.folder, 'data.sqlite'), { readOnly: true });
    const row = database.prepare('SELECT token_hash, digest, sealed FROM webhooks').get();
    database.close();
    return {
      tokenHash: String(row?.['token_hash']),
      digest: String(row?.['digest']),
      sealed: Buffer.from(row?.['sealed'] as Uint8Array),
    };
  }

  function bytesOfDataFiles(): Buffer[] {
    return readdirSync(stack.folder)
      .filter((name) => name.startsWith('data.sqlite'))
      .map((name) => readFileSync(join(stack.folder, name)));
  }

  /** In how many files some of it is, near its end: it begins with the name of the key. */
  function countTraces(sealed: Buffer): number {
    return bytesOfDataFiles().filter((bytes) => bytes.includes(sealed.subarray(-100))).length;
  }

  it('are found nowhere in the data file or its log, nor are headers and unmatched names', async () => {
    stack = await TestStack.start({
      merchant: { webhookEndpoints: [{ tokenHash, paths: PATHS }] },
    });
    const { path } = await opened('B1');
    const headers = { 'x-name': canaries[0] ?? '' };
    await send(path, { name: canaries[0], email: canaries[1] }, headers);
    await send(endpoint, { data: { order_id: canaries[2], reference: canaries[1] } }, headers);
    expect(await settled()).toMatchObject({ processed: 1, unmatched: 1 });
    const files = bytesOfDataFiles();
    expect(files.length).toBeGreaterThan(1);
    // Nor what a guess could be checked with.
    const hashes = canaries.map((canary) => hash('sha256', canary, 'base64url'));
    for (const text of [...canaries, ...hashes]) {
      expect(files.filter((bytes) => bytes.includes(text))).toEqual([]);
    }
  });

  it('are erased after the set time, processed or not', async () => {
    stack = await TestStack.start({ env: { PAY_RETENTION_DAYS: '3' } });
    const { path } = await opened('B2');
    await send(path, { body: 1 });
    expect(await settled()).toMatchObject({ processed: 1 });
    stack.advance(2 * DAY);
    await send(path, { body: 2 });
    expect(await settled()).toMatchObject({ processed: 2 });
    stack.advance(1.5 * DAY);
    await send(path, { body: 3 });
    await expect.poll(counts).toMatchObject({ processed: 2, waiting: 0 });
  });

  it('can be read on when a new key was put before the old one, and not when it is gone', async () => {
    const env: Record<string, string> = { PAY_ENCRYPTION_KEY: key('k1', 1) };
    stack = await TestStack.start({
      merchant: { webhookEndpoints: [{ tokenHash, paths: PATHS }] },
      env,
    });
    await send(endpoint, { data: { order_id: 1 } });
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 1 });
    env['PAY_ENCRYPTION_KEY'] = `${key('k2', 2)},${key('k1', 1)}`;
    await stack.server.close();
    await stack.startServer();
    await expect.poll(counts).toMatchObject({ waiting: 0, unmatched: 1 });
    env['PAY_ENCRYPTION_KEY'] = key('k2', 2);
    await stack.server.close();
    await stack.startServer();
    await expect
      .poll(counts)
      .toMatchObject({ unmatched: 0, processed: 1, flagged: { unreadable: 1 } });
  });

  it('that prove something prove it once, also when a new key was put before the old one', async () => {
    const env: Record<string, string> = { PAY_ENCRYPTION_KEY: key('k1', 1) };
    const webhooks = { paths: PATHS, ...SIGNED, evidence: { failedStatuses: ['FAILED'] } };
    stack = await TestStack.start({ merchant: { webhooks }, env });
    const { checkout, path, session } = await opened('B7');
    await sendSigned(path, failedBody(session));
    await stack.until(checkout, 'failed');
    await stack.reopen('B7');
    env['PAY_ENCRYPTION_KEY'] = `${key('k2', 2)},${key('k1', 1)}`;
    await stack.server.close();
    await stack.startServer();
    expect(await sendSigned(path, failedBody(session))).toBe(204);
    expect(await settled()).toMatchObject({ processed: 1, flagged: { verified: 1 } });
    expect(await stateOf(checkout)).toBe('open');
  });

  it('of any bytes are kept as they came', async () => {
    stack = await TestStack.start();
    const { path } = await opened('B3');
    const body = randomBytes(200_000);
    const { status } = await stack.fetch(path, { method: 'POST', body });
    expect(status).toBe(204);
    expect(await settled()).toMatchObject({ processed: 1 });
    const { tokenHash, digest, sealed } = storedWebhook();
    const encryption = new DataEncryption(loadSandboxKeys(join(stack.folder, 'data.sqlite')));
    const packed = encryption.open(sealed, encryptionContext(tokenHash, digest));
    expect(packed && body.equals(unpackWebhook(packed).body)).toBe(true);
  });

  it('are in no file any more when they have been erased, not even sealed, also while others come', async () => {
    stack = await TestStack.start({ env: { PAY_RETENTION_DAYS: '3' } });
    const { path } = await opened('B4');
    await send(path, { body: 'to be erased' });
    expect(await settled()).toMatchObject({ processed: 1 });
    const { sealed } = storedWebhook();
    expect(countTraces(sealed)).toBe(1);
    stack.advance(4 * DAY);
    let others = 0;
    const sendAnother = async (): Promise<number> => {
      await send(path, { other: (others += 1) });
      return countTraces(sealed);
    };
    await expect.poll(sendAnother).toBe(0);
  });

  it('are erased while another process reads the file, and leave the log when it is done', async () => {
    stack = await TestStack.start({ env: { PAY_RETENTION_DAYS: '3' } });
    const { path } = await opened('B5');
    await send(path, { body: 'to be erased' });
    expect(await settled()).toMatchObject({ processed: 1 });
    const { sealed } = storedWebhook();
    const reader = new DatabaseSync(join(stack.folder, 'data.sqlite'), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM webhooks');
    stack.advance(4 * DAY);
    await expect.poll(counts).toMatchObject({ processed: 0, waiting: 0 });
    expect((await stack.open('B6', { amount: '9.99' })).status).toBe(200);
    expect(countTraces(sealed)).toBeGreaterThan(0);
    reader.exec('ROLLBACK');
    reader.close();
    stack.advance(60);
    await expect.poll(() => countTraces(sealed)).toBe(0);
  });
});
