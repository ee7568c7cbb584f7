import type { Clock } from '../clock.js';
import type { PartnerGateway, TransactionPage } from '../checkout/partner-gateway.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { describeError, type Logger } from '../logger.js';
import type { Observer } from '../metrics/observer.js';
import type { TransactionRow } from './evidence.js';

const DAY_MS = 86_400_000;
/** Rows asked for at a time; the provider's maximum is not shown (spec 8). */
const PAGE_ROWS = 100;
const MINUTE_MS = 60_000;
/** Rows older than this are deep: read with half of the budget, so that fresh ones never wait. */
const RECENT_MS = 3_600_000;
const LONGEST_BACKOFF_MS = 60_000;

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
  #backoffUntil = -Infinity;
  #failures = 0;
  #pagesRead = 0;
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
    return this.#backoffUntil > this.#options.clock.now();
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
    try {
      await this.#readBack(sinceMs);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      const own = Math.min(this.#options.intervalMs * 2 ** this.#failures, LONGEST_BACKOFF_MS);
      const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      this.#backoffUntil = this.#options.clock.now() + Math.max(own, asked);
      const { providerMerchantId, logger } = this.#options;
      logger.warn(
        { providerMerchantId, failures: this.#failures, ...describeError(error) },
        'the list of transactions could not be read',
      );
    }
    this.#options.observer.looked({
      pages: this.#pagesRead,
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
    for (;;) {
      const isDeep = reachedMs < this.#options.clock.now() - RECENT_MS;
      if (cursor !== undefined && !this.#hasBudget(isDeep)) {
        return { ...stretch, cursor, reachedMs };
      }
      const page = await this.#readPage(stretch, cursor, isDeep);
      crashPoint('evidence:page-read');
      await this.#options.onRows(page.rows);
      crashPoint('evidence:page-settled');
      if (page.nextCursor === undefined || page.nextCursor === cursor) return undefined;
      reachedMs = Math.min(reachedMs, ...page.rows.map(timeOf));
      if (reachedMs < stretch.sinceMs) return undefined;
      cursor = page.nextCursor;
    }
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
    const since = this.#options.clock.now() - MINUTE_MS;
    this.#pages = this.#pages.filter(({ at }) => at > since);
    const { pagesPerMinute } = this.#options;
    if (this.#pages.length >= pagesPerMinute) return false;
    return !isDeep || this.#pages.filter((page) => page.isDeep).length < pagesPerMinute / 2;
  }

  /** Waits until the interval, the back-off and the page budget allow another look. */
  async #pause(): Promise<void> {
    const now = this.#options.clock.now();
    const oldest = this.#hasBudget(false) ? -Infinity : (this.#pages[0]?.at ?? now);
    const at = Math.max(
      this.#lastStartedAt + this.#options.intervalMs,
      this.#backoffUntil,
      oldest + MINUTE_MS,
    );
    if (at <= now) return;
    const { signal } = this.#stop;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, at - now);
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

/** A row without a time says nothing about how far back it is. */
function timeOf(row: TransactionRow): number {
  const time = Date.parse(row.transactionTime ?? '');
  return Number.isNaN(time) ? Infinity : time;
}
