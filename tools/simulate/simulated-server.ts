import { join } from 'node:path';
import { toStoredToken } from '../../packages/session-server/dist/checkouts/attempt-ids.js';
import { findToken } from '../../packages/session-server/dist/checkouts/attempt-repository.js';
import { ChangeFeed } from '../../packages/session-server/dist/checkouts/change-feed.js';
import { startPriceCheck } from '../../packages/session-server/dist/checkouts/price-check.js';
import { checkoutRulesOf } from '../../packages/session-server/dist/checkouts/rules.js';
import { CheckoutService } from '../../packages/session-server/dist/checkouts/service.js';
import type { StepContext } from '../../packages/session-server/dist/checkouts/checkout-transactions.js';
import type { Clock } from '../../packages/session-server/dist/clock.js';
import { parseConfig } from '../../packages/session-server/dist/config.js';
import {
  DataEncryption,
  encryptionContext,
  parseEncryptionKeys,
} from '../../packages/session-server/dist/encryption.js';
import type { Logger } from '../../packages/session-server/dist/logger.js';
import {
  DEFAULT_ACCOUNT,
  type Merchant,
} from '../../packages/session-server/dist/merchants/merchant.js';
import type { MerchantSource } from '../../packages/session-server/dist/merchants/merchant-source.js';
import { SILENT_OBSERVER } from '../../packages/session-server/dist/observer.js';
import type { OrderLookup } from '../../packages/session-server/dist/orders/order-lookup.js';
import { startOutboxDispatcher } from '../../packages/session-server/dist/outbox/dispatcher.js';
import type { PartnerGateway } from '../../packages/session-server/dist/provider/gateway.js';
import type { ShopClient } from '../../packages/session-server/dist/provider/shop-client.js';
import { startSchedule } from '../../packages/session-server/dist/reconciliation/schedule.js';
import { ReconciliationService } from '../../packages/session-server/dist/reconciliation/service.js';
import { RunLoops } from '../../packages/session-server/dist/run-loop.js';
import type { Database, Transaction } from '../../packages/session-server/dist/store/database.js';
import { sql } from '../../packages/session-server/dist/store/sql.js';
import { SqliteDatabase } from '../../packages/session-server/dist/store/sqlite-database.js';
import { packWebhook } from '../../packages/session-server/dist/webhooks/payload.js';
import { recordWebhook } from '../../packages/session-server/dist/webhooks/webhook-transactions.js';
import { startWebhookWorker } from '../../packages/session-server/dist/webhooks/worker.js';

export interface SimulatedServerOptions {
  /** For the data file. */
  readonly folder: string;
  readonly merchants: ReadonlyMap<string, Merchant>;
  readonly gateway: PartnerGateway;
  readonly lookUpOrder: OrderLookup;
  readonly shop: Pick<ShopClient, 'deliver'>;
  readonly clock: Clock;
  readonly isPerMerchant: boolean;
  readonly onChange: StepContext['onChange'];
  /** Called with what the server logs as an error. */
  readonly onError: (message: string) => void;
}

/** How much is stored, and what waits. */
export interface StoreSample {
  readonly bytes: number;
  readonly watchedAttempts: number;
  readonly pendingEvents: number;
  /** Of the oldest event that is due and was never tried, in milliseconds. */
  readonly untriedEventAge: number;
  readonly waitingWebhooks: number;
}

/**
 * The session server as `server.ts` puts it together, without HTTP: its services, loops, quota and data
 * file, with models in the places of the provider's and the shops' networks.
 */
export class SimulatedServer {
  readonly checkouts: CheckoutService;
  readonly reconciliation: ReconciliationService;
  readonly changes = new ChangeFeed();
  readonly database: TrackedDatabase;
  readonly #clock: Clock;
  readonly #encryption: DataEncryption;
  readonly #maxWebhookBytes: number;
  readonly #worker: ReturnType<typeof startWebhookWorker>;
  readonly #parts: { close(): Promise<void> }[];

