import { namesOf, orderIdsIn } from '../checkouts/attempt-ids.js';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import {
  type StoredAttempt,
  findAttemptsByReference,
  findProviderMerchants,
} from '../checkouts/attempt-repository.js';
import { findOrderIdRange } from '../checkouts/order-ids.js';
import { findCheckout } from '../checkouts/repository.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Change, StepContext } from '../checkouts/checkout-transactions.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import { hasAccountList, type MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import {
  keyOf,
  type PartnerGateway,
  type ProviderMerchant,
  type TransactionList,
  type TransactionRow,
} from '../provider/gateway.js';
import {
  type CandidateTransaction,
  findByName,
  findByPayment,
  indexMerchants,
  type MerchantIndex,
} from './candidates.js';
import { expectedPaymentOf, type MatchResult, matchTransaction, referencesOf } from './matching.js';
import { isLogged, type LogEntry, logOrder } from '../orders/order-log.js';
import type { Database } from '../store/database.js';
import { remainingMs } from './pacing.js';
import { type CompleteRead, settleFailures, settleSubmissions } from './failures.js';
import { leaveOutRecorded, recordMatch } from './record-payment.js';
import type { PolledCheckout, PollLog } from './poll-log.js';
import type { DuePoll } from './repository.js';
import { TransactionPoller } from './transaction-poller.js';

/** How long a checkout is polled for after a hint. */
const WATCH_MS = 120_000;
/** How far back to poll for a second payment when a shopper returns to a paid checkout. */
const PAID_AGAIN_MS = 600_000;
/** Polls re-read an unknown `order_id`; it is logged at most once in this time. */
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
  /** Default: polls are not logged. */
  readonly pollLog?: Pick<PollLog, 'note'>;
  /** Default: none. */
  readonly observer?: Pick<Observer, 'polled' | 'rowsIgnored' | 'unknownOrderIdsSeen'>;
  /** Test hook, called after the steps of a poll. */
  readonly onStep?: ((step: string) => void) | undefined;
}

export interface LostAttemptFinder {
  /** Stores each attempt that a row pays and only the provider knows. */
  adopt(list: TransactionList, rows: readonly TransactionRow[]): Promise<void>;
  /** Whether an attempt with this `order_id` may be among those that were lost. */
  mayHaveLost(orderId: number): boolean;
}

/** A checkout that someone waits for, or had a hint. */
interface Watch {
  readonly polled: PolledCheckout;
  /** How far back to poll for it, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** It ends with the first poll that began after the hint and ends after this. */
  until: number;
  /** For the log. */
  readonly why: string;
  /** Where its attempts were made; undefined until it is first polled for. */
  places: readonly ProviderMerchant[] | undefined;
}

/**
 * Turns hints into polls, and transactions into certainty. Waiters, returns, webhooks and the schedule
 * all call it; it has one poller for each provider account, whose list shows the transactions of all
 * its merchants, or one for each merchant where that list does not.
 */
export class ReconciliationService {
  readonly #options: ReconciliationOptions;
  readonly #pollers = new Map<string, TransactionPoller>();
  /** Watched checkouts by merchant. */
  readonly #watches = new Map<string, Map<string, Watch>>();
  /** The run loop of each merchant that has watched checkouts. */
  readonly #loops = new Map<string, Promise<void>>();
  /** Accounts and merchants read by merchants' own lists: rows of the account's list lack `merchantId`. */
  readonly #readAlone = new Set<string>();
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

  /**
   * Polls once, back to when an attempt was made, at the merchant that it was made for.
   *
   * @param polled the checkouts that it is done for
   */
  async poll(
    due: Pick<DuePoll, 'merchant' | keyof ProviderMerchant | 'createdAt'>,
    polled: readonly PolledCheckout[] = [],
  ): Promise<void> {
    const merchant = await this.#options.merchants.find(due.merchant);
    if (!merchant) return;
    const sinceMs = due.createdAt - merchant.evidence.skewSeconds * 1000;
    this.#logPoll(due.merchant, sinceMs, { why: ['schedule'] });
    const result = await this.#poller(await this.#listOf(due)).poll(sinceMs);
    for (const checkout of polled) this.#options.pollLog?.note(checkout, result);
  }

