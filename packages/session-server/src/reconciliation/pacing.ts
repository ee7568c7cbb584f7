/** How often the provider's list may be read: a quota of pages a minute, and pauses after failures. */
import type { Clock } from '../clock.js';

const MINUTE_MS = 60_000;
/** How often a reader that no shopper waits for asks for a page. */
const PAGE_WAIT_MS = 500;
const MAX_BACK_OFF_MS = 60_000;
/** A provider that asks for a longer pause is called again after this, since payments are waiting. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A page that was requested. */
export interface SpentPage {
  readonly at: number;
  readonly isBackfill: boolean;
}

/**
 * The pages of one list that all polls may request in a minute. The backfill gets at most half of
 * them, so that recent polls never wait for it. While a backfill is pending, recent polls get at most
 * the other half, so that it ends however busy the list is.
 */
export class PageQuota {
  readonly #clock: Clock;
  readonly #pagesPerMinute: number;
  /** How many readers that no shopper waits for want a page: half of the pages are left to them. */
  waitingReaders = 0;
  /** The pages of the last minute, oldest first. */
  #pages: SpentPage[] = [];

  constructor(clock: Clock, pagesPerMinute: number) {
    this.#clock = clock;
    this.#pagesPerMinute = pagesPerMinute;
  }

  spend(isBackfill: boolean): void {
    this.#pages.push({ at: this.#clock.now(), isBackfill });
  }

  get pages(): readonly SpentPage[] {
    return this.#lastMinute();
  }

  /** Those of all servers, where several share a read lease. */
  load(pages: readonly SpentPage[]): void {
    this.#pages = [...pages];
  }

  allowsBackfill(): boolean {
    return this.backfillWaitMs() <= 0;
  }

  /** How long until the backfill may request a page, in milliseconds. */
  backfillWaitMs(): number {
    const pages = this.#lastMinute();
    const backfill = pages.filter(({ isBackfill }) => isBackfill);
    const share = Math.ceil(this.#pagesPerMinute / 2);
    return this.#waitFor([pages.at(-this.#pagesPerMinute), backfill.at(-share)]);
  }

  /** Takes a page for a reader that no shopper waits for: one of the backfill's, when there is one. */
  takePage(): boolean {
    if (!this.allowsBackfill()) return false;
    this.spend(true);
    return true;
  }

  /** How long until a recent poll may request a page, in milliseconds. */
  recentWaitMs(isBackfillPending: boolean): number {
    const pages = this.#lastMinute();
    const recent = pages.filter(({ isBackfill }) => !isBackfill);
    const share =
      isBackfillPending || this.waitingReaders > 0
        ? Math.max(1, Math.floor(this.#pagesPerMinute / 2))
        : this.#pagesPerMinute;
    return this.#waitFor([pages.at(-this.#pagesPerMinute), recent.at(-share)]);
  }

  #waitFor(blocking: readonly (SpentPage | undefined)[]): number {
    const now = this.#clock.now();
    return Math.max(
      0,
      ...blocking.map((page) => (page ? remainingMs(page.at, MINUTE_MS, now) : 0)),
    );
  }

  #lastMinute() {
    const now = this.#clock.now();
    this.#pages = this.#pages.filter(({ at }) => remainingMs(at, MINUTE_MS, now) > 0 && at <= now);
    return this.#pages;
  }
}

/** Waits until there is a page to take; the signal ends the wait. */
export async function waitForPage(
  pages: { takePage(): boolean | Promise<boolean> },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !(await pages.takePage())) await sleep(PAGE_WAIT_MS, signal);
}

/** A pause after a failure; it doubles with each failure in a row, up to a minute. */
export class BackOff {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #failures = 0;
  #failedAt = -Infinity;
  #pauseMs = 0;

  /** @param intervalMs half of the first pause */
  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /**
   * Starts a pause and returns the number of failures in a row.
   *
   * @param retryAfterSeconds the shortest pause that the provider asked for
   */
  fail(retryAfterSeconds = 0): number {
    this.#failures += 1;
    this.#failedAt = this.#clock.now();
    this.#pauseMs = Math.max(
      Math.min(this.#intervalMs * 2 ** this.#failures, MAX_BACK_OFF_MS),
      Math.min(retryAfterSeconds * 1000, MAX_RETRY_AFTER_MS),
    );
    return this.#failures;
  }

  /** Ends the pause after a success. */
  reset(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  /** What is left of the pause, in milliseconds; 0 or less when it is over. */
  get remainingMs(): number {
    return remainingMs(this.#failedAt, this.#pauseMs, this.#clock.now());
  }
}

/** What is left of a pause: nothing when the clock was set back to before it. */
export function remainingMs(startedAt: number, pauseMs: number, now: number): number {
  return now < startedAt ? 0 : startedAt + pauseMs - now;
}

/** Waits, unless the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
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
