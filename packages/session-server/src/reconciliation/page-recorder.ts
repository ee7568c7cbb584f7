import { namesOf, orderIdsIn } from '../checkouts/attempt-ids.js';
import type { StoredAttempt } from '../checkouts/attempt-repository.js';
import { findOrderIdRange } from '../checkouts/order-ids.js';
import type { Change, StepContext } from '../checkouts/checkout-transactions.js';
import { pollBy } from '../checkouts/poll-requests.js';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import { hasAccountList, type MerchantSource } from '../merchants/merchant-source.js';
import type { Observer } from '../observer.js';
import type { OrderKey } from '../orders/repository.js';
import { keyOf, type TransactionList, type TransactionRow } from '../provider/gateway.js';
import type { Database, Reader } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import {
  indexMerchants,
  type Match,
  matchPage,
  type MerchantIndex,
  unnamedOf,
} from './candidates.js';
import { settleUnpaid } from './failures.js';
import type { ListRead } from './list-reader.js';
import { referencesOf } from './matching.js';
import { nameOf, OrderBatch } from './order-batch.js';
import { RETRY_PAUSE_MS } from './next-poll.js';
import { remainingMs } from './pacing.js';
import { findPaymentOrderIds } from './repository.js';

/** Polls re-read the same rows; what is wrong with them is logged at most once in this time. */
const LOG_INTERVAL_MS = 3_600_000;
/** Matches that one transaction stores at most, and so the orders that it locks. */
const MAX_MATCHES = 10;
/** A transaction of SQLite, which has one writer, that has taken this long leaves its other orders to the next. */
const MAX_SLICE_MS = 15;
/** Runs of a transaction of several orders: then each is stored alone. */
const MAX_RUNS = 2;

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
  /** Attempts whose rows could not be stored: neither does it of them. */
  readonly #notStored = new Set<number>();
  readonly #loggedAt = new Map<string, number>();

  constructor(options: PageRecorderOptions) {
    this.#options = options;
  }

  /** Stores what the rows of a page prove, together; nothing where they change nothing. */
  async record(list: TransactionList, rows: readonly TransactionRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { database, context, lostAttempts, merchants, onStep } = this.#options;
    await lostAttempts?.adopt(list, rows);
    const index = indexMerchants(await merchants.all());
    const { account } = list;
    const transactions = rows.flatMap(({ id }) => id ?? []);
    const of = await findOrdersOf(database, list, rows, index);
    const batch = await OrderBatch.read(database, of, { context, account, transactions });
    if (batch.attempts.length > 0) onStep?.('poll:attempts-found');
    const { matches, ambiguous } = matchPage(list, rows, batch, index);
    for (const { orderId } of ambiguous) this.#ambiguous.add(orderId);
    const known = new Set(batch.attempts.flatMap((attempt) => namesOf(attempt)));
    await this.#noteUnknownOrderIds(
      list,
      this.#ofKnownMerchants(list, rows, matches, index),
      known,
      index,
    );
    await batch.readLog(database, matches);
    for (const match of matches) batch.record(match);
    const changed = new Set(batch.changed.map(nameOf));
    await this.#store(
      account,
      matches.filter(({ attempt }) => changed.has(nameOf(attempt))),
    );
  }

  /** Whether all that was read of an attempt could be stored. */
  isStored(orderId: number): boolean {
    return !this.#notStored.has(orderId);
  }

  /** Concludes from absence. A complete read of an account's list counts for all merchants that it covers. */
  async settle(read: ListRead): Promise<void> {
    const { database, context, merchants } = this.#options;
    const { account, providerMerchantId, sinceMs } = read;
    const isOfAccount = providerMerchantId === undefined;
    if (isOfAccount && !(await hasAccountList(merchants, account))) return;
    const { byId } = indexMerchants(await merchants.all());
    const covers = ({ orderId, merchant, createdAt }: StoredAttempt): boolean => {
      const { skewSeconds = Infinity } = byId.get(merchant)?.evidence ?? {};
      if (!this.isStored(orderId) || (isOfAccount && this.#ambiguous.has(orderId))) return false;
      return createdAt - skewSeconds * 1000 >= sinceMs;
    };
    this.#notify(await settleUnpaid(database, read, covers, context));
  }

  /** In slices, since creates wait for the orders of a transaction, and on SQLite for any transaction. */
  async #store(account: string, matches: readonly Match[]): Promise<void> {
    let left = matches;
    while (left.length > 0) {
      const slice = left.slice(0, MAX_MATCHES);
      const stored = await this.#storeSlice(account, slice);
      const deferred = slice.filter(({ attempt }) => !stored.has(nameOf(attempt)));
      left = [...deferred, ...left.slice(MAX_MATCHES)];
    }
  }

  /** @returns the names of the orders that are done with */
  async #storeSlice(account: string, matches: readonly Match[]): Promise<ReadonlySet<string>> {
    const orders = new Map(matches.map(({ attempt }) => [nameOf(attempt), attempt]));
    try {
      const { stored, changes } = await this.#storeTogether(account, orders, matches);
      for (const { attempt } of matches) {
        if (stored.has(nameOf(attempt))) this.#notStored.delete(attempt.orderId);
      }
      this.#notify(changes);
      return stored;
    } catch (error) {
      // The store is unavailable, for every order.
      if (error instanceof AppError) throw error;
      if (orders.size === 1) await this.#noteNotStored(matches, error);
      // In the order of the matches: payments come first.
      const alone = Map.groupBy(matches, ({ attempt, result }) =>
        [nameOf(attempt), result.kind === 'paid'].join(' '),
      ).values();
      for (const ofOrder of orders.size > 1 ? alone : []) await this.#storeSlice(account, ofOrder);
      return new Set(orders.keys());
    }
  }

  #storeTogether(
    account: string,
    orders: ReadonlyMap<string, OrderKey>,
    matches: readonly Match[],
  ): Promise<{ stored: Set<string>; changes: Change[] }> {
    const { database, context } = this.#options;
    const transactions = matches.flatMap(({ row }) => row.id ?? []);
    let runs = 0;
    return database.transaction('poll:store-match', async (tx) => {
      runs += 1;
      if (runs > MAX_RUNS && orders.size > 1) throw new Error('the page collided twice');
      const endAt = database.isShared ? Infinity : performance.now() + MAX_SLICE_MS;
      const options = { context, account, transactions };
      const batch = await OrderBatch.lock(tx, [...orders.values()], options);
      await batch.readLog(tx, matches);
      for (const match of matches) batch.record(match);
      const stored = new Set<string>();
      const changes: Change[] = [];
      for (const [name, order] of orders) {
        if (stored.size > 0 && performance.now() > endAt) break;
        changes.push(...(await batch.store(tx, order)));
        stored.add(name);
      }
      return { stored, changes };
    });
  }

  /** Its other rows count, and those of other orders; it is read for again soon. */
  async #noteNotStored(matches: readonly Match[], error: unknown): Promise<void> {
    const { database, clock, logger, observer } = this.#options;
    const [{ row, attempt }] = matches as [Match];
    const { merchant, order } = attempt;
    const attempts = new Set(matches.map((match) => match.attempt.orderId));
    for (const orderId of attempts) this.#notStored.add(orderId);
    observer.rowsIgnored({ notStored: matches.length });
    if (this.#isLogDue(`not stored ${nameOf(attempt)}`)) {
      logger.error(
        { merchant, order, transaction: row.id, ...describeError(error) },
        'what the provider lists of an order could not be stored',
      );
    }
    const now = clock.now();
    await database.transaction('poll:plan-again', (tx) => {
      for (const orderId of attempts) pollBy(tx, orderId, { now, at: now + RETRY_PAUSE_MS });
      return Promise.resolve();
    });
  }

  #notify(changes: readonly Change[]): void {
    for (const change of changes) this.#options.onChange(change);
  }

  /** Leaves out rows of unknown merchants, and rows without `merchantId`. */
  #ofKnownMerchants(
    { account, providerMerchantId: id }: TransactionList,
    rows: readonly TransactionRow[],
    matches: readonly Match[],
    { matchFieldsAt }: MerchantIndex,
  ): readonly TransactionRow[] {
    if (id !== undefined) return rows;
    // Also those of an id that a merchant had before its entry changed.
    const matched = new Set(matches.map(({ row }) => row));
    const withoutMerchant = rows.filter(({ merchantId }) => merchantId === undefined).length;
    const known = rows.filter(
      (row) =>
        row.merchantId !== undefined &&
        (matchFieldsAt.has(keyOf({ account, providerMerchantId: row.merchantId })) ||
          matched.has(row)),
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
}

/** Selects the orders whose attempts rows name, or whose payments rows without a match field may be of, if any. */
async function findOrdersOf(
  reader: Reader,
  { account }: TransactionList,
  rows: readonly TransactionRow[],
  index: MerchantIndex,
): Promise<Sql | undefined> {
  const references = new Set(rows.flatMap((row) => referencesOf(row, index)));
  const unnamed = unnamedOf(rows, index);
  const shared = unnamed.flatMap(({ references: values }) =>
    index.refundMatchFields.flatMap((field) => values[field] ?? []),
  );
  const orderIds = [
    ...orderIdsIn([...references]),
    ...(await findPaymentOrderIds(
      reader,
      account,
      unnamed.flatMap(({ id }) => id ?? []),
      shared,
    )),
  ];
  if (orderIds.length === 0) return undefined;
  return sql`(
    SELECT merchant, order_name FROM attempts
    WHERE order_id IN ${sql.list(orderIds)} AND account = ${account})`;
}
