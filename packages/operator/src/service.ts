import {
  AppError,
  type Clock,
  type Database,
  type DeadLetterFilter,
  findDeadLetters,
  type Figures,
  findWebhookEndpoints,
  type MerchantSource,
  type OrderKey,
  type PartnerGateway,
  ping,
  type ReconciliationService,
  type RedeliverFilter,
  type ServerMetrics,
  type Servers,
} from '@pay-checkout/session-server/internals';
import { describeTimeline, explainOrder } from './explain.js';
import { redeliverAndNote } from './audit.js';
import type { HealthView, MerchantView } from './page-view.js';
import { describeServerProblems } from './server-problems.js';
import { findAttention, findUnmatchedWebhooks, readMerchantFigures } from './repository.js';

const DAY_MS = 86_400_000;
/** Merchants that the page shows figures of. */
const MAX_MERCHANTS = 50;
/** A person waits for it; the command has no such limit. */
const EXPLAIN_MS = 60_000;

export interface OperatorServiceOptions {
  readonly database: Database;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly reconciliation: Pick<ReconciliationService, 'countPollers' | 'waitForPage'>;
  readonly metrics: Pick<ServerMetrics, 'providerCalls'>;
  readonly figures: Figures;
  readonly servers: Pick<Servers, 'all'>;
  readonly clock: Clock;
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

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  /** The state of the server for a person: it says so, too, when the store cannot be written to. */
  async healthView(): Promise<HealthView> {
    const { database, merchants, metrics, figures, servers } = this.#options;
    const all = await merchants.all();
    const ofMerchants = await readMerchantFigures(database);
    return {
      providerCalls: await metrics.providerCalls(),
      busyMerchants: ofMerchants
        .toSorted((one, other) => urgencyOf(other) - urgencyOf(one))
        .slice(0, MAX_MERCHANTS),
      servers: await servers.all(),
      isWritable: await isWritable(database),
      merchants: { all: all.length, disabled: all.filter(({ disabled }) => disabled).length },
      backlog: await figures.backlog(),
    };
  }

  /** What is wrong with the servers, for a line above every page. */
  async problems(): Promise<readonly string[]> {
    return describeServerProblems(await this.#options.servers.all());
  }

  /** The state of the server. Rejects when the store cannot be read. */
  async health() {
    const { database, merchants, reconciliation, figures } = this.#options;
    return {
      status: (await isWritable(database)) ? 'ok' : 'store_not_writable',
      uptimeSeconds: Math.round(process.uptime()),
      merchants: (await merchants.all()).length,
      pollers: reconciliation.countPollers().all,
      backlog: await figures.backlog(),
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
