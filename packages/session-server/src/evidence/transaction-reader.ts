import type { Clock } from '../clock.js';
import type {
  PartnerGateway,
  TransactionPage,
  UnreadableRows,
} from '../checkout/partner-gateway.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import type { Observer } from '../metrics/observer.js';
import { timeOf, type TransactionRow } from './evidence.js';

const DAY_MS = 86_400_000;
/** Rows asked for at a time; the provider's maximum is not shown (spec 8). */
const PAGE_ROWS = 100;
const MINUTE_MS = 60_000;
/** Rows older than this are deep: read with half of the budget, so that fresh ones never wait. */
const RECENT_MS = 3_600_000;
const LONGEST_BACKOFF_MS = 60_000;
/** A provider that asks for a longer pause is asked again after this: nobody is paid meanwhile. */
const LONGEST_ASKED_MS = 3_600_000;
/** A row that cannot be read is met again by every look: it is told once in this time. */
const TELL_UNREADABLE_MS = 3_600_000;

export interface TransactionReaderOptions {
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
  readonly observer: Pick<Observer, 'looked'>;
}

interface Demand {
  /** How far back to look, in milliseconds since 1970. */
  sinceMs: number;
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/** A stretch of the list, from its newest row back to a time. */
interface Stretch {
  readonly fromDate: string;
  readonly toDate: string;
  readonly sinceMs: number;
  /** When its newest page was asked for. */
  readonly startedAt: number;
  /** Where to go on, when a part of it has been read. */
  readonly cursor?: string;
  /** The time of the oldest row that has been read. */
  readonly reachedMs: number;
}

/**
 * The one newest-first reader of a merchant's transactions: however many wait, one look is under
 * way at a time, and looks start at least `intervalMs` apart. Requests that come meanwhile share
 * the next one. A look goes back to the oldest attempt that somebody asked about; one that ran out
 * of its page budget is gone on with by the next, which reads again only what is fresh.
 */
export class TransactionReader {
  readonly #options: TransactionReaderOptions;
  readonly #stop = new AbortController();
  #next: Demand | undefined;
  #running: Promise<void> | undefined;
  #lastStartedAt = -Infinity;
  #failedAt = -Infinity;
  #backoffMs = 0;
  #failures = 0;
  /** How far back a look that failed should have read: the next one makes up for it. */
  #owedMs = Infinity;
  #pagesRead = 0;
  #unreadableRows = 0;
  #unreadableToldAt = -Infinity;
  /** The pages of the last minute. */
  #pages: { readonly at: number; readonly isDeep: boolean }[] = [];
  /** What is left of a look that ran out of budget. */
  #rest: Stretch | undefined;

  constructor(options: TransactionReaderOptions) {
    this.#options = options;
  }

  /** Resolves when a look back to `sinceMs` that started after this call has ended, well or not. */
  look(sinceMs: number): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    if (this.#next) {
      this.#next.sinceMs = Math.min(this.#next.sinceMs, sinceMs);
      return this.#next.done;
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#next = {
      sinceMs,
      done: promise,
      finish: () => {
        resolve(undefined);
      },
    };
    this.#running ??= this.#run();
    return promise;
  }

  /** Whether it pauses because the provider failed or asked for it. */
  isBackingOff(): boolean {
    return restOf(this.#failedAt, this.#backoffMs, this.#options.clock.now()) > 0;
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
      if (!this.#stop.signal.aborted) await this.#lookOnce(demand.sinceMs);
      demand.finish();
    }
    this.#next?.finish();
    this.#next = undefined;
    this.#running = undefined;
  }

  async #lookOnce(sinceMs: number): Promise<void> {
    const startedAt = performance.now();
    this.#pagesRead = 0;
    this.#unreadableRows = 0;
    try {
      await this.#readBack(Math.min(sinceMs, this.#owedMs));
      this.#failures = 0;
      this.#backoffMs = 0;
      this.#owedMs = Infinity;
    } catch (error) {
      this.#failures += 1;
      // A page further down that fails each time is tried once more: it must not slow down the rest.
      this.#owedMs = this.#pagesRead > 1 ? sinceMs : Math.min(sinceMs, this.#owedMs);
      const own = Math.min(this.#options.intervalMs * 2 ** this.#failures, LONGEST_BACKOFF_MS);
      const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      this.#failedAt = this.#options.clock.now();
      this.#backoffMs = Math.max(own, Math.min(asked, LONGEST_ASKED_MS));
      const { providerMerchantId, logger } = this.#options;
      logger.warn(
        { providerMerchantId, failures: this.#failures, ...describeError(error) },
        'the list of transactions could not be read',
      );
    }
    this.#options.observer.looked({
      pages: this.#pagesRead,
      unreadableRows: this.#unreadableRows,
      seconds: (performance.now() - startedAt) / 1000,
      isOk: this.#failures === 0,
    });
  }

