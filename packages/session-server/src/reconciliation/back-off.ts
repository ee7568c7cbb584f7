import type { Clock } from '../clock.js';

const MAX_BACKOFF_MS = 60_000;
/** A provider that asks for a longer pause is asked again after this: nobody is paid meanwhile. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** A pause after a failure: twice as long after each one more in a row, up to a minute. */
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
   * Begins a pause; answers how many failures there were in a row.
   *
   * @param askedSeconds how long the provider asked to be left alone, at least
   */
  fail(askedSeconds = 0): number {
    this.#failures += 1;
    this.#failedAt = this.#clock.now();
    this.#pauseMs = Math.max(
      Math.min(this.#intervalMs * 2 ** this.#failures, MAX_BACKOFF_MS),
      Math.min(askedSeconds * 1000, MAX_RETRY_AFTER_MS),
    );
    return this.#failures;
  }

  /** Ends the pause: all went well. */
  reset(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  /** What is left of the pause, in milliseconds; 0 or less when it is over. */
  get leftMs(): number {
    return leftOf(this.#failedAt, this.#pauseMs, this.#clock.now());
  }
}

/** What is left of a pause; never more than the whole of it, also when the clock was set back. */
export function leftOf(startedAt: number, pauseMs: number, now: number): number {
  return Math.min(startedAt + pauseMs - now, pauseMs);
}