  constructor(options: SimulatedServerOptions) {
    const { folder, clock, gateway, lookUpOrder, isPerMerchant } = options;
    const config = parseConfig(environment(folder));
    this.#clock = clock;
    const database = new TrackedDatabase(new SqliteDatabase(join(folder, 'data.sqlite')));
    this.database = database;
    const encryption = new DataEncryption(
      parseEncryptionKeys(`simulation:${Buffer.alloc(32, 1).toString('base64')}`) ?? [],
    );
    this.#encryption = encryption;
    this.#maxWebhookBytes = config.webhooks.bytesPerAttempt;
    const { changes } = this;
    const merchants = sourceOf(options.merchants, isPerMerchant);
    const logger: Logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (_fields, message) => options.onError(message),
    };
    const context: StepContext = {
      rules: checkoutRulesOf(config),
      clock,
      onChange: (before, after) => {
        options.onChange(before, after);
        if (before && before.state !== 'paid' && after.state === 'paid') priceCheck.wake();
        if (before && after.sequence > before.sequence) dispatcher.wake();
      },
      orderIds: {},
    };
    const observer = SILENT_OBSERVER;
    const loops = new RunLoops({ database, clock, logger, tickMs: config.tickSeconds * 1000 });
    const common = { database, context, merchants, changes, clock, logger, observer, loops };
    const priceCheck = startPriceCheck({ ...common, lookUpOrder });
    const reconciliation = new ReconciliationService({
      ...{ ...common, gateway },
      intervalMs: config.pollIntervalSeconds * 1000,
      pagesPerMinute: config.pollPagesPerMinute,
    });
    this.reconciliation = reconciliation;
    void reconciliation.start();
    const { maxOrderId, ownerWaitSeconds } = config;
    this.checkouts = new CheckoutService({
      ...{ ...common, encryption, gateway, lookUpOrder, reconciliation },
      ...{ maxOrderId, ownerWaitSeconds },
      addresses: config,
      hasLostAttempts: false,
    });
    const limits = config.webhooks;
    this.#worker = startWebhookWorker({ ...common, reconciliation, encryption, limits });
    const dispatcher = startOutboxDispatcher({ ...common, encryption, shop: options.shop });
    const schedule = startSchedule(common);
    this.#parts = [schedule, dispatcher, this.#worker, reconciliation, priceCheck, database];
  }

  /** Takes a provider webhook as the route does: it is stored, and then processed. */
  async receiveWebhook(url: string, body: string): Promise<void> {
    const stored = toStoredToken(url.slice(url.lastIndexOf('/') + 1));
    const found = await findToken(this.database, stored);
    const bytes = Buffer.from(body);
    const digest = this.#encryption.digest(stored.hash, bytes);
    const headers = { 'content-type': 'application/json' };
    const packed = packWebhook({ url, headers, body: bytes });
    const sealed = this.#encryption.seal(packed, encryptionContext(stored.hash, digest));
    const webhook = { tokenHash: stored.hash, digest, sealed };
    const receipt = {
      ...{ orderId: found?.orderId, maxBytes: this.#maxWebhookBytes },
      now: this.#clock.now(),
    };
    await this.database.transaction('webhook:record', (tx) => recordWebhook(tx, webhook, receipt));
    this.#worker.wake();
  }

  async sample(): Promise<StoreSample> {
    const now = this.#clock.now();
    const row = await this.database.get(sql`
      SELECT
        (SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()) AS bytes,
        (SELECT count(*) FROM attempts WHERE next_poll_at IS NOT NULL) AS attempts,
        (SELECT count(*) FROM outbox_events WHERE due_at IS NOT NULL) AS events,
        (SELECT min(due_at) FROM outbox_events WHERE due_at <= ${now} AND tries = 0) AS untried,
        (SELECT count(*) FROM webhooks WHERE due_at IS NOT NULL) AS webhooks`);
    return {
      bytes: Number(row?.['bytes']),
      watchedAttempts: Number(row?.['attempts']),
      pendingEvents: Number(row?.['events']),
      untriedEventAge: row?.['untried'] === null ? 0 : now - Number(row?.['untried']),
      waitingWebhooks: Number(row?.['webhooks']),
    };
  }

  async close(): Promise<void> {
    for (const part of this.#parts) await part.close();
  }
}

/** Knows whether a transaction is in progress: it ends when the event loop turns, and not with a timer. */
class TrackedDatabase implements Database {
  readonly isShared = false;
  transactions = 0;
  readonly #database: SqliteDatabase;
  #underWay = 0;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  readonly get: Database['get'] = (query) => this.#database.get(query);
  readonly all: Database['all'] = (query) => this.#database.all(query);

  transaction<T>(name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#track(this.#database.transaction(name, work));
  }

  readonly run: Database['run'] = (name, first, ...others) =>
    this.#track(this.#database.run(name, first, ...others));
  readonly write: Database['write'] = (build) => this.#track(this.#database.write(build));

  clockAheadMs(): undefined {
    return undefined;
  }

  countConnections(): undefined {
    return undefined;
  }

  purgeDeleted(): Promise<boolean> {
    return this.#database.purgeDeleted();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay += 1;
    this.transactions += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
    }
  }
}

function sourceOf(
  merchants: ReadonlyMap<string, Merchant>,
  isPerMerchant: boolean,
): MerchantSource {
  const all = [...merchants.values()];
  const accounts = new Map(
    isPerMerchant ? [[DEFAULT_ACCOUNT, { transactionList: 'merchant' } as const]] : [],
  );
  return {
    accounts: () => Promise.resolve(accounts),
    find: (id) => Promise.resolve(merchants.get(id)),
    all: () => Promise.resolve(all),
    close: () => Promise.resolve(),
  };
}

/** Everything that has a default keeps it. */
function environment(folder: string): Record<string, string> {
  return {
    PAY_ENVIRONMENT: 'sandbox',
    PAY_PUBLIC_URL: 'https://pay.example',
    PAY_DATABASE_FILE: join(folder, 'data.sqlite'),
    PAY_MERCHANTS_FILE: join(folder, 'merchants.json'),
    PAY_WIDGET_SCRIPT: join(folder, 'pay-checkout.js'),
    PAY_PARTNER_API_URL: 'https://provider.example',
    PAY_PARTNER_API_KEY: 'key-of-the-simulation',
  };
}
