/** Deliveries that come closer together than this belong to one burst. */
const GAP_MS = 20;
/** A burst that lasts longer is no burst any more, but the way things are. */
const LONGEST_MS = 1000;

/**
 * Whether deliveries are coming one after the other just now. While they do, storing and answering
 * them comes first: their sender has a time limit, and the work on them has none.
 */
export class Burst {
  /** How long to wait before asking again. */
  static readonly gapMs = GAP_MS;
  #firstAt = -Infinity;
  #lastAt = -Infinity;

  /** @param now milliseconds of a clock that never jumps, here as below */
  note(now: number): void {
    if (now - this.#lastAt >= GAP_MS) this.#firstAt = now;
    this.#lastAt = now;
  }

  isOn(now: number): boolean {
    return now - this.#lastAt < GAP_MS && now - this.#firstAt < LONGEST_MS;
  }
}
