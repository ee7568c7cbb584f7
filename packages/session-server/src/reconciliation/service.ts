import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Attempt, CheckoutStore, DuePoll } from '../checkouts/repository.js';
import type { PartnerGateway } from '../provider/gateway.js';
import { crashPoint } from '../crash-points.js';
import { describeError, type Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import type { LostAttempts } from '../restore/lost-attempts.js';
import { matchTransaction, referencesOf, type TransactionRow } from './matching.js';
import { expectedPaymentOf } from './expected-payment.js';
import { TransactionPoller } from './transaction-poller.js';

/** How long after a hint the list is polled at again and again. */
const HOT_MS = 120_000;
/** Attempts at least whose refund was met before their payment, and that are remembered for it. */
const REFUNDS_FIRST = 1000;
/** How far back a second payment is polled for when somebody comes back to a paid checkout. */
const PAID_AGAIN_MS = 600_000;

export interface ReconciliationOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly pagesPerMinute: number;
  /** Finds attempts again that a backup has lost. Default: there are none. */
  readonly lost?: Pick<LostAttempts, 'adopt'>;
  /** Hears of every look. Default: nobody. */
  readonly observer?: Pick<Observer, 'polled'>;
}

/** A row that names an attempt. */
interface Candidate {
  readonly row: TransactionRow;
  readonly attempt: Attempt;
  readonly merchant: Merchant;
}

interface Interest {
  /** How far back its checkout needs to be polled for, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly until: number;
}

/**
 * Turns hints into looks, and rows into certainty. Waiters, returns, webhooks and the sweeper all
 * ask here; one reader for each merchant at the provider does the looking.
 */
export class ReconciliationService {
  readonly #options: ReconciliationOptions;
  readonly #readers = new Map<number, TransactionPoller>();
  /** Checkouts with a waiter or a fresh hint, by merchant. */
  readonly #hot = new Map<string, Map<string, Interest>>();
  readonly #pumps = new Map<string, Promise<void>>();
  /** When rows of money given back were met that prove nothing yet, by `order_id`. */
  readonly #refundsFirst = new LRUCache<string, number>({ max: REFUNDS_FIRST });
  #isClosed = false;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
  }

  /**
   * Something said that a checkout may have been paid: looks now, and again for two minutes. One that is
   * paid may have been paid again, in another session: it is polled for once.
   */
  hint(checkout: Checkout): void {
    const now = this.#options.clock.now();
    if (checkout.state !== 'paid') this.#heat(checkout, checkout.createdAt, now + HOT_MS);
    // A payment just now; an older one is found by the looks that are planned for the attempt.
    else this.#heat(checkout, Math.max(checkout.createdAt, now - PAID_AGAIN_MS), now);
  }

  /** One look back to when an attempt was made, at the merchant that it was made for. */
  async look(due: Pick<DuePoll, 'merchant' | 'providerMerchantId' | 'createdAt'>): Promise<void> {
    const merchant = await this.#options.merchants.find(due.merchant);
    if (!merchant) return;
    const sinceMs = due.createdAt - merchant.evidence.skewSeconds * 1000;
    await this.#reader(due.providerMerchantId).look(sinceMs);
  }

