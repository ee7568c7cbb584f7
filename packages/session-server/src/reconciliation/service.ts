import type { ChangeFeed } from '../checkouts/change-feed.js';
import { type Checkout, isPaymentPending } from '../checkouts/state-machine.js';
import type { Change, StepContext } from '../checkouts/checkout-transactions.js';
import type { Clock } from '../clock.js';
import { describeError, type Logger } from '../logger.js';
import { hasAccountList, type MerchantSource } from '../merchants/merchant-source.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import {
  keyOf,
  type PartnerGateway,
  type ProviderMerchant,
  type TransactionList,
  type TransactionRow,
} from '../provider/gateway.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { sql } from '../store/sql.js';
import { indexMerchants } from './candidates.js';
import { type ListRead, ListReader, type PollResult } from './list-reader.js';
import { openPauseMs, PENDING_PAUSE_MS } from './next-poll.js';
import { BackOff } from './pacing.js';
import { type LostAttemptFinder, PageRecorder } from './page-recorder.js';
import {
  type DueAttempt,
  findDueAttempts,
  findDuePlaces,
  noteAsked,
  notePollResult,
  planNextPolls,
} from './polls.js';
import { ReadLease } from './read-lease.js';
import { SdkReports } from './sdk-reports.js';

const NEXT_DUE = sql`SELECT min(next_poll_at) FROM attempts WHERE next_poll_at IS NOT NULL`;

