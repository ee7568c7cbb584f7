/** When an attempt is polled for next: the whole pacing, pure. */
import type { CheckoutRules } from '../checkouts/rules.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a page counts as open after its last request, which waits for up to 25 s. */
const PAGE_OPEN_MS = 30 * SECOND_MS;
/** How long a payment is expected every few seconds after a hint. */
const EXPECTED_MS = 2 * MINUTE_MS;
/** Pauses while a payment is expected; the last one repeats. */
const EXPECTED_PAUSES_MS = [2 * SECOND_MS, 3 * SECOND_MS, 5 * SECOND_MS, 8 * SECOND_MS];
/** While a page waits for a payment that takes longer, this share of the time since the hint. */
const WAITING_SHARE = 30;
/** The pause before a poll that a page asks for while a payment is pending. */
export const PENDING_PAUSE_MS = 2 * SECOND_MS;
/** The pause before an order is read for again that could not be stored. */
export const RETRY_PAUSE_MS = MINUTE_MS;
/** Pauses while a form is open in which nothing was submitted. */
const OPEN_PAUSE_MS = 30 * SECOND_MS;
/** The same with an SDK that may not report that a payment was submitted. */
const SILENT_SDK_PAUSE_MS = 3 * SECOND_MS;
/** The first of the growing pauses. */
const FIRST_PAUSE_MS = MINUTE_MS;
const MAX_PAUSE_MS = 6 * HOUR_MS;

/** What decides when an attempt is polled for. Times are in milliseconds since 1970. */
export interface PolledAttempt {
  /** When the poll that has just ended began to read. */
  readonly readAt: number;
  /** Polls since the last hint, with that one. */
  readonly polls: number;
  /** When its watch began: with the last hint or, where there was none, with the attempt. */
  readonly watchedFrom: number;
  /** When a page last asked for the state of its checkout. */
  readonly askedAt: number | undefined;
  /** Whether a payment in this attempt is proved: only refunds are polled for. */
  readonly isPaid: boolean;
  readonly isCheckoutPaid: boolean;
  /** Whether a shopper came back from paying, or has submitted a payment. */
  readonly isPaymentPending: boolean;
  /** When the settle window of that payment ends: a read after it says that there is none. */
  readonly settlesAt: number | undefined;
  /** Whether the SDK of its merchant is known to report submitted payments. */
  readonly reportsSubmitted: boolean;
}

/**
 * When to poll again after a poll that ended at `now`; undefined when its watch is over. The first poll
 * that begins after the end of a watch is the last one.
 */
export function nextPoll(
  attempt: PolledAttempt,
  now: number,
  rules: Pick<CheckoutRules, 'watchSeconds' | 'refundWatchSeconds'>,
): number | undefined {
  const { readAt, watchedFrom, askedAt, isPaid, isCheckoutPaid, isPaymentPending } = attempt;
  const watchSeconds = isCheckoutPaid ? rules.refundWatchSeconds : rules.watchSeconds;
  if (readAt > watchedFrom + watchSeconds * SECOND_MS) return undefined;
  if (isPaid) return nextRefundPoll(now);
  const isExpected = isPaymentPending && !isCheckoutPaid;
  if (isExpected && now < watchedFrom + EXPECTED_MS) return now + expectedPauseMs(attempt.polls);
  // The first read after the settle window concludes that there is no payment.
  const settlesAt = isExpected ? (attempt.settlesAt ?? 0) : 0;
  // As long again as it was watched for: each pause is about twice the one before.
  const growingMs = Math.min(Math.max(FIRST_PAUSE_MS, now - watchedFrom), MAX_PAUSE_MS);
  const growing = together(
    now,
    settlesAt > readAt ? Math.min(growingMs, Math.max(settlesAt - now, 0)) : growingMs,
  );
  const isPageOpen = askedAt !== undefined && now < askedAt + PAGE_OPEN_MS;
  if (!isPageOpen || isCheckoutPaid) return growing;
  const openMs = openPauseMs(attempt.reportsSubmitted);
  // Someone waits for the outcome.
  const waitingMs = Math.max(expectedPauseMs(Infinity), (now - watchedFrom) / WAITING_SHARE);
  return Math.min(growing, now + (isExpected ? Math.min(openMs, waitingMs) : openMs));
}

/** When to poll next for a refund of a payment. */
export function nextRefundPoll(now: number): number {
  return together(now, MAX_PAUSE_MS);
}

/** The pause between two polls while a page shows a form in which nothing was submitted. */
export function openPauseMs(reportsSubmitted: boolean): number {
  return reportsSubmitted ? OPEN_PAUSE_MS : SILENT_SDK_PAUSE_MS;
}

function expectedPauseMs(polls: number): number {
  return EXPECTED_PAUSES_MS[Math.min(polls, EXPECTED_PAUSES_MS.length) - 1] ?? 0;
}

/**
 * A poll for an older attempt reads the list back to it, so polls that are hours apart come together: one
 * read serves all.
 */
function together(now: number, pauseMs: number): number {
  if (pauseMs < HOUR_MS) return now + pauseMs;
  const gridMs = pauseMs < MAX_PAUSE_MS ? HOUR_MS : MAX_PAUSE_MS;
  return Math.floor((now + pauseMs) / gridMs) * gridMs;
}
