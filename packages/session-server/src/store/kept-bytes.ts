import { LRUCache } from 'lru-cache';

/** Attempts at least whose sum is remembered; of the others it is asked for again. */
const RECENT = 5_000;

/**
 * How many bytes of deliveries are kept for each attempt. Counted in memory from when the first one
 * of an attempt comes, so that its sender does not wait for a sum over the file each time.
 */
export class KeptBytes {
  readonly #recent = new LRUCache<string, number>({ max: RECENT });
  readonly #sumOf: (orderId: number) => number;

  /** @param sumOf the sum in the file, of an attempt that is not remembered */
  constructor(sumOf: (orderId: number) => number) {
    this.#sumOf = sumOf;
  }

  /** Takes room for more bytes; false, and none is taken, when they would be more than the most. */
  take(orderId: number, bytes: number, most: number): boolean {
    const kept = this.#recent.get(String(orderId)) ?? this.#sumOf(orderId);
    const hasRoom = kept + bytes <= most;
    this.#recent.set(String(orderId), hasRoom ? kept + bytes : kept);
    return hasRoom;
  }

  /** These were not stored after all, or are not kept any more. */
  giveBack(orderId: number, bytes: number): void {
    const kept = this.#recent.get(String(orderId));
    if (kept !== undefined) this.#recent.set(String(orderId), kept - bytes);
  }
}