export interface ReconciliationOptions {
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: MerchantSource;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly loops: RunLoops;
  readonly intervalMs: number;
  readonly pagesPerMinute: number;
  /** Finds attempts that a backup has lost. Default: there are none. */
  readonly lostAttempts?: LostAttemptFinder;
  /** Default: none. */
  readonly observer?: Pick<Observer, 'polled' | 'rowsIgnored' | 'unknownOrderIdsSeen'>;
  /** Test hook, called after the steps of a poll. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Turns hints into polls, and transactions into certainty. A hint is a time that is stored with its
 * attempt; the planner finds what is due, and wakes the reader of its list. There is one reader for each
 * provider account, or one for each merchant where the account's list does not show them all.
 */
export class ReconciliationService {
  readonly #options: ReconciliationOptions;
  readonly #recorder: PageRecorder;
  readonly #sdkReports: SdkReports;
  readonly #readers = new Map<string, ListReader<DueAttempt>>();
  /** By account. */
  readonly #backOffs = new Map<string, BackOff>();
  /** Checkouts that pages asked for, to be stored together. */
  readonly #asked = new Map<string, Checkout>();
  #noting: Promise<void> | undefined;
  #planner: RunLoop | undefined;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
    this.#sdkReports = new SdkReports(options);
    const { database, context, merchants, clock, logger } = options;
    const { lostAttempts, observer, onStep } = options;
    this.#recorder = new PageRecorder({
      database,
      context,
      merchants,
      clock,
      logger,
      lostAttempts,
      observer: observer ?? SILENT_OBSERVER,
      onStep,
      onChange: (change) => {
        this.#onChange(change);
      },
    });
  }

  /** Polls for what is due, from now on. */
  async start(): Promise<void> {
    await this.#sdkReports.load();
    this.#planner = this.#options.loops.start({
      name: 'poll planner',
      nextDue: NEXT_DUE,
      run: () => this.#wakeDueReaders(),
    });
  }

  /** A hint was stored: what is due is polled for now. */
  wake(): void {
    this.#planner?.wake();
  }

  /**
   * A page asks for a checkout, as anyone may: a payment of it may be pending, with an SDK that reports
   * nothing. It is polled for soon, but never further back than an unpaid attempt is watched.
   */
  ask(checkout: Checkout): void {
    if (checkout.state === 'paid') return;
    this.#asked.set(checkout.id, checkout);
    this.#noting ??= this.#noteAsked();
  }

  /** Polls once, back to a time, whatever is stored. */
  async poll({
    merchant: id,
    createdAt,
    ...place
  }: ProviderMerchant & { readonly merchant: string; readonly createdAt: number }): Promise<void> {
    const merchant = await this.#options.merchants.find(id);
    if (!merchant) return;
    const sinceMs = createdAt - merchant.evidence.skewSeconds * 1000;
    await this.#reader(await findList(this.#options.merchants, place)).poll(sinceMs);
  }

  /** Waits for a page of a list's quota, which polls share; a merchant's quota is that of its account. */
  async waitForPage(
    { account, providerMerchantId }: TransactionList,
    signal: AbortSignal,
  ): Promise<void> {
    const list =
      providerMerchantId === undefined
        ? { account }
        : await findList(this.#options.merchants, { account, providerMerchantId });
    await this.#reader(list).waitForPage(signal);
  }

  /** Matches rows of a list to attempts of the merchants that they are of, and stores what they prove. */
  reconcile(list: TransactionList, rows: readonly TransactionRow[]): Promise<void> {
    return this.#recorder.record(list, rows);
  }

  /** Counts the readers, those that back off, and when the oldest running backfill started. */
  countPollers(): {
    readonly all: number;
    readonly backingOff: number;
    readonly backfillSince: number | undefined;
  } {
    const readers = [...this.#readers.values()];
    const backfills = readers.flatMap(({ backfillSince }) => backfillSince ?? []);
    return {
      all: readers.length,
      backingOff: readers.filter((reader) => reader.isBackingOff()).length,
      backfillSince: backfills.length > 0 ? Math.min(...backfills) : undefined,
    };
  }

  async close(): Promise<void> {
    await this.#planner?.close();
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
    await this.#noting;
  }

  async #wakeDueReaders(): Promise<undefined> {
    const { database, clock } = this.#options;
    const places = await findDuePlaces(database, clock.now());
    for (const list of await findLists(this.#options.merchants, places)) this.#reader(list).wake();
    return undefined;
  }

  async #noteAsked(): Promise<void> {
    const { database, clock, context, merchants, logger } = this.#options;
    while (this.#asked.size > 0) {
      // Those that ask in one turn of the event loop are stored together.
      await new Promise((resolve) => setImmediate(resolve));
      const asked = [...this.#asked.values()];
      this.#asked.clear();
      try {
        const { byId } = indexMerchants(await merchants.all());
        const pauseOf = (checkout: Checkout): number => {
          const merchant = byId.get(checkout.merchant);
          return isPaymentPending(checkout)
            ? PENDING_PAUSE_MS
            : openPauseMs(merchant !== undefined && this.#sdkReports.isReporting(merchant));
        };
        for (const [pauseMs, some] of Map.groupBy(asked, pauseOf)) {
          const ids = some.map(({ id }) => id);
          const { watchSeconds } = context.rules;
          await noteAsked(database, ids, { now: clock.now(), pauseMs, watchSeconds });
        }
      } catch (error) {
        // The page asks again.
        logger.warn(describeError(error), 'requests for the state of checkouts were not stored');
      }
    }
    this.#noting = undefined;
  }

  async #findDue(list: TransactionList, now: number): Promise<DueAttempt[]> {
    const { database, context, merchants, logger } = this.#options;
    const { settleWindowSeconds } = context.rules;
    const attempts = await findDueAttempts(database, list, now, settleWindowSeconds);
    const { byId } = indexMerchants(await merchants.all());
    const isKnown = ({ merchant }: DueAttempt) => byId.has(merchant);
    // Of merchants that were removed: nothing is read for them.
    const removed = attempts.filter((attempt) => !isKnown(attempt));
    await this.#planNext(removed, { readAt: now, result: 'failed' });
    const due = attempts.filter(isKnown).map((attempt) => {
      const { skewSeconds = 0 } = byId.get(attempt.merchant)?.evidence ?? {};
      return { ...attempt, sinceMs: attempt.sinceMs - skewSeconds * 1000 };
    });
    if (due.length > 0) {
      const since = new Date(Math.min(...due.map(({ sinceMs }) => sinceMs))).toISOString();
      logger.debug({ ...list, since, attempts: due.length }, 'the list of transactions is polled');
    }
    return due;
  }

  async #planNext(
    attempts: readonly DueAttempt[],
    outcome: {
      readonly readAt: number;
      readonly result: PollResult;
      readonly lease?: ReadLease | undefined;
    },
  ): Promise<void> {
    if (attempts.length === 0) return;
    const { database, context, clock, merchants } = this.#options;
    const { byId } = indexMerchants(await merchants.all());
    const reportsSubmitted = (id: string): boolean => {
      const merchant = byId.get(id);
      return merchant !== undefined && this.#sdkReports.isReporting(merchant);
    };
    const { rules } = context;
    const now = clock.now();
    const isStored = (orderId: number) => this.#recorder.isStored(orderId);
    await planNextPolls(database, attempts, {
      ...{ ...outcome, now, rules, isStored, reportsSubmitted },
    });
  }

  async #onRead(
    read: ListRead,
    attempts: readonly DueAttempt[],
    result: PollResult,
    lease: ReadLease | undefined,
  ): Promise<void> {
    if (result === 'read') await this.#recorder.settle(read);
    await this.#planNext(attempts, { readAt: read.startedAt, result, lease });
    this.#options.onStep?.('poll:ended');
  }

  #onChange({ before, after }: Change): void {
    if (after !== before) this.#options.changes.notify(after.id);
    if (before.state !== 'paid' && after.state === 'paid') void this.#learn(before, after);
  }

  async #learn(before: Checkout, after: Checkout): Promise<void> {
    const { merchants, logger } = this.#options;
    try {
      const merchant = await merchants.find(after.merchant);
      if (merchant) await this.#sdkReports.learn(merchant, before, after);
    } catch (error) {
      // The next payment says it again.
      logger.warn(describeError(error), 'what an SDK reports could not be stored');
    }
  }

  #reader(list: TransactionList): ListReader<DueAttempt> {
    const known = this.#readers.get(keyOf(list));
    if (known) return known;
    const { database, gateway, clock, logger, loops, intervalMs, pagesPerMinute, onStep } =
      this.#options;
    const accountBackOff = this.#backOffs.get(list.account) ?? new BackOff(clock, intervalMs);
    this.#backOffs.set(list.account, accountBackOff);
    const reader = new ListReader<DueAttempt>({
      account: list.account,
      providerMerchantId: list.providerMerchantId,
      gateway,
      clock,
      logger,
      loops,
      intervalMs,
      pagesPerMinute,
      accountBackOff,
      observer: this.#options.observer ?? SILENT_OBSERVER,
      lease: database.isShared
        ? (quota) => new ReadLease({ database, clock, list, quota })
        : undefined,
      findDue: (now) => this.#findDue(list, now),
      onRows: async (rows) => {
        onStep?.('provider:page-read');
        await this.#recorder.record(list, rows);
        onStep?.('poll:page-processed');
      },
      onRead: (read, attempts, result, lease) => this.#onRead(read, attempts, result, lease),
      onUnread: (attempts, result, lease) =>
        notePollResult(database, attempts, { now: clock.now(), result, lease }),
    });
    this.#readers.set(keyOf(list), reader);
    return reader;
  }
}

/** The lists that show the transactions of these merchants. */
export async function findLists(
  merchants: Pick<MerchantSource, 'accounts'>,
  places: readonly ProviderMerchant[],
): Promise<TransactionList[]> {
  const lists = await Promise.all(places.map((at) => findList(merchants, at)));
  return [...new Map(lists.map((list) => [keyOf(list), list])).values()];
}

/** The list that shows the transactions of a provider merchant. */
export async function findList(
  merchants: Pick<MerchantSource, 'accounts'>,
  { account, providerMerchantId }: ProviderMerchant,
): Promise<TransactionList> {
  return (await hasAccountList(merchants, account)) ? { account } : { account, providerMerchantId };
}
