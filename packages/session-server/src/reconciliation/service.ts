import type { ChangeFeed } from '../checkouts/change-feed.js';
import { findProviderMerchants } from '../checkouts/attempt-repository.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Change, StepContext } from '../checkouts/checkout-transactions.js';
import type { Clock } from '../clock.js';
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
import type { Database } from '../store/database.js';
import { type LostAttemptFinder, PageRecorder } from './page-recorder.js';
import type { PolledCheckout, PollLog } from './poll-log.js';
import type { DuePoll } from './repository.js';
import { TransactionPoller } from './transaction-poller.js';

/** How long a checkout is polled for after a hint. */
const WATCH_MS = 120_000;
/** How far back to poll for a second payment when a shopper returns to a paid checkout. */
const PAID_AGAIN_MS = 600_000;

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
  readonly #recorder: PageRecorder;
  readonly #pollers = new Map<string, TransactionPoller>();
  /** Watched checkouts by merchant. */
  readonly #watches = new Map<string, Map<string, Watch>>();
  /** The run loop of each merchant that has watched checkouts. */
  readonly #loops = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
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

  /** Stores what rows of a list prove. */
  reconcile(list: TransactionList, rows: readonly TransactionRow[]): Promise<void> {
    return this.#recorder.record(list, rows);
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
    const isCovered = await hasAccountList(this.#options.merchants, account);
    return isCovered ? { account } : { account, providerMerchantId };
  }

  #onChange({ before, after }: Change): void {
    if (after !== before) this.#options.changes.notify(after.id);
    if (before.state !== 'paid' && after.state === 'paid') {
      const watch = this.#watches.get(after.merchant)?.get(after.id);
      // Not deleted: a hint that came during the poll is for the next one.
      if (watch) watch.until = -Infinity;
    }
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
        onStep?.('provider:page-read');
        await this.#recorder.record(list, rows);
        onStep?.('poll:page-processed');
      },
      onComplete: (read) => this.#recorder.settle(read),
    });
    this.#pollers.set(keyOf(list), poller);
    return poller;
  }
}
