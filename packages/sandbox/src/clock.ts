/** Timestamps have years of four digits. */
const FIRST_MOMENT = Date.parse('0000-01-01T00:00:00Z');
const AFTER_LAST_MOMENT = Date.parse('+010000-01-01T00:00:00Z');

/** The sandbox's clock: real time plus an offset, so that a test can skip days. */
export class VirtualClock {
  #offsetMilliseconds = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#offsetMilliseconds;
  }

  /** ISO 8601 in UTC with milliseconds: the form of `transactionTime` (spec 2.1). */
  nowText(): string {
    return new Date(this.now()).toISOString();
  }

  /** How far the clock is from real time. */
  get offsetSeconds(): number {
    return this.#offsetMilliseconds / 1000;
  }

  /** Moves the clock forward, or back with a negative number. */
  advance(seconds: number): void {
    this.#moveBy(this.#offsetMilliseconds + seconds * 1000);
  }

  /** Sets the clock to a moment. It runs on from there. */
  set(moment: Date): void {
    this.#moveBy(moment.getTime() - Date.now());
  }

  /** Back to real time. */
  reset(): void {
    this.#offsetMilliseconds = 0;
  }

  #moveBy(offsetMilliseconds: number): void {
    const moment = Date.now() + offsetMilliseconds;
    if (!(moment >= FIRST_MOMENT && moment < AFTER_LAST_MOMENT)) {
      throw new RangeError('The clock goes from the year 0 to 9999.');
    }
    this.#offsetMilliseconds = offsetMilliseconds;
  }
}
