import { LRUCache } from 'lru-cache';
import { AppError } from '../errors.js';

const MINUTE_MS = 60_000;
/** Keys that a limit counts at once, about 300 bytes each; beyond, the one asked for longest ago goes. */
const MAX_KEYS = 20_000;

/** So many of each key in the minute that begins with the first of them. */
export class Limit {
  readonly #what: string;
  readonly #limit: number;
  readonly #hits: LRUCache<string, { count: number }>;

  /** @param perf what tells the time, in milliseconds */
  constructor(what: string, limit: number, perf: { now(): number } = performance) {
    this.#what = what;
    this.#limit = limit;
    // Without a resolution of its own, which would take a timer for each millisecond.
    this.#hits = new LRUCache({ max: MAX_KEYS, ttl: MINUTE_MS, ttlResolution: 0, perf });
  }

  /** Counts, and says whether the limit is kept. */
  allows(key: string): boolean {
    const hits = this.#hits.get(key);
    if (hits === undefined) {
      this.#hits.set(key, { count: 1 });
      return this.#limit >= 1;
    }
    hits.count += 1;
    return hits.count <= this.#limit;
  }

  /** @throws {AppError} 429 `too_many_requests` */
  count(key: string): void {
    if (this.allows(key)) return;
    throw new AppError(
      429,
      'too_many_requests',
      `Too many requests for one ${this.#what}. Wait a minute.`,
      { retryAfterSeconds: Math.max(1, Math.ceil(this.#hits.getRemainingTTL(key) / 1000)) },
    );
  }

  /** What was counted was none of what is limited. */
  takeBack(key: string): void {
    const hits = this.#hits.get(key);
    if (hits !== undefined) hits.count -= 1;
  }
}
