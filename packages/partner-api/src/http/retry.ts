import {
  ConnectionError,
  type Effect,
  InvalidResponseError,
  type PartnerApiError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../errors.js';

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
