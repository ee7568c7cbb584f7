import {
  ConnectionError,
  type Effect,
  InvalidResponseError,
  type PartnerApiError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../errors.js';

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

const FIRST_PAUSE_SECONDS = 0.25;
const LONGEST_PAUSE_SECONDS = 8;

/**
 * Whether a failed attempt may be repeated.
 *
 * A read or a set: after any failure that may pass. A create: once, and only when no byte of it was
 * sent; never after a refusal, and never when it may have been carried out. A once: never. With
 * `retriesRateLimit` both also after a 429, which says that nothing was done.
 */
export function mayRepeat(
  effect: Effect,
  error: PartnerApiError,
  limits: {
    readonly attempt: number;
    readonly maxRetries: number;
    readonly retriesRateLimit: boolean;
  },
): boolean {
  const { attempt, maxRetries, retriesRateLimit } = limits;
  if (attempt > maxRetries) return false;
  if (retriesRateLimit && error instanceof RateLimitError) return true;
  if (effect === 'once') return false;
  if (effect === 'create') return attempt === 1 && error.outcome === 'not_sent' && mayPass(error);
  return mayPass(error);
}

/** No attempt is ended earlier to make room for another one. */
const MIN_ATTEMPT_SECONDS = 10;

/**
 * How long an attempt may take: an equal share of the time left, so that a stalled one leaves time to
 * try again. All of it where a timeout is never followed by another attempt.
 */
export function attemptSeconds(
  effect: Effect,
  secondsLeft: number,
  attemptsAfterIt: number,
): number {
  if (effect === 'create' || effect === 'once') return secondsLeft;
  return Math.max(MIN_ATTEMPT_SECONDS, secondsLeft / (attemptsAfterIt + 1));
}

function mayPass(error: PartnerApiError): boolean {
  if (error instanceof ServerError) return error.status !== 501 && error.status !== 505;
  if (error instanceof InvalidResponseError) {
    return error.problem === 'cut_off' || error.problem === 'not_json';
  }
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof RateLimitError ||
    error.status === 408 ||
    error.status === 425
  );
}

/**
 * The pause before the next attempt: full jitter (anything from nothing to a limit that doubles),
 * and never less than what the provider asked for.
 */
export function pauseSeconds(
  attempt: number,
  random: () => number,
  retryAfterSeconds: number | undefined,
): number {
  const limit = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1));
  return Math.max(random() * limit, retryAfterSeconds ?? 0);
}

/**
 * Reads `Retry-After` in both its forms: seconds, or an HTTP date. A date is compared with the
 * answer's own `Date` where there is one, so that a wrong clock on either side does not matter.
 */
export function parseRetryAfter(
  headers: Readonly<Record<string, string>>,
  nowMilliseconds: number,
): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/[a-z]/i.test(text)) return undefined;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const answered = Date.parse(headers['date'] ?? '');
  return Math.max(0, (until - (Number.isNaN(answered) ? nowMilliseconds : answered)) / 1000);
}
