import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeFeed } from '../checkouts/change-feed.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Clock } from '../clock.js';
import { Door } from '../http/door.js';
import type { Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { SILENT_OBSERVER } from '../metrics/observer.js';
import type { Repeating } from '../repeat.js';
import { SqliteCheckoutStore } from '../store/sqlite-store.js';
import { loadSandboxKeys } from '../webhooks/encryption-keys.js';
import { WebhookEncryption } from '../webhooks/encryption.js';
import { startWebhookWorker } from '../webhooks/worker.js';
import { createWebhookRoute } from '../webhooks/routes.js';
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

/** The door and the inbox for deliveries over a real store, with the time in the hands of the test. */
export class InboxHarness {
  merchants: Merchant[] = [testMerchant()];
  /** What the inbox opens bodies with; the door seals them with the one that was here at first. */
  vault: WebhookEncryption;
  /** Checkouts that a look was asked for. */
  readonly hints: string[] = [];
  readonly errors: string[] = [];
  readonly store: SqliteCheckoutStore;
  readonly #folder: string;
  readonly #clock: TestClock;
  readonly #logger: Logger;
  #door!: LocalServer;
  #inbox: Repeating | undefined;

  private constructor(folder: string, clock: TestClock, store: SqliteCheckoutStore) {
    this.#folder = folder;
    this.#clock = clock;
    this.store = store;
    this.vault = new WebhookEncryption(loadSandboxKeys(join(folder, 'data.sqlite')));
    this.#logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (_fields, message) => void this.errors.push(message),
    };
  }

  static async start(): Promise<InboxHarness> {
    const folder = mkdtempSync(join(tmpdir(), 'inbox-'));
    const path = join(folder, 'data.sqlite');
    const clock = new TestClock();
    const store = await SqliteCheckoutStore.open({ path, clock, rules: TEST_RULES });
    const harness = new InboxHarness(folder, clock, store);
    const take = createWebhookRoute({
      door: new Door(harness.#logger, SILENT_OBSERVER),
      store,
      merchants: harness.source,
      vault: harness.vault,
      logger: harness.#logger,
      webhookBaseUrl: 'https://pay.example',
      clock,
      limits: { maxBytes: 1000, bytesPerAttempt: 1_000_000, bytesPerHourPerEndpoint: 1_000_000 },
      observer: SILENT_OBSERVER,
      onStored: () => harness.#inbox?.wake(),
    });
    harness.#door = await LocalServer.start((request, response) => take(request, response));
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

  startInbox(): void {
    this.#inbox = startWebhookWorker({
      store: this.store,
      merchants: this.source,
      evidence: { hint: ({ id }: Checkout) => void this.hints.push(id) },
      changes: new ChangeFeed(),
      vault: this.vault,
      clock: this.#clock,
      logger: this.#logger,
      limits: { maxBytes: 1000, keepDays: 30, maxUnmatched: 10, unmatchedHours: 72 },
    });
  }

  /** What the door answers to a delivery. */
  async deliver(
    token: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const url = `${this.#door.url}/v1/webhooks/${token}`;
    return (await fetch(url, { method: 'POST', body, headers })).status;
  }

  async close(): Promise<void> {
    await this.#door.close();
    await this.#inbox?.close();
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }
}