  /** Reads from the newest row back to `sinceMs`, then goes on where an earlier look stopped. */
  async #readBack(sinceMs: number): Promise<void> {
    const startedAt = this.#options.clock.now();
    const rest = this.#rest;
    const deepest = Math.min(sinceMs, rest?.sinceMs ?? sinceMs);
    const goesOn = rest !== undefined && rest.sinceMs <= sinceMs;
    const isReadAlready = goesOn && sinceMs < rest.reachedMs;
    const stopped = await this.#readPages({
      fromDate: toDate(deepest - DAY_MS),
      toDate: toDate(startedAt + DAY_MS),
      sinceMs: isReadAlready ? Math.max(sinceMs, rest.startedAt - RECENT_MS) : sinceMs,
      startedAt,
      reachedMs: Infinity,
    });
    // Forgotten before it is tried: a cursor's lifetime is not shown (spec 8), and one that has run
    // out must not fail every look from now on.
    this.#rest = stopped && { ...stopped, sinceMs: deepest };
    if (!stopped && goesOn) this.#rest = await this.#readPages(rest);
  }

  /** Answers what is left when the budget ran out, or undefined when it read to the end. */
  async #readPages(stretch: Stretch): Promise<Stretch | undefined> {
    let { cursor, reachedMs } = stretch;
    const taken = new Set<string>();
    for (;;) {
      const isDeep = reachedMs < this.#options.clock.now() - RECENT_MS;
      if (cursor !== undefined && !this.#hasBudget(isDeep)) {
        return { ...stretch, cursor, reachedMs };
      }
      const page = await this.#readPage(stretch, cursor, isDeep);
      crashPoint('evidence:page-read');
      if (page.unreadable) this.#noteUnreadable(page.unreadable);
      await this.#options.onRows(page.rows);
      crashPoint('evidence:page-settled');
      cursor = page.nextCursor;
      // A cursor that comes again leads round in a circle.
      if (cursor === undefined || taken.has(cursor)) return undefined;
      taken.add(cursor);
      reachedMs = Math.min(reachedMs, oldestOf(page.rows));
      if (reachedMs < stretch.sinceMs) return undefined;
    }
  }

  /** The rows around them count as always. One of these may be a payment: a person must look. */
  #noteUnreadable({ count, first }: UnreadableRows): void {
    this.#unreadableRows += count;
    const { providerMerchantId, logger, clock } = this.#options;
    const now = clock.now();
    if (restOf(this.#unreadableToldAt, TELL_UNREADABLE_MS, now) > 0) return;
    this.#unreadableToldAt = now;
    const places = first.map(({ index, kind }) => `${String(index)}: ${kind}`);
    logger.warn(
      { providerMerchantId, page: this.#pagesRead, count, places },
      'rows of the list of transactions could not be read',
    );
  }

  #readPage(
    { fromDate, toDate }: Stretch,
    cursor: string | undefined,
    isDeep: boolean,
  ): Promise<TransactionPage> {
    this.#pagesRead += 1;
    this.#pages.push({ at: this.#options.clock.now(), isDeep });
    const { gateway, providerMerchantId } = this.#options;
    return gateway.listTransactions({
      fromDate,
      toDate,
      cursor,
      providerMerchantId,
      limit: PAGE_ROWS,
    });
  }

  #hasBudget(isDeep: boolean): boolean {
    const now = this.#options.clock.now();
    this.#pages = this.#pages.filter(({ at }) => restOf(at, MINUTE_MS, now) > 0 && at <= now);
    const { pagesPerMinute } = this.#options;
    if (this.#pages.length >= pagesPerMinute) return false;
    return !isDeep || this.#pages.filter((page) => page.isDeep).length < pagesPerMinute / 2;
  }

  /** Waits until the interval, the back-off and the page budget allow another look. */
  async #pause(): Promise<void> {
    const now = this.#options.clock.now();
    const oldest = this.#hasBudget(false) ? -Infinity : (this.#pages[0]?.at ?? now);
    const pauseMs = Math.max(
      restOf(this.#lastStartedAt, this.#options.intervalMs, now),
      restOf(this.#failedAt, this.#backoffMs, now),
      restOf(oldest, MINUTE_MS, now),
    );
    if (pauseMs <= 0) return;
    const { signal } = this.#stop;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, pauseMs);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }
}

/** The day in UTC, `YYYY-MM-DD`; the reader asks for `timezone: 'UTC'`. */
function toDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** What is left of a pause; never more than the whole of it, also when the clock was set back. */
function restOf(startedAt: number, pauseMs: number, now: number): number {
  return Math.min(startedAt + pauseMs - now, pauseMs);
}

/**
 * How far back a page leads: its last row that has a time (spec 4.1 rule 2). One that is out of
 * place further up says nothing about the rows after it.
 */
function oldestOf(rows: readonly TransactionRow[]): number {
  return rows.reduce((oldest, row) => timeOf(row) ?? oldest, Infinity);
}