  /** Judges rows of one provider merchant, and stores what they prove. */
  async settle(providerMerchantId: number, rows: readonly TransactionRow[]): Promise<void> {
    await this.#options.lost?.adopt(providerMerchantId, rows);
    // All of them: the entry of one may have got another id at the provider since.
    const merchants = await this.#options.merchants.all();
    const matchFields = [...new Set(merchants.flatMap(({ evidence }) => evidence.matchFields))];
    const references = new Set(rows.flatMap((row) => referencesOf(row, { matchFields })));
    const attempts = await this.#options.store.findAttemptsByReference(providerMerchantId, [
      ...references,
    ]);
    if (attempts.length > 0) crashPoint('poll:attempts-found');
    const doubts: Candidate[] = [];
    for (const attempt of attempts) {
      const merchant = merchants.find(({ id }) => id === attempt.merchant);
      if (!merchant) continue;
      const names = [String(attempt.orderId), attempt.merchantReference];
      const candidates = rows.filter((row) =>
        referencesOf(row, merchant.evidence).some((value) => names.includes(value)),
      );
      // Oldest first: what paid a checkout is recorded before what was given back of it.
      for (const row of candidates.toReversed()) {
        await this.#judgeRow({ row, attempt, merchant }, doubts);
      }
    }
    // A row that pays one attempt may name another one, too: that one's price is not its own.
    for (const doubt of doubts) await this.#judgeRow(doubt);
  }

  /**
   * How many merchants at the provider are read now and then, and of how many that is paused; and when
   * the first of the deep looks began that have not come to their end.
   */
  countReaders(): {
    readonly all: number;
    readonly backingOff: number;
    readonly deepSince: number | undefined;
  } {
    const readers = [...this.#readers.values()];
    const deep = readers.flatMap(({ deepSince }) => deepSince ?? []);
    return {
      all: readers.length,
      backingOff: readers.filter((reader) => reader.isBackingOff()).length,
      deepSince: deep.length > 0 ? Math.min(...deep) : undefined,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#hot.clear();
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
    await Promise.all(this.#pumps.values());
  }

  /** @param doubts takes what may need a person, until all payments are recorded; else it is raised */
  async #judgeRow(candidate: Candidate, doubts?: Candidate[]): Promise<void> {
    const { row, attempt, merchant } = candidate;
    const { store } = this.#options;
    const checkout = await store.find(attempt.checkout);
    if (!checkout) return;
    const verdict = matchTransaction(row, expectedPaymentOf(attempt, checkout), merchant.evidence);
    const isRefundRow = merchant.evidence.refundedStatuses.includes(row.status ?? '');
    if (verdict.kind === 'none') {
      if (isRefundRow) this.#refundsFirst.set(String(attempt.orderId), this.#options.clock.now());
      return;
    }
    if (verdict.kind === 'mismatch') {
      if (doubts) {
        doubts.push(candidate);
        return;
      }
      const served = await store.findServed(row.id ?? '');
      if (served !== undefined && served !== checkout.id) return;
    }
    const change =
      verdict.kind === 'mismatch'
        ? await store.apply(checkout.id, { type: 'attention-needed', code: verdict.code })
        : await store.recordPayment({
            transaction: row.id ?? '',
            orderId: attempt.orderId,
            status: row.status ?? '',
            isRefundRow,
            joinsRefundRow: merchant.evidence.joinsRefundRow,
            amount: row.amount ?? '',
            currency: row.currencyCode ?? '',
            transactionTime: row.transactionTime ?? '',
            refund: verdict.refund,
          });
    crashPoint('poll:match-stored');
    if (!change || change.after === change.before) return;
    this.#options.changes.notify(checkout.id);
    if (change.before.state === 'paid' || change.after.state !== 'paid') return;
    this.#hot.get(checkout.merchant)?.delete(checkout.id);
    this.#readRefundsAgain(change.after, attempt);
  }

  /** The list is newest first: a refund may stand on a page before the page of its payment. */
  #readRefundsAgain(checkout: Checkout, { orderId, createdAt }: Attempt): void {
    if (this.#refundsFirst.get(String(orderId)) === undefined) return;
    this.#refundsFirst.delete(String(orderId));
    this.#heat(checkout, createdAt, this.#options.clock.now());
  }

  #heat(checkout: Checkout, sinceMs: number, until: number): void {
    const interests = this.#hot.get(checkout.merchant) ?? new Map<string, Interest>();
    this.#hot.set(checkout.merchant, interests);
    interests.set(checkout.id, { sinceMs, until });
    if (this.#pumps.has(checkout.merchant) || this.#isClosed) return;
    const pump = this.#pump(checkout.merchant, interests).catch((error: unknown) => {
      this.#options.logger.error(describeError(error), 'looking for evidence stopped');
    });
    this.#pumps.set(checkout.merchant, pump);
  }

  /** Looks as long as some checkout of the merchant is of interest. */
  async #pump(merchantId: string, interests: Map<string, Interest>): Promise<void> {
    const { merchants, clock } = this.#options;
    try {
      while (interests.size > 0 && !this.#isClosed) {
        const merchant = await merchants.find(merchantId);
        if (!merchant) return;
        const skewMs = merchant.evidence.skewSeconds * 1000;
        const polled = new Map(interests);
        const times = [...polled.values()].map(({ sinceMs }) => sinceMs - skewMs);
        await this.#reader(merchant.providerMerchantId).lookFresh(times);
        crashPoint('poll:ended');
        const now = clock.now();
        for (const [id, interest] of polled) {
          // A hint that came while the list was read is for the next look.
          if (interest.until <= now && interests.get(id) === interest) interests.delete(id);
        }
      }
    } finally {
      this.#pumps.delete(merchantId);
      interests.clear();
    }
  }

  #reader(providerMerchantId: number): TransactionPoller {
    const known = this.#readers.get(providerMerchantId);
    if (known) return known;
    const { gateway, clock, logger, intervalMs, pagesPerMinute, observer } = this.#options;
    const reader = new TransactionPoller({
      gateway,
      providerMerchantId,
      clock,
      logger,
      intervalMs,
      pagesPerMinute,
      observer: observer ?? SILENT_OBSERVER,
      onRows: (rows) => this.settle(providerMerchantId, rows),
    });
    this.#readers.set(providerMerchantId, reader);
    return reader;
  }
}
