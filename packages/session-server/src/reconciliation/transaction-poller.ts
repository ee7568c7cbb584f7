import type { Clock } from '../clock.js';
import type { PartnerGateway, TransactionPage, UnreadableRows } from '../provider/gateway.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import type { Observer } from '../observer.js';
import { BackOff, leftOf } from './back-off.js';
import type { TransactionRow } from './matching.js';
import {
  below,
  newestRange,
  further,
  type PageRange,
  remainingDays,
  advancePage,
} from './page-range.js';
import { PageQuota } from './page-quota.js';

/** Rows asked for at a time; the provider's maximum is not shown (spec 8). */
const PAGE_ROWS = 100;
const MINUTE_MS = 60_000;
/** What is wanted further back than this is deep. */
const RECENT_MS = 3_600_000;
/** The longest rest after a call that took long. */
const MAX_REST_MS = 10_000;
/** Share of the pages of a minute that may be read again for rows that were listed late. */
const OVERLAP_SHARE = 0.25;
/** A row that cannot be read is met again by every look: it is told once in this time. */
const TELL_UNREADABLE_MS = 3_600_000;
/** A longer timer would run out at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface TransactionPollerOptions {
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly providerMerchantId: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shortest time between the starts of two looks. */
  readonly intervalMs: number;
  /** Pages that all looks together may ask for in a minute. */
  readonly pagesPerMinute: number;
  /** Called with each page; resolves when what it proves is stored. */
  readonly onRows: (rows: readonly TransactionRow[]) => Promise<void>;
  readonly observer: Pick<Observer, 'polled'>;
}

/** How far back somebody wants to look, in milliseconds since 1970; `Infinity` when nobody does. */
interface Depths {
  readonly freshMs: number;
  readonly deepMs: number;
}

/** What is wanted of the next look. */
interface Demand {
  freshMs: number;
  deepMs: number;
  readonly fresh: PromiseWithResolvers<undefined>;
  readonly deep: PromiseWithResolvers<undefined>;
}

const NOTHING: Depths = { freshMs: Infinity, deepMs: Infinity };

/**
 * The one newest-first reader of a merchant's transactions: however many wait, one look is under
 * way at a time, and looks start at least `intervalMs` apart. Requests that come meanwhile share
 * the next one.
 *
 * A look first reads what is fresh, back to the oldest attempt of the last hour that somebody asked
 * about, and then goes on with the deep look, which goes back as far as any was asked for and may take
 * many looks: it keeps its place when the pages of a minute run out, when a page fails, and when
 * somebody waits for fresh rows. No call begins before a rest as long as the call before it.
 */
export class TransactionPoller {
  readonly #options: TransactionPollerOptions;
  readonly #budget: PageQuota;
  readonly #stop = new AbortController();
  /** After a failure of the newest rows, or where the provider asks for a pause: nothing is read. */
  readonly #backOff: BackOff;
  /** After another failure further down: only the deep look rests. */
  readonly #deepBackOff: BackOff;
  #next: Demand | undefined;
  #running: Promise<void> | undefined;
  #lastStartedAt = -Infinity;
  /** What a look that failed should have read: the next one makes up for it. */
  #owed = NOTHING;
  #reading: PageRange | undefined;
  /** Pages of the look that is under way. */
  #pagesRead = 0;
  #pagesOf = { fresh: 0, overlap: 0, deep: 0 };
  #unreadableRows = 0;
  #unreadableToldAt = -Infinity;
  /** What is left of fresh rows for which there were no pages. */
  #freshRest: PageRange | undefined;
  /** The deep look that is under way. */
  #deep: PageRange | undefined;
  /** How far back the next deep look is wanted while one is under way that does not go so far. */
  #deeperMs = Infinity;
  /** When rows of the last hour were last read with a deep look. */
  #overlapAt = -Infinity;

  constructor(options: TransactionPollerOptions) {
    this.#options = options;
    const { clock, intervalMs, pagesPerMinute } = options;
    this.#budget = new PageQuota(clock, pagesPerMinute);
    this.#backOff = new BackOff(clock, intervalMs);
    this.#deepBackOff = new BackOff(clock, intervalMs);
  }