  /** Waits for a page of a list's quota, which polls share; a merchant's quota is that of its account. */
  async waitForPage(
    { account, providerMerchantId }: TransactionList,
    signal: AbortSignal,
  ): Promise<void> {
    const polled =
      providerMerchantId === undefined
        ? { account }
        : await this.#listOf({ account, providerMerchantId });
    await this.#poller(polled).waitForPage(signal);
  }

  /** The lists that show the transactions of these merchants. */
  async listsOf(places: readonly ProviderMerchant[]): Promise<TransactionList[]> {
    const lists = await Promise.all(places.map((at) => this.#listOf(at)));
    return [...new Map(lists.map((list) => [keyOf(list), list])).values()];
  }

  /**
   * Matches rows of a list to attempts of the merchants that they are of, and stores what they prove. A
   * row that cannot be stored does not keep those of other merchants from it; the page is read again.
   */
  async reconcile(list: TransactionList, rows: readonly TransactionRow[]): Promise<void> {
    await this.#options.lostAttempts?.adopt(list, rows);
    const index = indexMerchants(await this.#options.merchants.all());
    const named = this.#ofTheirMerchant(list, await this.#findNamed(list, rows, index));
    const { database, context } = this.#options;
    const candidates = await leaveOutRecorded(database, list.account, named, context);
    const failures: unknown[] = [];
    const match = (candidate: CandidateTransaction, asked: 'payments' | 'others') =>
      this.#match(candidate, asked).catch((error: unknown) => {
        // The store is unavailable, for every row.
        if (error instanceof AppError) throw error;
        failures.push(error);
        return true;
      });
    const others: CandidateTransaction[] = [];
    for (const candidate of candidates) {
      if (!(await match(candidate, 'payments'))) others.push(candidate);
    }
    // Only now: a row that pays one attempt may name another one, whose price it does not show.
    for (const candidate of others) await match(candidate, 'others');
    const found = await findByPayment(database, list, rows, index);
    for (const candidate of this.#ofTheirMerchant(list, found)) {
      if (!(await match(candidate, 'payments'))) await match(candidate, 'others');
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Counts the pollers, those that back off, and when the oldest running backfill started. */
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

  /** The list that shows the transactions of a provider merchant. */
  async #listOf({ account, providerMerchantId }: ProviderMerchant): Promise<TransactionList> {
    const isCovered =
      (await hasAccountList(this.#options.merchants, account)) &&
      !this.#isReadAlone({ account, providerMerchantId });
    return isCovered ? { account } : { account, providerMerchantId };
  }

  #isReadAlone({ account, providerMerchantId }: ProviderMerchant): boolean {
    return (
      this.#readAlone.size > 0 &&
      [{ account }, { account, providerMerchantId }].some((list) =>
        this.#readAlone.has(keyOf(list)),
      )
    );
  }

  /**
   * Switches to merchants' own lists: rows of the account's list lack `merchantId`, and a merchant's own
   * list implies it.
   */
  #readAloneFromNow(list: TransactionList): void {
    if (this.#readAlone.has(keyOf(list))) return;
    this.#readAlone.add(keyOf(list));
    const { account, providerMerchantId } = list;
    this.#options.logger.warn(
      { account, providerMerchantId },
      'a row has no merchantId; the lists of merchants are read instead',
    );
  }

  async #findNamed(
    list: TransactionList,
    rows: readonly TransactionRow[],
    index: MerchantIndex,
  ): Promise<CandidateTransaction[]> {
    const references = new Set(rows.flatMap((row) => referencesOf(row, index)));
    const { database, onStep } = this.#options;
    const attempts = await findAttemptsByReference(database, list, [...references]);
    if (attempts.length > 0) onStep?.('poll:attempts-found');
    const candidates = findByName(attempts, rows, index);
    const known = new Set(attempts.flatMap((attempt) => namesOf(attempt)));
    const ours = this.#ofKnownMerchants(list, rows, candidates, index);
    await this.#noteUnknownOrderIds(list, ours, known, index);
    return candidates;
  }

  /** Leaves out rows of unknown merchants, and rows without `merchantId`. */
  #ofKnownMerchants(
    { account, providerMerchantId }: TransactionList,
    rows: readonly TransactionRow[],
    candidates: readonly CandidateTransaction[],
    index: MerchantIndex,
  ): readonly TransactionRow[] {
    if (providerMerchantId !== undefined) return rows;
    // Also those of an id that a merchant had before its entry changed.
    const ofAttempts = new Set(
      candidates
        .filter(({ row, attempt }) => row.merchantId === attempt.providerMerchantId)
        .map(({ row }) => row),
    );
    const withoutMerchant = rows.filter(({ merchantId }) => merchantId === undefined);
    const known = rows.filter(
      (row) =>
        ofAttempts.has(row) ||
        (row.merchantId !== undefined &&
          index.matchFieldsAt.has(keyOf({ account, providerMerchantId: row.merchantId }))),
    );
    this.#options.observer?.rowsIgnored({
      noMerchant: withoutMerchant.length,
      unknownMerchant: rows.length - withoutMerchant.length - known.length,
    });
    const mayHaveLost = withoutMerchant.some((row) =>
      orderIdsIn(referencesOf(row, index)).some((id) =>
        this.#options.lostAttempts?.mayHaveLost(id),
      ),
    );
    if (mayHaveLost) this.#readAloneFromNow({ account });
    return known;
  }

  /** An account's list has rows of many merchants: each row counts only for its own merchant. */
  #ofTheirMerchant(
    list: TransactionList,
    candidates: readonly CandidateTransaction[],
  ): readonly CandidateTransaction[] {
    if (list.providerMerchantId !== undefined) return candidates;
    for (const { row, attempt, merchant } of candidates) {
      if (row.merchantId !== undefined || this.#isReadAlone(attempt)) continue;
      const { account, providerMerchantId } = attempt;
      this.#readAloneFromNow({ account, providerMerchantId });
      const sinceMs = attempt.createdAt - merchant.evidence.skewSeconds * 1000;
      void this.#poller({ account, providerMerchantId }).poll(sinceMs);
    }
    return candidates.filter(({ row, attempt }) => row.merchantId === attempt.providerMerchantId);
  }

  /**
   * Reports numbers in our range that no attempt has: an older data file was restored, or another
   * server runs on a copy of this one.
   */
  async #noteUnknownOrderIds(
    { account, providerMerchantId }: TransactionList,
    rows: readonly TransactionRow[],
    known: ReadonlySet<string>,
    index: MerchantIndex,
  ): Promise<void> {
    const { database, clock, logger, lostAttempts, observer } = this.#options;
    const references = new Set(rows.flatMap((row) => referencesOf(row, index)));
    const unmatched = [...references].filter((reference) => !known.has(reference));
    if (orderIdsIn(unmatched).length === 0) return;
    const range = await findOrderIdRange(database, clock.now());
    const unknown = unmatched.filter((reference) =>
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

  /** A complete read of an account's list counts for all merchants that it covers. */
  async #settleFailures(read: CompleteRead): Promise<void> {
    const { database, context, merchants } = this.#options;
    const { account, providerMerchantId, sinceMs } = read;
    const isOfAccount = providerMerchantId === undefined;
    if (isOfAccount && !(await hasAccountList(merchants, account))) return;
    const { byId } = indexMerchants(await merchants.all());
    const covers = (attempt: StoredAttempt): boolean => {
      const { skewSeconds = Infinity } = byId.get(attempt.merchant)?.evidence ?? {};
      if (isOfAccount && this.#isReadAlone(attempt)) return false;
      return attempt.createdAt - skewSeconds * 1000 >= sinceMs;
    };
    this.#notify(await settleFailures(database, read, covers, context));
    this.#notify(await settleSubmissions(database, read, covers, context));
  }

  #notify(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      if (after !== before) this.#options.changes.notify(after.id);
      if (before.state !== 'paid' && after.state === 'paid') {
        const watch = this.#watches.get(after.merchant)?.get(after.id);
        // Not deleted: a hint that came during the poll is for the next one.
        if (watch) watch.until = -Infinity;
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
    const match = { row, attempt, result };
    const isOfNothing = result.kind === 'none' && result.status === undefined;
    const entry = toLogEntry(row, attempt, result);
    // Each poll reads the row again.
    const isNew = !(await isLogged(database, attempt, entry));
    if (isOfNothing && !isNew) return true;
    const changes = await database.transaction('poll:store-match', async (tx) => {
      if (isNew) await logOrder(tx, attempt, entry, context.clock.now());
      return isOfNothing ? [] : recordMatch(tx, match, evidence, context);
    });
    this.#notify(changes);
    return true;
  }

  #watch(checkout: Checkout, sinceMs: number, until: number, why: string): void {
    const { merchant, order } = checkout;
    const polled = { merchant, order, checkout: checkout.id };
    const watches = this.#watches.get(merchant) ?? new Map<string, Watch>();
    this.#watches.set(merchant, watches);
    const known = watches.get(checkout.id);
    const goesFurther = known && known.sinceMs < sinceMs && known.until > this.#options.clock.now();
    const watch = { polled, sinceMs, until, why, places: known?.places };
    // Another watch in any case: a poll that is already running may have passed what the hint is about.
    watches.set(checkout.id, goesFurther ? { ...known } : watch);
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
        const result = await this.#poller(await this.#listOf(merchant)).pollRecent(times);
        for (const watch of polled.values()) this.#options.pollLog?.note(watch.polled, result);
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
    const inUse = keyOf(await this.#listOf(merchant));
    for (const [checkout, watch] of polled) {
      watch.places ??= await findProviderMerchants(this.#options.database, checkout);
      for (const list of await this.listsOf(watch.places)) {
        if (keyOf(list) === inUse) continue;
        // Not awaited: an account that fails must not delay the one in use.
        void this.#poller(list).pollRecent([watch.sinceMs - skewMs]);
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

  #poller(list: TransactionList): TransactionPoller {
    const known = this.#pollers.get(keyOf(list));
    if (known) return known;
    const { database, gateway, clock, logger, intervalMs, pagesPerMinute, observer, onStep } =
      this.#options;
    const poller = new TransactionPoller({
      ...list,
      gateway,
      clock,
      logger,
      intervalMs,
      pagesPerMinute,
      observer: observer ?? SILENT_OBSERVER,
      shared: database.isShared ? database : undefined,
      onRows: async (rows) => {
        await this.reconcile(list, rows);
        onStep?.('poll:page-processed');
      },
      onComplete: (read) => this.#settleFailures(read),
    });
    this.#pollers.set(keyOf(list), poller);
    return poller;
  }
}

/** Values of the provider that are longer than any that we know of are cut off. */
const MAX_VALUE_CHARS = 60;

function toLogEntry(
  row: TransactionRow,
  attempt: CandidateTransaction['attempt'],
  result: MatchResult,
): LogEntry {
  const short = (text: string | undefined) => text?.slice(0, MAX_VALUE_CHARS);
  const reason =
    result.kind === 'none' ? result.reason : result.kind === 'mismatch' ? result.code : undefined;
  return {
    kind: 'match',
    checkout: attempt.checkout,
    subject: short(row.id),
    detail: {
      result: result.kind,
      reason,
      status: short(row.status),
      amount: short(row.amount),
      currency: short(row.currencyCode),
    },
  };
}
