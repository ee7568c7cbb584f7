import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { PartnerGateway } from '../provider/gateway.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { describeTimeline, explainOrder } from './explain.js';
import { findWebhookEndpoints } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { readBacklog } from '../metrics/backlog.js';
import type { OrderKey } from '../orders/repository.js';
import {
  type DeadLetterFilter,
  findDeadLetters,
  type RedeliverFilter,
} from '../outbox/repository.js';
import { type Database, ping } from '../store/database.js';
import { VERSION } from '../version.js';
import { redeliverAndNote } from './audit.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import type { HealthView, MerchantView } from './page-view.js';
import { findAttention, findUnmatchedWebhooks, readMerchantFigures } from './repository.js';

const DAY_MS = 86_400_000;
/** Merchants that the page shows figures of. */
const MAX_MERCHANTS = 50;
/** Prometheus gives up after ten seconds. */
const STORE_WAIT_MS = 5000;
/** A person waits for it; the command has no such limit. */
const EXPLAIN_MS = 60_000;

export interface OperatorServiceOptions {
  readonly database: Database;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly reconciliation: Pick<ReconciliationService, 'countPollers' | 'waitForPage'>;
  readonly metrics: Pick<ServerMetrics, 'providerCalls'>;
  readonly clock: Clock;
  readonly maxOrderId: number;
  readonly settleWindowSeconds: number;
  /** Called when events wait to be delivered again. */
  readonly onRedelivery: () => void;
}

/** What a list answers: the first of them, and whether there are more. */
export interface List<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

