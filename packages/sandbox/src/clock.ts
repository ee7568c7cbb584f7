/** Timestamps have years of four digits. */
const FIRST_MOMENT = Date.parse('0000-01-01T00:00:00Z');
const AFTER_LAST_MOMENT = Date.parse('+010000-01-01T00:00:00Z');

/** The longest timer of Node. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1;

/** The sandbox's clock: real time plus an offset, so that a test can skip days, or a fixed time. */
export class VirtualClock {
  readonly #fixedAt: number | undefined;
  /** To real time; of a fixed clock, to 1970. */
  #offsetMilliseconds: number;
  readonly #waiting = new Set<() => void>();

  /** @param fixedAt where it stands still until it is moved. Default: it runs. */
  constructor(fixedAt?: Date) {
    this.#fixedAt = fixedAt?.getTime();
    this.#offsetMilliseconds = this.#fixedAt ?? 0;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#start() + this.#offsetMilliseconds;
  }

  /** ISO 8601 in UTC with milliseconds: the form of `transactionTime` (spec 2.1). */
  nowText(): string {
    return new Date(this.now()).toISOString();
  }

  /** How far the clock is from real time. */
  get offsetSeconds(): number {
    const isRunning = this.#fixedAt === undefined;
    return (isRunning ? this.#offsetMilliseconds : this.now() - Date.now()) / 1000;
  }

  /** Moves the clock forward, or back with a negative number. */
  advance(seconds: number): void {
    this.#moveBy(this.#offsetMilliseconds + seconds * 1000);
  }

  /** Sets the clock to a moment. It runs on from there, unless it is fixed. */
  set(moment: Date): void {
    this.#moveBy(moment.getTime() - this.#start());
  }

  /** Back to real time, or to where it was fixed. */
  reset(): void {
    this.#moveBy(this.#fixedAt ?? 0);
  }

  /** Waits until the clock has moved on by some seconds, or until the signal aborts. */
  async pause(seconds: number, signal?: AbortSignal): Promise<void> {
    const end = this.now() + seconds * 1000;
    while (signal?.aborted !== true && this.now() < end) await this.#untilMoved(end, signal);
  }

  /** Waits for a moment, a move of the clock or the signal, whichever is first. */
  #untilMoved(end: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const milliseconds = Math.min(Math.max(end - this.now(), 0), MAX_TIMER_MILLISECONDS);
      const isRunning = this.#fixedAt === undefined;
      const timer = isRunning ? setTimeout(finish, milliseconds).unref() : undefined;
      this.#waiting.add(finish);
      signal?.addEventListener('abort', finish);
    });
  }

  #start(): number {
    return this.#fixedAt === undefined ? Date.now() : 0;
  }

  #moveBy(offsetMilliseconds: number): void {
    const moment = this.#start() + offsetMilliseconds;
    if (!(moment >= FIRST_MOMENT && moment < AFTER_LAST_MOMENT)) {
      throw new RangeError('The clock goes from the year 0 to 9999.');
    }
    this.#offsetMilliseconds = offsetMilliseconds;
    for (const check of this.#waiting) check();
  }
}