  /**
   * Resolves when a look that started after this call has ended, well or not: its fresh part when
   * `sinceMs` is of the last hour.
   */
  look(sinceMs: number): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    const isDeep = this.#isDeep(sinceMs);
    const demand = this.#demand();
    if (isDeep) demand.deepMs = Math.min(demand.deepMs, sinceMs);
    else demand.freshMs = Math.min(demand.freshMs, sinceMs);
    this.#running ??= this.#run();
    return (isDeep ? demand.deep : demand.fresh).promise;
  }

  /**
   * As {@link look} for several times at once, and resolves when the fresh part has ended, whether one
   * of them is deep or not: who waits for a payment need not wait for what was listed long ago.
   */
  lookFresh(times: readonly number[]): Promise<void> {
    const now = this.#options.clock.now();
    const oldest = times.reduce((one, other) => Math.min(one, other), now);
    if (this.#isDeep(oldest)) this.#demand().deepMs = Math.min(this.#demand().deepMs, oldest);
    const fresh = times.filter((time) => !this.#isDeep(time));
    return this.look(fresh.reduce((one, other) => Math.min(one, other), now));
  }

  /** Whether it pauses because the provider failed or asked for it. */
  isBackingOff(): boolean {
    return this.#backOff.leftMs > 0;
  }

  /** When the deep look began that has not come to its end; undefined when none is under way. */
  get deepSince(): number | undefined {
    return this.#deep?.startedAt;
  }

  /** What is wanted of the look that comes next. */
  #demand(): Demand {
    return (this.#next ??= {
      ...NOTHING,
      fresh: Promise.withResolvers<undefined>(),
      deep: Promise.withResolvers<undefined>(),
    });
  }

  #isDeep(sinceMs: number): boolean {
    return sinceMs < this.#options.clock.now() - RECENT_MS;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#next && !this.#stop.signal.aborted) {
      await this.#pause();
      const demand = this.#next;
      this.#next = undefined;
      this.#lastStartedAt = this.#options.clock.now();
      if (!this.#stop.signal.aborted) await this.#lookOnce(demand);
      finish(demand);
    }
    if (this.#next) finish(this.#next);
    this.#next = undefined;
    this.#running = undefined;
  }

  async #lookOnce(demand: Demand): Promise<void> {
    const startedAt = performance.now();
    this.#pagesRead = 0;
    this.#pagesOf = { fresh: 0, overlap: 0, deep: 0 };
    this.#unreadableRows = 0;
    let isOk = true;
    try {
      await this.#readBack(demand);
    } catch (error) {
      isOk = false;
      this.#noteFailure(demand, error);
    }
    this.#options.observer.polled({
      pages: this.#pagesRead,
      unreadableRows: this.#unreadableRows,
      seconds: (performance.now() - startedAt) / 1000,
      isOk,
    });
  }

  #noteFailure({ freshMs, deepMs }: Demand, error: unknown): void {
    const asked = error instanceof AppError ? error.retryAfterSeconds : undefined;
    let failures: number;
    if (this.#reading?.kind === 'deep') {
      failures = this.#deepBackOff.fail(asked);
      if (asked !== undefined) this.#backOff.fail(asked);
      this.#keepFailed(this.#reading);
    } else {
      failures = this.#backOff.fail(asked);
      // A page further down that fails each time is tried once more: it must not slow down the rest.
      const owed = this.#pagesRead > 1 ? NOTHING : this.#owed;
      this.#owed = {
        freshMs: Math.min(freshMs, owed.freshMs),
        deepMs: Math.min(deepMs, owed.deepMs),
      };
    }
    const { providerMerchantId, logger } = this.#options;
    logger.warn(
      { providerMerchantId, failures, ...describeError(error) },
      'the list of transactions could not be read',
    );
  }

  /** A page that fails again is gone round: its cursor may have run out, and its day has not. */
  #keepFailed(deep: PageRange): void {
    deep.failures += 1;
    this.#deep = deep.failures > 1 ? remainingDays(deep) : deep;
  }

  async #readBack(demand: Demand): Promise<void> {
    const now = this.#options.clock.now();
    const freshMs = Math.min(demand.freshMs, this.#owed.freshMs, now);
    const deepMs = Math.min(demand.deepMs, this.#owed.deepMs);
    const left = this.#takeFreshRest(now);
    const top = await this.#readPages({
      ...newestRange(now, {
        sinceMs: Math.max(freshMs, left?.startedAt ?? -Infinity),
        windowMs: Math.min(freshMs, deepMs, this.#deep?.sinceMs ?? Infinity),
      }),
    });
    const rest = this.#restBelow(top, left, { freshMs, deepMs });
    if (rest) await this.#readPages(rest);
    if (rest?.kind === 'fresh' && !rest.isRead) this.#freshRest = rest;
    this.#backOff.reset();
    this.#owed = NOTHING;
    this.#wantDeep(top, deepMs);
    if (this.#deep && this.#isDeepWaiting()) {
      demand.fresh.resolve(undefined);
      const rest = this.#deep;
      await this.#readPages(rest);
      this.#settleDeep(rest);
    }
  }

  /** What was left of fresh rows, unless that was long ago. */
  #takeFreshRest(now: number): PageRange | undefined {
    const left = this.#freshRest;
    this.#freshRest = undefined;
    return left && left.startedAt > now - RECENT_MS ? left : undefined;
  }

  /** What is to be read below the newest rows before the deep look goes on. */
  #restBelow(
    top: PageRange,
    left: PageRange | undefined,
    { freshMs, deepMs }: Depths,
  ): PageRange | undefined {
    const sinceMs = Math.min(freshMs, left?.sinceMs ?? Infinity);
    if (!top.isRead) return below(top, 'fresh', sinceMs);
    if (left) return below(left, 'fresh', sinceMs);
    if (!this.#deep || deepMs === Infinity) return undefined;
    if (leftOf(this.#overlapAt, MINUTE_MS, top.startedAt) > 0) return undefined;
    const overlap = below(top, 'overlap', this.#overlapAt - RECENT_MS);
    this.#overlapAt = top.startedAt;
    return overlap;
  }

  /** Begins a deep look below the newest rows; one that is under way goes that far, too. */
  #wantDeep(top: PageRange, deepMs: number): void {
    if (this.#deep) {
      this.#deeperMs = Math.min(this.#deeperMs, deepMs);
      return;
    }
    if (deepMs === Infinity) return;
    const deep = below(top, 'deep', deepMs);
    if (deep.isRead) return;
    this.#deep = deep;
    this.#overlapAt = top.startedAt;
  }

  /** Ends a deep look that has come to its end, or goes on to what was wanted further back meanwhile. */
  #settleDeep(deep: PageRange): void {
    if (this.#pagesOf.deep > 0) this.#deepBackOff.reset();
    if (!deep.isRead) return;
    const deeper = further(deep, Math.min(deep.sinceMs, this.#deeperMs));
    this.#deep = deeper.isRead ? undefined : deeper;
    this.#deeperMs = Infinity;
  }

  /** Reads on in a stretch until it is read, or may not be gone on with for now. */
  async #readPages(stretch: PageRange): Promise<PageRange> {
    this.#reading = stretch;
    while (!stretch.isRead && this.#mayGoOn(stretch)) {
      const calledAt = performance.now();
      const page = await this.#readPage(stretch);
      crashPoint('poll:page-read');
      const answeredAt = performance.now();
      if (page.unreadable) this.#noteUnreadable(page.unreadable);
      await this.#options.onRows(page.rows);
      crashPoint('poll:page-processed');
      await this.#sleep(
        Math.floor(Math.min(answeredAt - calledAt, MAX_REST_MS) - (performance.now() - answeredAt)),
      );
      advancePage(stretch, page);
    }
    return stretch;
  }

  #mayGoOn({ kind }: PageRange): boolean {
    // The pause before the look has seen to the first one.
    if (this.#pagesRead === 0) return true;
    if (this.#stop.signal.aborted) return false;
    if (kind === 'deep') return this.#budget.allowsDeep() && !this.#isAwaited();
    const mostOverlap = Math.max(1, this.#options.pagesPerMinute * OVERLAP_SHARE);
    if (kind === 'overlap' && this.#pagesOf.overlap >= mostOverlap) return false;
    return this.#budget.allowsFresh(this.#isDeepWaiting());
  }

  #isDeepWaiting(): boolean {
    return this.#deep !== undefined && this.#deepBackOff.leftMs <= 0;
  }

  /** Whether somebody waits for the next look, whose time has come, and the deep one had its turn. */
  #isAwaited(): boolean {
    const { clock, intervalMs } = this.#options;
    return (
      this.#pagesOf.deep > 0 &&
      this.#next !== undefined &&
      this.#next.freshMs < Infinity &&
      leftOf(this.#lastStartedAt, intervalMs, clock.now()) <= 0
    );
  }

  /** The rows around them count as always. One of these may be a payment: a person must look. */
  #noteUnreadable({ count, first }: UnreadableRows): void {
    this.#unreadableRows += count;
    const { providerMerchantId, logger, clock } = this.#options;
    const now = clock.now();
    if (leftOf(this.#unreadableToldAt, TELL_UNREADABLE_MS, now) > 0) return;
    this.#unreadableToldAt = now;
    const places = first.map(({ index, kind }) => `${String(index)}: ${kind}`);
    logger.warn(
      { providerMerchantId, page: this.#pagesRead, count, places },
      'rows of the list of transactions could not be read',
    );
  }

  #readPage({ kind, fromDate, toDate, cursor }: PageRange): Promise<TransactionPage> {
    this.#pagesRead += 1;
    this.#pagesOf[kind] += 1;
    this.#budget.spend(kind === 'deep');
    const { gateway, providerMerchantId } = this.#options;
    return gateway.listTransactions({
      fromDate,
      toDate,
      cursor,
      providerMerchantId,
      limit: PAGE_ROWS,
    });
  }

  /** Waits until the interval, the back-off and the page budget allow another look. */
  #pause(): Promise<void> {
    const { intervalMs, clock } = this.#options;
    return this.#sleep(
      Math.max(
        leftOf(this.#lastStartedAt, intervalMs, clock.now()),
        this.#backOff.leftMs,
        this.#budget.freshInMs(this.#isDeepWaiting()),
      ),
    );
  }

  /** Waits, unless the reader closes. */
  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#stop;
    if (ms <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, Math.min(ms, MAX_TIMER_MS));
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }
}

function finish({ fresh, deep }: Demand): void {
  fresh.resolve(undefined);
  deep.resolve(undefined);
}
