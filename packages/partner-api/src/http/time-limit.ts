/** The passing of time, replaceable in tests. */
export interface Clock {
  /** Milliseconds since 1970: only to read an HTTP date. */
  now(): number;
  /** Milliseconds that never jump: for every duration. */
  monotonic(): number;
  /** Calls back once; the returned function forgets it. */
  startTimer(callback: () => void, milliseconds: number): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  startTimer: (callback, milliseconds) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Which limit ran out: of one attempt, or of the whole call with its pauses. */
export type TimeLimit = 'attempt' | 'call';

/** The reason with which a signal is aborted when its time is over. */
export class TimeLimitReached extends Error {
  static {
    this.prototype.name = 'TimeLimitReached';
  }
  readonly limit: TimeLimit;
  readonly seconds: number;

  constructor(limit: TimeLimit, seconds: number) {
    super(`the time limit of the ${limit} was reached after ${seconds} s`);
    this.limit = limit;
    this.seconds = seconds;
  }
}

/** A time limit to work under. */
export interface TimeLimitOptions {
  readonly limit: TimeLimit;
  /** How long the limit is. */
  readonly seconds: number;
  /** How much of it is left. Default: all of it. */
  readonly millisecondsLeft?: number | undefined;
  /** Aborts the work as well, with its own reason. */
  readonly parent?: AbortSignal | undefined;
}

/**
 * Starts a time limit: `signal` is aborted when it is reached, or by the parent signal. After `end`
 * no timer and no listener is left. (`AbortSignal.any` would leave its release to the garbage
 * collector.)
 */
export function startTimeLimit(
  clock: Clock,
  { limit, seconds, millisecondsLeft = seconds * 1000, parent }: TimeLimitOptions,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const followParent = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) followParent();
  parent?.addEventListener('abort', followParent, { once: true });
  const cancelTimer = clock.startTimer(
    () => controller.abort(new TimeLimitReached(limit, seconds)),
    millisecondsLeft,
  );
  return {
    signal: controller.signal,
    end: () => {
      cancelTimer();
      parent?.removeEventListener('abort', followParent);
    },
  };
}

/** Waits; rejects with the signal's reason when it is aborted. Leaves no timer and no listener. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = (): void => end(() => reject(signal?.reason as Error));
    const cancelTimer = clock.startTimer(() => end(resolve), milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
}