/** What operators ask and do. Answers name orders, and no person. */
export class OperatorService {
  readonly #options: OperatorServiceOptions;
  #isExplaining = false;
  #reading: ReturnType<typeof readBacklog> | undefined;

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  /** How many items wait, and for how long: the basis of alerts. Counts stop at 10,000. */
  async backlog() {
    const { database, clock } = this.#options;
    return { ...(await readBacklog(database, this.#options, clock.now())), ...this.#pollers() };
  }

  /**
   * What the metrics show. It answers in time whatever the store does: what is read from the store is
   * undefined while that cannot be written to and read.
   */
  async figures(): Promise<Figures> {
    const { database } = this.#options;
    const stored = await Promise.race([
      this.#readStore().catch(() => undefined),
      sleep(STORE_WAIT_MS, undefined, { ref: false }),
    ]);
    const connections = database.countConnections();
    return {
      ...stored,
      ...this.#pollers(),
      storeUp: stored ? 1 : 0,
      connectionsInUse: connections?.inUse,
      connectionsWaiting: connections?.waiting,
    };
  }

  /** One query at a time: a store that hangs is not queried again by each scrape. */
  #readStore() {
    const { database, clock } = this.#options;
    this.#reading ??= ping(database)
      .then(() => readBacklog(database, this.#options, clock.now()))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  #pollers() {
    const { reconciliation, clock } = this.#options;
    const { backingOff, backfillSince } = reconciliation.countPollers();
    const now = clock.now();
    return {
      pollersBackingOff: backingOff,
      backfillSeconds: Math.max(0, (now - (backfillSince ?? now)) / 1000),
    };
  }

  /** The state of the server for a person: it says so, too, when the store cannot be written to. */
  async healthView(): Promise<HealthView> {
    const { database, merchants, metrics } = this.#options;
    const all = await merchants.all();
    const figures = await readMerchantFigures(database);
    return {
      providerCalls: await metrics.providerCalls(),
      busyMerchants: figures
        .toSorted((one, other) => urgencyOf(other) - urgencyOf(one))
        .slice(0, MAX_MERCHANTS),
      version: VERSION,
      isWritable: await isWritable(database),
      uptimeSeconds: Math.round(process.uptime()),
      merchants: { all: all.length, disabled: all.filter(({ disabled }) => disabled).length },
      backlog: await this.backlog(),
    };
  }

  /** The state of the server. Rejects when the store cannot be read. */
  async health() {
    const { database, merchants, reconciliation } = this.#options;
    return {
      status: (await isWritable(database)) ? 'ok' : 'store_not_writable',
      uptimeSeconds: Math.round(process.uptime()),
      merchants: (await merchants.all()).length,
      pollers: reconciliation.countPollers().all,
      backlog: await this.backlog(),
    };
  }

  /**
   * Says of each transaction that names an order whether it counts, in lines of text. It reads the
   * provider's list within the quota of the polls that shoppers wait for, so one runs at a time.
   */
  async explain(key: OrderKey, signal: AbortSignal): Promise<readonly string[]> {
    const { database, merchants, gateway, clock, reconciliation } = this.#options;
    const merchant = await merchants.find(key.merchant);
    if (!merchant) throw new AppError(404, 'unknown_merchant', 'No such merchant.');
    if (this.#isExplaining) {
      throw new AppError(
        429,
        'too_many_requests',
        'Another order is being explained. Wait for it.',
        {
          retryAfterSeconds: 5,
        },
      );
    }
    this.#isExplaining = true;
    try {
      return await explainOrder({
        ...{ merchant, order: key.order, database, gateway, merchants },
        waitForPage: reconciliation.waitForPage.bind(reconciliation),
        signal: AbortSignal.any([signal, AbortSignal.timeout(EXPLAIN_MS)]),
        now: clock.now(),
      });
    } finally {
      this.#isExplaining = false;
    }
  }

  /** What happened to an order, in lines of text, as it is stored: nothing is asked of the provider. */
  timeline(merchant: string, order: string): Promise<readonly string[]> {
    return describeTimeline(this.#options.database, { merchant, order });
  }

  async deadLetteredEvents(filter: DeadLetterFilter, limit: number) {
    return toList(await findDeadLetters(this.#options.database, filter, limit + 1), limit);
  }

  /** @param actor who asks for it, for the audit trail */
  async redeliver(filter: RedeliverFilter, actor: string): Promise<number> {
    const { database, clock } = this.#options;
    const count = await database.transaction('outbox:redeliver', (tx) =>
      redeliverAndNote(tx, filter, { actor }, clock.now()),
    );
    if (count > 0) this.#options.onRedelivery();
    return count;
  }

  /** Unmatched webhooks, each with the merchants that registered its endpoint. */
  async unmatchedWebhooks(limit: number) {
    const merchants = await this.#options.merchants.all();
    const unmatched = await findUnmatchedWebhooks(this.#options.database, limit + 1);
    const webhooks = unmatched.map(({ id, tokenHash, receivedAt }) => ({
      id,
      receivedAt,
      merchants: findWebhookEndpoints(merchants, tokenHash).map(({ merchant }) => merchant.id),
    }));
    return toList(webhooks, limit);
  }

  async attention(merchant: string | undefined, days: number, limit: number) {
    const { database, clock } = this.#options;
    const filter = { merchant, since: clock.now() - days * DAY_MS };
    return toList(await findAttention(database, filter, limit + 1), limit);
  }
}

/** What needs attention comes before what only waits. */
function urgencyOf(of: MerchantView): number {
  return (of.attention + of.deadLettered) * 100_000 + of.waitingEvents + of.watchedAttempts;
}

function isWritable(database: Database): Promise<boolean> {
  return ping(database).then(
    () => true,
    () => false,
  );
}

function toList<T>(found: readonly T[], limit: number): List<T> {
  return { items: found.slice(0, limit), more: found.length > limit };
}

type Backlog = Awaited<ReturnType<OperatorService['backlog']>>;

type FigureName = keyof Backlog | 'storeUp' | 'connectionsInUse' | 'connectionsWaiting';

/** Figures at one moment; undefined where unknown. */
type Figures = Readonly<Partial<Record<FigureName, number | undefined>>>;

/** The metric of each number. */
const GAUGES: Readonly<Record<FigureName, readonly [name: string, help: string]>> = {
  watchedAttempts: ['pay_watched_attempts', 'Attempts that are polled for, counted up to 10000'],
  scheduledPollLateSeconds: [
    'pay_scheduled_poll_delay_seconds',
    'How late the next scheduled poll is',
  ],
  oldestReturnSeconds: [
    'pay_oldest_return_seconds',
    'How long the first shopper who came back has waited for an outcome',
  ],
  waitingWebhooks: [
    'pay_webhooks_waiting',
    'Stored webhooks that are still to be processed, counted up to 10000',
  ],
  oldestWebhookSeconds: [
    'pay_oldest_webhook_seconds',
    'How long the oldest of the waiting webhooks has waited',
  ],
  unmatchedWebhooks: [
    'pay_webhooks_unmatched',
    'Webhooks that no attempt was found for, counted up to 10000',
  ],
  waitingEvents: [
    'pay_outbox_events_waiting',
    'Events that no shop has acknowledged yet, counted up to 10000',
  ],
  oldestEventSeconds: [
    'pay_oldest_event_seconds',
    'How long the oldest of the waiting events has waited',
  ],
  deadLetteredEvents: [
    'pay_outbox_events_dead_lettered',
    'Events that are dead-lettered, counted up to 10000',
  ],
  orderIdShare: ['pay_order_id_used_ratio', 'Last order_id as a share of the largest'],
  pollersBackingOff: [
    'pay_pollers_backing_off',
    'Lists of transactions that are not polled for now, because they failed',
  ],
  backfillSeconds: [
    'pay_oldest_backfill_seconds',
    'How long the oldest unfinished backfill has been running',
  ],
  storeUp: ['pay_store_up', '1 while the store can be written to and read, otherwise 0'],
  connectionsInUse: ['pay_store_connections_in_use', 'Connections to PostgreSQL that are in use'],
  connectionsWaiting: [
    'pay_store_connections_waiting',
    'Callers that wait for a free connection to PostgreSQL',
  ],
};

/** Shows figures in the metrics, as they are at a scrape. */
export class FigureGauges {
  readonly #gauges: readonly (readonly [FigureName, Gauge])[];

  constructor(registry: Registry) {
    this.#gauges = Object.entries(GAUGES).map(([key, [name, help]]) => [
      key as FigureName,
      new Gauge({ name, help, registers: [registry] }),
    ]);
  }

  /** Unknown figures are left out: an old one would pass for a current one. */
  set(figures: Figures): void {
    for (const [name, gauge] of this.#gauges) {
      const figure = figures[name];
      if (figure === undefined) gauge.remove();
      else gauge.set(figure);
    }
  }
}
