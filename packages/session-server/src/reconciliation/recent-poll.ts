import { type Backfill, RECENT_MS } from './backfill.js';
import type { PageQuota } from './pacing.js';
import { newestRange, type PageRange, rangeBelow } from './page-range.js';
import type { PageReader } from './page-reader.js';

/**
 * Reads the newest rows, back to the oldest attempt of the last hour that someone waits for. Where the
 * quota ends first, the next poll reads what is new and then the backlog.
 */
export class RecentPoll {
  readonly #reader: PageReader;
  readonly #quota: PageQuota;
  readonly #backfill: Backfill;
  #backlog: PageRange | undefined;
  #isComplete = false;

  constructor(reader: PageReader, quota: PageQuota, backfill: Backfill) {
    this.#reader = reader;
    this.#quota = quota;
    this.#backfill = backfill;
  }

  /** Whether rows are left that the quota had no pages for. */
  get hasBacklog(): boolean {
    return this.#backlog !== undefined;
  }

  /** Whether the last run read all rows that it was asked for. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Returns the range that starts with the newest row. */
  async run(start: Parameters<typeof newestRange>[0], windowMs: number): Promise<PageRange> {
    const { startedAt } = start;
    this.#isComplete = false;
    const backlog = this.#takeBacklog(startedAt);
    const sinceMs = Math.max(start.sinceMs, backlog?.startedAt ?? -Infinity);
    const newest = newestRange({ ...start, sinceMs }, windowMs);
    await this.#read(newest);
    const remaining = rangeBelow(
      newest.isRead && backlog ? backlog : newest,
      Math.min(start.sinceMs, backlog?.sinceMs ?? Infinity),
    );
    await this.#read(remaining);
    if (!remaining.isRead) this.#backlog = remaining;
    else this.#isComplete = newest.unreadDays.length + remaining.unreadDays.length === 0;
    return newest;
  }

  /** The backlog, unless it is from long ago. */
  #takeBacklog(now: number): PageRange | undefined {
    const backlog = this.#backlog;
    this.#backlog = undefined;
    return backlog && backlog.startedAt > now - RECENT_MS ? backlog : undefined;
  }

  #read(range: PageRange): Promise<void> {
    const mayContinue = (): boolean => this.#quota.recentWaitMs(this.#backfill.isPending) <= 0;
    return this.#reader.read(range, { isBackfill: false, mayContinue });
  }
}
