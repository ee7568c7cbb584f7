import type { Clock } from '../clock.js';
import { BackOff, type PageQuota, remainingMs } from './pacing.js';
import { type PageRange, rangeBelow, retryRange } from './page-range.js';
import type { PageReader } from './page-reader.js';

/** Older rows are read by the backfill, newer ones by the recent poll. */
export const RECENT_MS = 3_600_000;
const RE_READ_INTERVAL_MS = 60_000;
/** Share of the pages of a minute that may be re-read for rows that were listed late. */
const RE_READ_SHARE = 0.25;

export interface BackfillOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly pagesPerMinute: number;
}

/**
 * Reads the list further back than the last hour, as far as attempts are watched. It may take many
 * polls: it keeps its place when the quota ends, when a page fails, and while someone waits for recent
 * rows.
 */
export class Backfill {
  readonly #reader: PageReader;
  readonly #quota: PageQuota;
  readonly #maxReReadPages: number;
  readonly #backOff: BackOff;
  #range: PageRange | undefined;
  /** How far back the next backfill goes: requested while one was running, which may have passed those rows. */
  #nextMs = Infinity;
  /** When rows of the last hour were last read. */
  #reReadAt = -Infinity;

  constructor(reader: PageReader, quota: PageQuota, options: BackfillOptions) {
    this.#reader = reader;
    this.#quota = quota;
    this.#maxReReadPages = Math.max(1, options.pagesPerMinute * RE_READ_SHARE);
    this.#backOff = new BackOff(options.clock, options.intervalMs);
  }

  /** When the running backfill started; undefined when there is none. */
  get startedAt(): number | undefined {
    return this.#range?.startedAt;
  }

  /** How far back it goes; `Infinity` when there is none. */
  get sinceMs(): number {
    return this.#range?.sinceMs ?? Infinity;
  }

  /** Whether there is something to read, and no pause after a failure. */
  get isPending(): boolean {
    return this.#range !== undefined && this.#backOff.remainingMs <= 0;
  }

  /**
   * While a backfill is running, rows of the last hour may be listed late: it re-reads them, once a
   * minute, below the newest rows.
   */
  async reRead(newest: PageRange): Promise<void> {
    if (!this.#range) return;
    if (remainingMs(this.#reReadAt, RE_READ_INTERVAL_MS, newest.startedAt) > 0) return;
    const range = rangeBelow(newest, this.#reReadAt - RECENT_MS);
    this.#reReadAt = newest.startedAt;
    let pagesLeft = this.#maxReReadPages;
    await this.#reader.read(range, {
      isBackfill: false,
      mayContinue: () => pagesLeft-- > 0 && this.#quota.recentWaitMs(this.isPending) <= 0,
    });
  }

  /** Starts a backfill below the newest rows. If one is running, another one follows it. */
  request(newest: PageRange, sinceMs: number): void {
    const range = rangeBelow(newest, sinceMs);
    if (range.isRead) return;
    if (this.#range) {
      this.#nextMs = Math.min(this.#nextMs, sinceMs);
      return;
    }
    this.#range = range;
    this.#reReadAt = newest.startedAt;
  }

  /**
   * Reads on until it ends, or someone waits for the next recent poll. Returns how far back another
   * backfill was requested meanwhile, which may start now; otherwise `Infinity`.
   */
  async run(isInterrupted: () => boolean): Promise<number> {
    const range = this.#range;
    if (!range || !this.isPending) return Infinity;
    let pages = 0;
    await this.#reader.read(range, {
      isBackfill: true,
      mayContinue: () => {
        if (!this.#quota.allowsBackfill() || (pages > 0 && isInterrupted())) return false;
        pages += 1;
        return true;
      },
    });
    if (pages > 0) this.#backOff.reset();
    if (!range.isRead) return Infinity;
    const nextMs = this.#nextMs;
    this.#range = undefined;
    this.#nextMs = Infinity;
    return nextMs;
  }

  /** Pauses after a failure, and returns the number of failures in a row. */
  fail(retryAfterSeconds: number | undefined): number {
    if (this.#range) {
      this.#range.failures += 1;
      // A page that fails again is bypassed: its cursor may have expired, and its day has not.
      if (this.#range.failures > 1) this.#range = retryRange(this.#range);
    }
    return this.#backOff.fail(retryAfterSeconds);
  }
}
