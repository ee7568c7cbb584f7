import { namesOf, orderIdsIn } from '../checkouts/attempt-ids.js';
import { type StoredAttempt, findAttemptsByReference } from '../checkouts/attempt-repository.js';
import { findOrderIdRange } from '../checkouts/order-ids.js';
import { findCheckout } from '../checkouts/repository.js';
import type { Change, StepContext } from '../checkouts/checkout-transactions.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';
import { hasAccountList, type MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../observer.js';
import { isLogged, type LogEntry, logOrder } from '../orders/order-log.js';
import { keyOf, type TransactionList, type TransactionRow } from '../provider/gateway.js';
import type { Database } from '../store/database.js';
import {
  type CandidateTransaction,
  findByName,
  findByPayment,
  indexMerchants,
  type MerchantIndex,
} from './candidates.js';
import { type CompleteRead, settleFailures, settleSubmissions } from './failures.js';
import { expectedPaymentOf, type MatchResult, matchTransaction, referencesOf } from './matching.js';
import { remainingMs } from './pacing.js';
import { leaveOutRecorded, recordMatch } from './record-payment.js';

/** Polls re-read the same rows; what is wrong with them is logged at most once in this time. */
const LOG_INTERVAL_MS = 3_600_000;
/** Values of the provider that are longer than any that we know of are cut off. */
const MAX_VALUE_CHARS = 60;

export interface PageRecorderOptions {
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: Pick<MerchantSource, 'all' | 'accounts'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly observer: Pick<Observer, 'rowsIgnored' | 'unknownOrderIdsSeen'>;
  /** Finds attempts that a backup has lost. Default: there are none. */
  readonly lostAttempts?: LostAttemptFinder | undefined;
  /** Called for each checkout that a row is about, once it is durable. */
  readonly onChange: (change: Change) => void;
  /** Test hook, called after the steps of a page. */
  readonly onStep?: ((step: string) => void) | undefined;
}

export interface LostAttemptFinder {
  /** Stores each attempt that a row pays and only the provider knows. */
  adopt(list: TransactionList, rows: readonly TransactionRow[]): Promise<void>;
  /** Whether an attempt with this `order_id` may be among those that were lost. */
  mayHaveLost(orderId: number): boolean;
}

/** Matches the rows of the provider's list to attempts, and stores what they prove. */
export class PageRecorder {
  readonly #options: PageRecorderOptions;
  /** Attempts that only the `order_id` of a row without `merchantId` names: absence proves nothing of them. */
  readonly #ambiguous = new Set<number>();
  readonly #loggedAt = new Map<string, number>();

  constructor(options: PageRecorderOptions) {
    this.#options = options;
  }

  /**
   * Stores what the rows of a page prove. A row that cannot be stored does not keep those of other
   * merchants from it; the page is read again.
   */
  async record(list: TransactionList, rows: readonly TransactionRow[]): Promise<void> {
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

  /** Concludes from absence. A complete read of an account's list counts for all merchants that it covers. */
  async settle(read: CompleteRead): Promise<void> {
    const { database, context, merchants } = this.#options;
    const { account, providerMerchantId, sinceMs } = read;
    const isOfAccount = providerMerchantId === undefined;
    if (isOfAccount && !(await hasAccountList(merchants, account))) return;
    const { byId } = indexMerchants(await merchants.all());
    const covers = (attempt: StoredAttempt): boolean => {
      const { skewSeconds = Infinity } = byId.get(attempt.merchant)?.evidence ?? {};
      if (isOfAccount && this.#ambiguous.has(attempt.orderId)) return false;
      return attempt.createdAt - skewSeconds * 1000 >= sinceMs;
    };
    this.#notify(await settleFailures(database, read, covers, context));
    this.#notify(await settleSubmissions(database, read, covers, context));
  }

  #notify(changes: readonly Change[]): void {
    for (const change of changes) this.#options.onChange(change);
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
    const withoutMerchant = rows.filter(({ merchantId }) => merchantId === undefined).length;
    const known = rows.filter(
      (row) =>
        ofAttempts.has(row) ||
        (row.merchantId !== undefined &&
          index.matchFieldsAt.has(keyOf({ account, providerMerchantId: row.merchantId }))),
    );
    this.#options.observer.rowsIgnored({
      noMerchant: withoutMerchant,
      unknownMerchant: rows.length - withoutMerchant - known.length,
    });
    if (withoutMerchant > 0 && this.#isLogDue(`no merchantId ${account}`)) {
      this.#options.logger.warn(
        { account, count: withoutMerchant },
        'rows of the account’s list have no merchantId',
      );
    }
    return known;
  }

  /**
   * An account's list has rows of many merchants: each row counts only for its own merchant. One without
   * `merchantId` needs a whole `MerchantReference`: stores at one account may give the same `order_id`.
   */
  #ofTheirMerchant(
    list: TransactionList,
    candidates: readonly CandidateTransaction[],
  ): readonly CandidateTransaction[] {
    if (list.providerMerchantId !== undefined) return candidates;
    return candidates.filter(({ row, attempt, merchant: { evidence } }) => {
      if (row.merchantId !== undefined) return row.merchantId === attempt.providerMerchantId;
      const isCertain = referencesOf(row, evidence).includes(attempt.merchantReference);
      if (!isCertain) this.#ambiguous.add(attempt.orderId);
      return isCertain;
    });
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
    observer.unknownOrderIdsSeen(unknown.length);
    if (!this.#isLogDue('unknown order_id')) return;
    logger.error(
      { account, providerMerchantId, count: unknown.length, reference: unknown[0] },
      'the provider knows an attempt that this data file does not',
    );
  }

  #isLogDue(what: string): boolean {
    const now = this.#options.clock.now();
    if (remainingMs(this.#loggedAt.get(what) ?? -Infinity, LOG_INTERVAL_MS, now) > 0) return false;
    this.#loggedAt.set(what, now);
    return true;
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
}

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
