import { namesOf, orderIdsIn } from '../checkouts/attempt-ids.js';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import {
  type Attempt,
  findAttemptsByReference,
  findProviderMerchants,
} from '../checkouts/attempt-repository.js';
import { findOrderIdRange } from '../checkouts/order-ids.js';
import { findCheckout } from '../checkouts/repository.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Change, StepContext } from '../checkouts/steps.js';
import type { Clock } from '../clock.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import {
  keyOf,
  type PartnerGateway,
  type ProviderMerchant,
  type TransactionRow,
} from '../provider/gateway.js';
import { type CandidateTransaction, findByPayment } from './candidates.js';
import { expectedPaymentOf, matchTransaction, referencesOf } from './matching.js';
import type { Database } from '../store/database.js';
import { remainingMs } from './pacing.js';
import { type CompleteRead, settleFailures } from './failures.js';
import { isRecorded, recordMatch } from './record-payment.js';
import type { DuePoll } from './repository.js';
import { TransactionPoller } from './transaction-poller.js';

/** How long a checkout is polled for after a hint. */
const WATCH_MS = 120_000;
/** How far back to poll for a second payment when a shopper returns to a paid checkout. */
const PAID_AGAIN_MS = 600_000;
/** Every poll meets an unknown `order_id` again; it is logged once in this time. */
const LOG_INTERVAL_MS = 3_600_000;

export interface ReconciliationOptions {
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly pagesPerMinute: number;
  /** Finds attempts that a backup has lost. Default: there are none. */
  readonly lostAttempts?: LostAttemptFinder;
  /** Default: none. */
  readonly observer?: Pick<Observer, 'polled' | 'unknownOrderIdsSeen'>;
  /** Called after the steps of a poll, for drills. */
  readonly onStep?: ((step: string) => void) | undefined;
}

export interface LostAttemptFinder {
  /** Stores each attempt that a row pays and only the provider knows. */
  adopt(at: ProviderMerchant, rows: readonly TransactionRow[]): Promise<void>;
  /** Whether an attempt with this `order_id` may be among those that were lost. */
  mayHaveLost(orderId: number): boolean;
}

/** A checkout that someone waits for, or had a hint. */
interface Watch {
  /** How far back to poll for it, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly until: number;
  /** For the log. */
  readonly why: string;
  /** Where its attempts were made; undefined until it is first polled for. */
  places: readonly ProviderMerchant[] | undefined;
}

/**
 * Turns hints into polls, and transactions into certainty. Waiters, returns, webhooks and the schedule
 * all call it; it has one poller for each merchant at each provider account.
 */
