import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { Limit } from './limit.js';
import { addressOf } from './rate-limits.js';

/** Right keys at least that are remembered, each for one address, about 200 bytes each. */
const RIGHT_KEYS = 5_000;

/**
 * Lets an address try so many wrong keys a minute. Beyond that a key is not even compared, so that
 * a guess that happens to be right is of no use; but one that was right from that address before is
 * known there, and is never refused because others at the address guess.
 */
export class KeyAttempts {
  readonly #wrong: Limit;
  /** By the address and the hash of the key: when it was last right does not matter. */
  readonly #right = new LRUCache<string, number>({ max: RIGHT_KEYS });

  constructor(limit: number) {
    this.#wrong = new Limit('address', limit);
  }

  /**
   * Answers what `find` says of a key, or undefined when it is wrong.
   *
   * @throws {AppError} 429 `too_many_requests`
   */
  check<T>(request: Request, key: string, find: () => T | undefined): T | undefined {
    const address = addressOf(request);
    const known = `${address} ${createHash('sha256').update(key).digest('base64')}`;
    if (this.#right.get(known) === undefined) {
      // Counted before it is compared: guesses that come at the same moment count each other.
      this.#wrong.count(address);
      const found = find();
      if (found !== undefined) {
        this.#right.set(known, 1);
        this.#wrong.takeBack(address);
      }
      return found;
    }
    const found = find();
    if (found === undefined) {
      this.#right.delete(known);
      this.#wrong.count(address);
    }
    return found;
  }
}
