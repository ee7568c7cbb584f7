import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signWebhook, WEBHOOK_SCHEMES } from '@pay-checkout/partner-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../checkout/change-feed.js';
import type { Checkout } from '../checkout/checkout.js';
import { Door } from '../http/door.js';
import type { Merchant } from '../merchants/merchant.js';
import type { Repeating } from '../repeat.js';
import { SqliteCheckoutStore } from '../sqlite/sqlite-checkout-store.js';
import { LocalServer } from '../testing/local-server.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { SILENT_OBSERVER } from '../metrics/observer.js';
import { loadSandboxKeys } from './body-keys.js';
import { BodyVault } from './body-vault.js';
import { startDeliveryInbox } from './delivery-inbox.js';
import { createWebhookIntake } from './webhook-intake.js';

const HOUR_MS = 3_600_000;
const KEY = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const ENDPOINT_TOKEN = 'endpoint-token-for-tests';
const ENDPOINT = {
  tokenHash: `sha256:${createHash('sha256').update(ENDPOINT_TOKEN).digest('hex')}`,
  paths: { orderId: 'order_id' },
};
const INTAKE_LIMITS = {
  maxBytes: 1000,
  bytesPerAttempt: 100_000,
  bytesPerHourPerEndpoint: 100_000,
};
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The door and the inbox over a real store, with the time in the hands of the test. */
let now: number;
let folder: string;
let store: SqliteCheckoutStore;
let vault: BodyVault;
let merchants: Merchant[];
let door: LocalServer;
let inbox: Repeating | undefined;
/** Checkouts that a look was asked for. */
let hints: string[];

beforeEach(async () => {
  now = Date.now();
  folder = mkdtempSync(join(tmpdir(), 'inbox-'));
  const path = join(folder, 'data.sqlite');
  store = await SqliteCheckoutStore.open({ path, clock: { now: () => now }, rules: TEST_RULES });
  vault = new BodyVault(loadSandboxKeys(path));
  hints = [];
  inbox = undefined;
  merchants = [testMerchant()];
  const take = createWebhookIntake({
    door: new Door(SILENT, SILENT_OBSERVER),
    store,
    merchants: source,
    vault,
    logger: SILENT,
    webhookBaseUrl: 'https://pay.example',
    clock: { now: () => now },
    limits: INTAKE_LIMITS,
    observer: SILENT_OBSERVER,
    onStored: () => inbox?.wake(),
  });
  door = await LocalServer.start((request, response) => take(request, response));
});
afterEach(async () => {
  await door.close();
  await inbox?.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const source = {
  find: (id: string) => Promise.resolve(merchants.find((merchant) => merchant.id === id)),
  all: () => Promise.resolve(merchants),
  close: () => Promise.resolve(),
};

function startInbox(): void {
  inbox = startDeliveryInbox({
    store,
    merchants: source,
    evidence: { hint: ({ id }: Checkout) => void hints.push(id) },
    changes: new ChangeFeed(),
    vault,
    clock: { now: () => now },
    logger: SILENT,
    limits: { maxBytes: 1000, keepDays: 30, mostParked: 10, parkedHours: 72 },
  });
}

async function deliver(token: string, body: string, headers = {}): Promise<number> {
  const url = `${door.url}/v1/webhooks/${token}`;
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

describe('a delivery', () => {
  it('is answered 2xx only when it is stored', async () => {
    merchants = [testMerchant({ webhookEndpoints: [ENDPOINT] })];
    expect(await deliver(ENDPOINT_TOKEN, '{"order_id":1}')).toBe(204);
    store.recordDelivery = () => Promise.reject(new Error('the disk is full'));
    expect(await deliver(ENDPOINT_TOKEN, '{"order_id":2}')).toBe(500);
  });

  it('whose work was put off is as old as it was when it came', async () => {
    const signature = { scheme: 'standardWebhooks', keys: [{ key: KEY }] };
    merchants = [testMerchant({ webhooks: { signature } })];
    const { tokens } = await new StoreHarness(store).expose();
    const sign = (id: string, timestamp: Date) =>
      signWebhook(WEBHOOK_SCHEMES.standardWebhooks, KEY, { id, timestamp, body: `"${id}"` });
    await deliver(tokens.webhook, '"fresh"', await sign('fresh', new Date(now)));
    await deliver(tokens.webhook, '"stale"', await sign('stale', new Date(now - HOUR_MS)));
    now += HOUR_MS;
    startInbox();
    await expect
      .poll(() => store.countDeliveries())
      .toMatchObject({ processed: 2, flagged: { verified: 1, signature_refused: 1 } });
  });

  it('is of no merchant but the one whose endpoint it came to, also where two are one at the provider', async () => {
    const other = testMerchant({ id: 'coffeeshop' });
    merchants = [other, testMerchant({ webhookEndpoints: [ENDPOINT] })];
    const harness = new StoreHarness(store);
    const theirs = await harness.expose({ merchant: 'coffeeshop' });
    now += 1000;
    startInbox();
    await deliver(ENDPOINT_TOKEN, JSON.stringify({ order_id: theirs.attempt.orderId }));
    await expect
      .poll(() => store.countDeliveries())
      .toMatchObject({ waiting: 0, parked: 1, processed: 0 });
    expect(hints).toEqual([]);
  });

  it('of a flood about one checkout causes a look a minute at most, and six in an hour', async () => {
    const { tokens, checkout } = await new StoreHarness(store).expose();
    startInbox();
    let sent = 0;
    for (let minute = 0; minute < 30; minute += 1) {
      for (let copy = 0; copy < 3; copy += 1) await deliver(tokens.webhook, String((sent += 1)));
      await expect.poll(() => store.countDeliveries()).toMatchObject({ processed: sent });
      if (minute === 0) expect(hints).toEqual([checkout.id]);
      now += 61_000;
    }
    expect(hints).toHaveLength(6);
  });
});
