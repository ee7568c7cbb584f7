import type { Backfill } from './backfill.js';
import type { PageQuota } from './pacing.js';
import { newestRange, type PageRange, rangeBelow } from './page-range.js';
import type { PageReader } from './page-reader.js';

/** What is older is for the backfill. */
export const RECENT_MS = 3_600_000;

/**
 * Reads the newest rows, back to the oldest attempt of the last hour that someone waits for. Where the
 * quota ends first, the next poll reads what came meanwhile and then the backlog.
 */
export class RecentPoll {
  readonly #reader: PageReader;
  readonly #quota: PageQuota;
  readonly #backfill: Backfill;
  #backlog: PageRange | undefined;

  constructor(reader: PageReader, quota: PageQuota, backfill: Backfill) {
    this.#reader = reader;
    this.#quota = quota;
    this.#backfill = backfill;
  }

  /** Whether rows are left that the quota had no pages for. */
  get hasBacklog(): boolean {
    return this.#backlog !== undefined;
  }

  /** Returns the range that starts with the newest row. */
  async run(options: Parameters<typeof newestRange>[0]): Promise<PageRange> {
    const { now, sinceMs } = options;
    const backlog = this.#takeBacklog(now);
    const newest = newestRange({
      ...options,
      sinceMs: Math.max(sinceMs, backlog?.startedAt ?? -Infinity),
    });
    await this.#read(newest);
    const rest = rangeBelow(
      newest.isRead && backlog ? backlog : newest,
      Math.min(sinceMs, backlog?.sinceMs ?? Infinity),
    );
    await this.#read(rest);
    if (!rest.isRead) this.#backlog = rest;
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
