import type { PartnerGateway } from '../provider/gateway.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { explainOrder } from '../reconciliation/explain.js';
import { findWebhookEndpoints } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import {
  type DeadLetterFilter,
  findDeadLetters,
  redeliverEvents,
  type RedeliverFilter,
} from '../outbox/repository.js';
import { ping } from '../store/counters.js';
import type { Database } from '../store/database.js';
import { type Backlog, toBacklog } from './backlog.js';
import { findAttention, findUnmatchedWebhooks, report } from './repository.js';

const DAY_MS = 86_400_000;

export interface OperatorServiceOptions {
  readonly database: Database;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly evidence: Pick<ReconciliationService, 'countPollers'>;
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

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  async backlog(): Promise<Backlog> {
    const { database, evidence, clock, maxOrderId, settleWindowSeconds } = this.#options;
    const { backingOff: pollersBackingOff, backfillSince } = evidence.countPollers();
    const counts = await report(database, settleWindowSeconds);
    return toBacklog({ report: counts, pollersBackingOff, backfillSince, maxOrderId }, clock.now());
  }

  /** The state of the server. Rejects when the store cannot be read. */
  async health() {
    const { database, merchants, evidence } = this.#options;
    const isWritable = await ping(database).then(
      () => true,
      () => false,
    );
    return {
      status: isWritable ? 'ok' : 'store_not_writable',
      uptimeSeconds: Math.round(process.uptime()),
      merchants: (await merchants.all()).length,
      pollers: evidence.countPollers().all,
      backlog: await this.backlog(),
    };
  }

  /**
   * Says of each transaction that names an order whether it counts, in lines of text. It reads the
   * provider's list beside the poller that shoppers wait for, so one is explained at a time.
   */
  async explain(merchantId: string, order: string): Promise<readonly string[]> {
    const { database, merchants, gateway, clock } = this.#options;
    const merchant = await merchants.find(merchantId);
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
      return await explainOrder({ merchant, order, database, gateway, now: clock.now() });
    } finally {
      this.#isExplaining = false;
    }
  }

  async deadLetteredEvents(filter: DeadLetterFilter, limit: number) {
    return toList(await findDeadLetters(this.#options.database, filter, limit + 1), limit);
  }

  async redeliver(filter: RedeliverFilter): Promise<number> {
    const { database, clock } = this.#options;
    const count = await database.transaction('outbox:redeliver', (tx) =>
      redeliverEvents(tx, filter, clock.now()),
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

function toList<T>(found: readonly T[], limit: number): List<T> {
  return { items: found.slice(0, limit), more: found.length > limit };
}
