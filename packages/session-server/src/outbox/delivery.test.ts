import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import { ShopClient } from '../provider/shop-client.js';
import { type RunLoop, RunLoops } from '../run-loop.js';
import { TestStore } from '../testing/test-store.js';
import { LocalServer } from '../testing/local-server.js';
import { StoreHarness, TEST_RULES, AT_PROVIDER } from '../testing/store-harness.js';
import { testMerchant, TEST_ENCRYPTION } from '../testing/test-merchant.js';
import { startOutboxDispatcher } from './dispatcher.js';

const HOUR_MS = 3_600_000;

interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly verified: unknown;
}

/** The clock of store and dispatcher; tests move it instead of waiting. */
let now: number;
const clock = { now: () => now };
let folder: string;
let store: TestStore;
let merchants: Map<string, Merchant>;
let log: { level: string; fields: LogFields }[];
let servers: LocalServer[];
let dispatchers: RunLoop[];
let client: ShopClient;

beforeEach(async () => {
  now = Date.now();
  folder = mkdtempSync(join(tmpdir(), 'events-'));
  store = await openStore();
  merchants = new Map();
  log = [];
  servers = [];
  dispatchers = [];
  client = new ShopClient();
});
afterEach(async () => {
  await client.close();
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
  await store.close();
  rmSync(folder, { recursive: true });
});

function openStore(): Promise<TestStore> {
  return TestStore.open({ path: join(folder, 'data.sqlite'), clock, rules: TEST_RULES });
}

/** A shop of a merchant on this machine, and what was delivered to it. */
async function shopOf(id: string, answer: RequestListener): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  const server = await LocalServer.start((request, response) => {
    void readText(request).then((body) => {
      const headers = request.headers as Record<string, string>;
      const secret = testMerchant().signingSecret[0]?.reveal() ?? '';
      const verified = new Webhook(secret).verify(body, headers);
      deliveries.push({ id: headers['webhook-id'] ?? '', body, verified });
      answer(request, response);
    });
  });
  servers.push(server);
  const events = { url: server.url, allowPrivateAddress: true };
  merchants.set(id, testMerchant({ id, events }));
  return deliveries;
}

function startDispatcher(): RunLoop {
  const write = (level: string) => (fields: LogFields) => void log.push({ level, fields });
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const dispatcher = startOutboxDispatcher({
    encryption: TEST_ENCRYPTION,
    loops: new RunLoops({ database: store.database, clock, logger, tickMs: 100 }),
    database: store.database,
    clock,
    logger,
    shop: client,
    merchants: { find: (id) => Promise.resolve(merchants.get(id)) },
  });
  dispatchers.push(dispatcher);
  return dispatcher;
}

/** Makes an order of a merchant paid, which stores one event for its shop. */
async function payOrder(merchant: string, order: string): Promise<void> {
  const decision = await store.beginAttempt({
    merchant,
    order,
    orderVersion: 'version-1',
    amountMinor: 999,
    currency: 'GBP',
    decimals: 2,
    ...AT_PROVIDER,
  });
  if (decision.kind !== 'send') throw new Error(`expected send, not ${decision.kind}`);
  const { orderId } = decision.attempt;
  await new StoreHarness(store).pay(orderId, { transaction: `tx-${merchant}-${order}` });
}

describe('an event for a shop', () => {
  it('comes signed, once, when the shop acknowledges it', async () => {
    const deliveries = await shopOf('teashop', (_, response) => response.writeHead(204).end());
    await payOrder('teashop', 'A1001');
    const dispatcher = startDispatcher();
    await expect.poll(() => deliveries.length).toBe(1);
    expect(deliveries[0]?.verified).toMatchObject({
      type: 'checkout.paid',
      data: { merchant: 'teashop', order: 'A1001', certain: true, sequence: 1, amount: '9.99' },
    });
    await expect.poll(() => store.nextEventAt()).toBeUndefined();
    now += HOUR_MS;
    dispatcher.wake();
    await dispatcher.close();
    expect(deliveries).toHaveLength(1);
  });

  it('comes again with the same id and body until it is acknowledged, and no more then', async () => {
    const statuses = [500, 302, 404, 200];
    const deliveries = await shopOf('teashop', (_, response) =>
      response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end(),
    );
    await payOrder('teashop', 'A1001');
    const dispatcher = startDispatcher();
    for (let tries = 1; tries <= 4; tries += 1) {
      await expect.poll(() => deliveries.length).toBe(tries);
      await expect.poll(() => log.length).toBe(tries);
      now += HOUR_MS;
      dispatcher.wake();
    }
    await expect.poll(() => store.nextEventAt()).toBeUndefined();
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
    expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
    expect(log.map(({ level, fields }) => [level, fields['status']])).toEqual([
      ['warn', 500],
      ['warn', 302],
      ['warn', 404],
      ['info', 200],
    ]);
  });

  it('that is in progress is completed before the dispatcher is closed', async () => {
    const arrived = Promise.withResolvers<() => void>();
    await shopOf('teashop', (_, response) => {
      arrived.resolve(() => response.writeHead(204).end());
    });
    await payOrder('teashop', 'A1001');
    const dispatcher = startDispatcher();
    const answer = await arrived.promise;
    const closing = dispatcher.close();
    answer();
    await closing;
    now += HOUR_MS;
    const claim = { limit: 1, perMerchant: 1, leaseSeconds: 30 };
    expect(await store.claimEvents(claim)).toEqual([]);
  });

  it('that gets no answer for two seconds while the dispatcher closes is delivered again after a start', async () => {
    const arrived = Promise.withResolvers<undefined>();
    const deliveries = await shopOf('teashop', () => {
      arrived.resolve(undefined);
    });
    await payOrder('teashop', 'A1001');
    const dispatcher = startDispatcher();
    await arrived.promise;
    const startedAt = performance.now();
    await dispatcher.close();
    // Not as long as a delivery may take: 15 s.
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    expect(log).toEqual([]);
    await store.close();
    store = await openStore();
    const claim = { limit: 1, perMerchant: 1, leaseSeconds: 30 };
    expect(await store.claimEvents(claim)).toMatchObject([{ id: deliveries[0]?.id, tries: 0 }]);
  });

  it('is delivered by a dispatcher that starts after the one that claimed it died', async () => {
    const isTaken = Promise.withResolvers<undefined>();
    const deliveries = await shopOf('teashop', (_, response) => {
      if (deliveries.length === 2) response.writeHead(204).end(() => isTaken.resolve(undefined));
    });
    await payOrder('teashop', 'A1001');
    startDispatcher();
    await expect.poll(() => deliveries.length).toBe(1);
    now += HOUR_MS;
    startDispatcher();
    await isTaken.promise;
    expect(deliveries[1]?.id).toBe(deliveries[0]?.id);
  });

  it('waits for a merchant who is missing from the file, and comes when it is back', async () => {
    await payOrder('teashop', 'A1001');
    const dispatcher = startDispatcher();
    await expect.poll(() => log.length).toBe(1);
    const deliveries = await shopOf('teashop', (_, response) => response.writeHead(204).end());
    now += HOUR_MS;
    dispatcher.wake();
    await expect.poll(() => deliveries.length).toBe(1);
  });
});
