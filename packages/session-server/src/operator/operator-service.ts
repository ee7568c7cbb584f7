import type { CheckoutStore } from '../checkouts/repository.js';
import type { PartnerGateway } from '../provider/gateway.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { explainOrder } from '../reconciliation/explain.js';
import { findWebhookEndpoints } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { DeadLetterFilter, RedeliverFilter } from '../outbox/repository.js';
import { type Backlog, toBacklog } from './backlog.js';

const DAY_MS = 86_400_000;

export interface OperatorServiceOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly evidence: Pick<ReconciliationService, 'countReaders'>;
  readonly clock: Clock;
  readonly maxOrderId: number;
  /** Called when events wait to be sent again. */
  readonly onRedriven: () => void;
}

/** What a list answers: the first of them, and whether there are more. */
export interface List<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

/** What people who run the server ask and do. It tells of orders by their names, and of no person. */
export class OperatorService {
  readonly #options: OperatorServiceOptions;
  #isExplaining = false;

  constructor(options: OperatorServiceOptions) {
    this.#options = options;
  }

  async backlog(): Promise<Backlog> {
    const { store, evidence, clock, maxOrderId } = this.#options;
    const { backingOff: readersBackingOff, deepSince } = evidence.countReaders();
    const report = await store.report();
    return toBacklog({ report, readersBackingOff, deepSince, maxOrderId }, clock.now());
  }

  /** How it stands with the parts of the server. Rejects when the store cannot be asked. */
  async health() {
    const { store, merchants, evidence } = this.#options;
    const isWritable = await store.ping().then(
      () => true,
      () => false,
    );
    return {
      status: isWritable ? 'ok' : 'store_not_writable',
      uptimeSeconds: Math.round(process.uptime()),
      merchants: (await merchants.all()).length,
      readers: evidence.countReaders().all,
      backlog: await this.backlog(),
    };
  }

  /**
   * Says of each transaction that names an order whether it counts, in lines of text. It reads the
   * provider's list beside the reader that shoppers wait for, so one is explained at a time.
   */
  async explain(merchantId: string, order: string): Promise<readonly string[]> {
    const { store, merchants, gateway, clock } = this.#options;
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
      return await explainOrder({ merchant, order, store, gateway, now: clock.now() });
    } finally {
      this.#isExplaining = false;
    }
  }

  async deadEvents(filter: DeadLetterFilter, limit: number) {
    return toList(await this.#options.store.findDeadLetters(filter, limit + 1), limit);
  }

  async redrive(filter: RedeliverFilter): Promise<number> {
    const count = await this.#options.store.redeliverEvents(filter);
    if (count > 0) this.#options.onRedriven();
    return count;
  }

  /** Parked deliveries, each with the merchants that registered the endpoint that it came to. */
  async parkedDeliveries(limit: number) {
    const merchants = await this.#options.merchants.all();
    const parked = await this.#options.store.findUnmatchedWebhooks(limit + 1);
    const deliveries = parked.map(({ id, tokenHash, receivedAt }) => ({
      id,
      receivedAt,
      merchants: findWebhookEndpoints(merchants, tokenHash).map(({ merchant }) => merchant.id),
    }));
    return toList(deliveries, limit);
  }

  async attention(merchant: string | undefined, days: number, limit: number) {
    const { store, clock } = this.#options;
    const filter = { merchant, since: clock.now() - days * DAY_MS };
    return toList(await store.findAttention(filter, limit + 1), limit);
  }
}

function toList<T>(found: readonly T[], limit: number): List<T> {
  return { items: found.slice(0, limit), more: found.length > limit };
}
