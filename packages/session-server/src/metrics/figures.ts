import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Clock } from '../clock.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { type Database, ping } from '../store/database.js';
import { readBacklog } from './backlog.js';

/** Prometheus gives up after ten seconds. */
const STORE_WAIT_MS = 5000;

export interface FiguresOptions {
  readonly registry: Registry;
  readonly database: Database;
  readonly reconciliation: Pick<ReconciliationService, 'countPollers'>;
  readonly clock: Clock;
  readonly maxOrderId: number;
  readonly settleWindowSeconds: number;
}

/** What is read at a scrape: how much waits in the store, and whether that can be read. */
export class Figures {
  readonly #options: FiguresOptions;
  readonly #gauges: readonly (readonly [FigureName, Gauge])[];
  #reading: ReturnType<typeof readBacklog> | undefined;

  constructor(options: FiguresOptions) {
    this.#options = options;
    this.#gauges = Object.entries(GAUGES).map(([key, [name, help]]) => [
      key as FigureName,
      new Gauge({ name, help, registers: [options.registry] }),
    ]);
  }

  /** How many items wait, and for how long: the basis of alerts. Counts stop at 10,000. */
  async backlog() {
    const { database, clock } = this.#options;
    return { ...(await readBacklog(database, this.#options, clock.now())), ...this.#pollers() };
  }

  /**
   * Brings the gauges up to date. It ends in time whatever the store does: what is read from the store
   * is left out while that cannot be written to and read, since an old figure would pass for a current one.
   */
  async update(): Promise<void> {
    const { database } = this.#options;
    const stored = await Promise.race([
      this.#readStore().catch(() => undefined),
      sleep(STORE_WAIT_MS, undefined, { ref: false }),
    ]);
    const connections = database.countConnections();
    const reading: Reading = {
      ...stored,
      ...this.#pollers(),
      storeUp: stored ? 1 : 0,
      connectionsInUse: connections?.inUse,
      connectionsWaiting: connections?.waiting,
    };
    for (const [name, gauge] of this.#gauges) {
      const figure = reading[name];
      if (figure === undefined) gauge.remove();
      else gauge.set(figure);
    }
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
}

type Backlog = Awaited<ReturnType<Figures['backlog']>>;

type FigureName = keyof Backlog | 'storeUp' | 'connectionsInUse' | 'connectionsWaiting';

/** Figures at one moment; undefined where unknown. */
type Reading = Readonly<Partial<Record<FigureName, number | undefined>>>;

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
