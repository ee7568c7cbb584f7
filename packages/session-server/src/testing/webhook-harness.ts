import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { ChangeFeed } from '../checkouts/change-feed.js';
import type { Clock } from '../clock.js';
import { errorHandler } from '../http/errors.js';
import { requestId } from '../http/headers.js';
import type { Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { SILENT_OBSERVER } from '../observer.js';
import { type RunLoop, RunLoops } from '../run-loop.js';
import { sql } from '../store/sql.js';
import { TestStore } from '../testing/test-store.js';
import { loadSandboxKeys, DataEncryption } from '../encryption.js';
import { startWebhookWorker } from '../webhooks/worker.js';
import { webhookRoutes } from '../webhooks/routes.js';
import { LocalServer } from './local-server.js';
import { TEST_RULES } from './store-harness.js';
import { testMerchant } from './test-merchant.js';

export const ENDPOINT_TOKEN = 'endpoint-token-for-tests';
export const ENDPOINT = {
  tokenHash: `sha256:${createHash('sha256').update(ENDPOINT_TOKEN).digest('hex')}`,
  paths: { orderId: 'order_id' },
};

class TestClock implements Clock {
  time = Date.now();

  now(): number {
    return this.time;
  }
}

/** The webhook route and worker over a real store, with a clock that the test sets. */
export class WebhookHarness {
  merchants: Merchant[] = [testMerchant()];
  /** What the worker decrypts with; the route encrypts with the one that was here at first. */
  encryption: DataEncryption;
  readonly errors: string[] = [];
  readonly store: TestStore;
  readonly #folder: string;
  readonly #clock: TestClock;
  readonly #logger: Logger;
  #server!: LocalServer;
  #worker: RunLoop | undefined;

  private constructor(folder: string, clock: TestClock, store: TestStore) {
    this.#folder = folder;
    this.#clock = clock;
    this.store = store;
    this.encryption = new DataEncryption(loadSandboxKeys(join(folder, 'data.sqlite')));
    this.#logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (_fields, message) => void this.errors.push(message),
    };
  }

  static async start(): Promise<WebhookHarness> {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    const path = join(folder, 'data.sqlite');
    const clock = new TestClock();
    const store = await TestStore.open({ path, clock, rules: TEST_RULES });
    const harness = new WebhookHarness(folder, clock, store);
    const routes = webhookRoutes({
      database: store.database,
      clock,
      merchants: harness.source,
      encryption: harness.encryption,
      logger: harness.#logger,
      webhookBaseUrl: 'https://pay.example',
      limits: { maxBytes: 1000, bytesPerAttempt: 1_000_000, bytesPerHourPerEndpoint: 1_000_000 },
      observer: SILENT_OBSERVER,
      onStored: () => harness.#worker?.wake(),
    });
    const app = express().use(requestId).use('/v1', routes).use(errorHandler(harness.#logger));
    harness.#server = await LocalServer.start(app);
    return harness;
  }

  readonly source: MerchantSource = {
    find: (id) => Promise.resolve(this.merchants.find((merchant) => merchant.id === id)),
    all: () => Promise.resolve(this.merchants),
    close: () => Promise.resolve(),
  };

  get now(): number {
    return this.#clock.time;
  }

  set now(time: number) {
    this.#clock.time = time;
  }

  /** The checkouts that hints were stored for, each as often as one was. */
  async hints(): Promise<string[]> {
    const rows = await this.store.database.all(
      sql`SELECT checkout, hints FROM attempts ORDER BY order_id`,
    );
    return rows.flatMap(({ checkout, hints }) =>
      Array<string>(Number(hints)).fill(String(checkout)),
    );
  }

  startWorker(): void {
    const { database } = this.store;
    this.#worker = startWebhookWorker({
      loops: new RunLoops({ database, clock: this.#clock, logger: this.#logger, tickMs: 100 }),
      database,
      context: this.store.context,
      merchants: this.source,
      reconciliation: { wake: () => undefined },
      changes: new ChangeFeed(),
      encryption: this.encryption,
      clock: this.#clock,
      logger: this.#logger,
      limits: { maxBytes: 1000, keepDays: 30, maxUnmatched: 10, unmatchedHours: 72 },
    });
  }

  /** Posts a webhook, and returns the status of the answer. */
  async send(
    token: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const url = `${this.#server.url}/v1/webhooks/${token}`;
    return (await fetch(url, { method: 'POST', body, headers })).status;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#worker?.close();
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }
}