export class ReconciliationService {
  readonly #options: ReconciliationOptions;
  readonly #pollers = new Map<string, TransactionPoller>();
  /** Watched checkouts by merchant. */
  readonly #watches = new Map<string, Map<string, Watch>>();
  /** The run loop of each merchant that has watched checkouts. */
  readonly #loops = new Map<string, Promise<void>>();
  #unknownLoggedAt = -Infinity;
  #isClosed = false;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
  }

  /**
   * A checkout may have been paid, or paid again in another session: polls now, and for two minutes.
   *
   * @param why for the log
   * @param isAnonymous whether anyone may have asked: then no poll goes further back than unpaid
   *   attempts are watched
   */
  hint(checkout: Checkout, why = 'hint', { isAnonymous = false } = {}): void {
    const { clock, context } = this.#options;
    const now = clock.now();
    const earliest = isAnonymous ? now - context.rules.watchSeconds * 1000 : -Infinity;
    const sinceMs = Math.max(checkout.createdAt, earliest);
    if (checkout.state !== 'paid') this.#watch(checkout, sinceMs, now + WATCH_MS, why);
    // One poll for a payment just now; the schedule finds an older one.
    else this.#watch(checkout, Math.max(checkout.createdAt, now - PAID_AGAIN_MS), now, why);
  }

  /** Polls once, back to when an attempt was made, at the merchant that it was made for. */
  async poll(due: Pick<DuePoll, 'merchant' | keyof ProviderMerchant | 'createdAt'>): Promise<void> {
    const merchant = await this.#options.merchants.find(due.merchant);
    if (!merchant) return;
    const sinceMs = due.createdAt - merchant.evidence.skewSeconds * 1000;
    this.#logPoll(due.merchant, sinceMs, { why: ['schedule'] });
    await this.#poller(due).poll(sinceMs);
  }

  /** Matches rows of a provider merchant to attempts, and stores what they prove. */
  async reconcile(at: ProviderMerchant, rows: readonly TransactionRow[]): Promise<void> {
    await this.#options.lostAttempts?.adopt(at, rows);
    const candidates = await this.#findCandidates(at, rows);
    const others: CandidateTransaction[] = [];
    for (const candidate of candidates) {
      if (!(await this.#match(candidate, 'payments'))) others.push(candidate);
    }
    // Only now: a row that pays one attempt may name another one, whose price it does not show.
    for (const candidate of others) await this.#match(candidate, 'others');
    const { database, merchants } = this.#options;
    const found = await findByPayment(database, at, rows, await merchants.all());
    for (const candidate of found) {
      if (!(await this.#match(candidate, 'payments'))) await this.#match(candidate, 'others');
    }
  }

  /** Counts the pollers, those that back off, and when the oldest backfill under way started. */
  countPollers(): {
    readonly all: number;
    readonly backingOff: number;
    readonly backfillSince: number | undefined;
  } {
    const pollers = [...this.#pollers.values()];
    const backfills = pollers.flatMap(({ backfillSince }) => backfillSince ?? []);
    return {
      all: pollers.length,
      backingOff: pollers.filter((poller) => poller.isBackingOff()).length,
      backfillSince: backfills.length > 0 ? Math.min(...backfills) : undefined,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watches.clear();
    await Promise.all([...this.#pollers.values()].map((poller) => poller.close()));
    await Promise.all(this.#loops.values());
  }

  async #findCandidates(
    at: ProviderMerchant,
    rows: readonly TransactionRow[],
  ): Promise<CandidateTransaction[]> {
    // All merchants: the entry of one may have got another id at the provider since.
    const merchants = await this.#options.merchants.all();
    const matchFields = [...new Set(merchants.flatMap(({ evidence }) => evidence.matchFields))];
    const references = new Set(rows.flatMap((row) => referencesOf(row, { matchFields })));
    const { database, onStep } = this.#options;
    const attempts = await findAttemptsByReference(database, at, [...references]);
    if (attempts.length > 0) onStep?.('poll:attempts-found');
    await this.#noteUnknownOrderIds(at, references, attempts);
    return attempts.flatMap((attempt) => {
      const merchant = merchants.find(({ id }) => id === attempt.merchant);
      if (!merchant) return [];
      const names = namesOf(attempt);
      const named = rows.filter((row) =>
        referencesOf(row, merchant.evidence).some((value) => names.includes(value)),
      );
      // Oldest first: a payment is recorded before its refund.
      return named.toReversed().map((row) => ({ row, attempt, merchant }));
    });
  }

  /**
   * Reports numbers in our range that no attempt has: an older data file was put in place, or another
   * server runs on a copy of this one.
   */
  async #noteUnknownOrderIds(
    { account, providerMerchantId }: ProviderMerchant,
    references: ReadonlySet<string>,
    attempts: readonly Attempt[],
  ): Promise<void> {
    const { database, clock, logger, lostAttempts, observer } = this.#options;
    const known = new Set(attempts.flatMap((attempt) => namesOf(attempt)));
    const strange = [...references].filter((reference) => !known.has(reference));
    if (orderIdsIn(strange).length === 0) return;
    const range = await findOrderIdRange(database, clock.now());
    const unknown = strange.filter((reference) =>
      orderIdsIn([reference]).some(
        (id) => range && id >= range.first && id <= range.last && !lostAttempts?.mayHaveLost(id),
      ),
    );
    if (unknown.length === 0) return;
    observer?.unknownOrderIdsSeen(unknown.length);
    const now = clock.now();
    if (remainingMs(this.#unknownLoggedAt, LOG_INTERVAL_MS, now) > 0) return;
    this.#unknownLoggedAt = now;
    logger.error(
      { account, providerMerchantId, count: unknown.length, reference: unknown[0] },
      'the provider knows an attempt that this data file does not',
    );
  }

  async #settleFailures(read: CompleteRead): Promise<void> {
    const { database, context, merchants } = this.#options;
    const all = await merchants.all();
    const skewMsOf = ({ merchant }: Attempt): number =>
      (all.find(({ id }) => id === merchant)?.evidence.skewSeconds ?? Infinity) * 1000;
    this.#notify(await settleFailures(database, read, skewMsOf, context));
  }

  #notify(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      if (after !== before) this.#options.changes.notify(after.id);
      if (before.state !== 'paid' && after.state === 'paid') {
        this.#watches.get(after.merchant)?.delete(after.id);
      }
    }
  }

  /** Stores what a row proves, when it is one of those asked for. Returns whether it is. */
  async #match(
    { row, attempt, merchant }: CandidateTransaction,
    asked: 'payments' | 'others',
  ): Promise<boolean> {
    const { database, context } = this.#options;
    const checkout = await findCheckout(database, attempt.checkout);
    if (!checkout) return true;
    const { evidence } = merchant;
    const result = matchTransaction(row, expectedPaymentOf(attempt, checkout), evidence);
    if ((result.kind === 'paid') !== (asked === 'payments')) return false;
    if (result.kind === 'none' && result.status === undefined) return true;
    const match = { row, attempt, result };
    if (await isRecorded(database, checkout, match, evidence, context)) return true;
    const changes = await database.transaction('poll:store-match', (tx) =>
      recordMatch(tx, match, evidence, context),
    );
    this.#notify(changes);
    return true;
  }

  #watch(checkout: Checkout, sinceMs: number, until: number, why: string): void {
    const { merchant } = checkout;
    const watches = this.#watches.get(merchant) ?? new Map<string, Watch>();
    this.#watches.set(merchant, watches);
    const known = watches.get(checkout.id);
    const isCovered = known && known.sinceMs < sinceMs && known.until > this.#options.clock.now();
    if (!isCovered) watches.set(checkout.id, { sinceMs, until, why, places: known?.places });
    if (this.#loops.has(merchant) || this.#isClosed) return;
    const loop = this.#pollWatched(merchant, watches).catch((error: unknown) => {
      this.#options.logger.error(describeError(error), 'polling for watched checkouts stopped');
    });
    this.#loops.set(merchant, loop);
  }

  /** Polls as long as a checkout of the merchant is watched. */
  async #pollWatched(merchantId: string, watches: Map<string, Watch>): Promise<void> {
    const { merchants, clock } = this.#options;
    try {
      while (watches.size > 0 && !this.#isClosed) {
        const merchant = await merchants.find(merchantId);
        if (!merchant) return;
        const skewMs = merchant.evidence.skewSeconds * 1000;
        const polled = new Map(watches);
        const times = [...polled.values()].map(({ sinceMs }) => sinceMs - skewMs);
        const why = [...new Set([...polled.values()].map((watch) => watch.why))];
        this.#logPoll(merchantId, Math.min(...times), { why, checkouts: [...polled.keys()] });
        await this.#pollElsewhere(merchant, polled, skewMs);
        await this.#poller(merchant).pollRecent(times);
        this.#options.onStep?.('poll:ended');
        const now = clock.now();
        for (const [id, watch] of polled) {
          // A hint that came during the poll is for the next one.
          if (watch.until <= now && watches.get(id) === watch) watches.delete(id);
        }
      }
    } finally {
      this.#loops.delete(merchantId);
      watches.clear();
    }
  }

  /** Polls where attempts of watched checkouts were made before the entry of the merchant changed. */
  async #pollElsewhere(
    merchant: Merchant,
    polled: ReadonlyMap<string, Watch>,
    skewMs: number,
  ): Promise<void> {
    for (const [checkout, watch] of polled) {
      watch.places ??= await findProviderMerchants(this.#options.database, checkout);
      for (const at of watch.places) {
        if (keyOf(at) === keyOf(merchant)) continue;
        // Not awaited: an account that fails must not delay the one in use.
        void this.#poller(at).pollRecent([watch.sinceMs - skewMs]);
      }
    }
  }

  #logPoll(merchant: string, sinceMs: number, fields: LogFields): void {
    const since = new Date(sinceMs).toISOString();
    this.#options.logger.debug(
      { merchant, since, ...fields },
      'the list of transactions is polled',
    );
  }

  #poller({ account, providerMerchantId }: ProviderMerchant): TransactionPoller {
    const at = { account, providerMerchantId };
    const known = this.#pollers.get(keyOf(at));
    if (known) return known;
    const { database, gateway, clock, logger, intervalMs, pagesPerMinute, observer, onStep } =
      this.#options;
    const poller = new TransactionPoller({
      ...at,
      gateway,
      clock,
      logger,
      intervalMs,
      pagesPerMinute,
      observer: observer ?? SILENT_OBSERVER,
      shared: database.isShared ? database : undefined,
      onRows: async (rows) => {
        await this.reconcile(at, rows);
        onStep?.('poll:page-processed');
      },
      onComplete: (read) => this.#settleFailures(read),
    });
    this.#pollers.set(keyOf(at), poller);
    return poller;
  }
}
