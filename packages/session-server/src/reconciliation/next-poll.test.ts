import { describe, expect, it } from 'vitest';
import { nextPoll, type PolledAttempt } from './next-poll.js';

const NOW = Date.parse('2026-01-20T12:00:00.000Z');
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const RULES = { watchSeconds: (14 * DAY_MS) / 1000, refundWatchSeconds: (90 * DAY_MS) / 1000 };

const ATTEMPT: PolledAttempt = {
  readAt: NOW,
  polls: 1,
  watchedFrom: NOW - MINUTE_MS,
  askedAt: undefined,
  isPaid: false,
  isCheckoutPaid: false,
  isPaymentPending: false,
  settlesAt: undefined,
  reportsSubmitted: true,
};

/** The pause after a poll now, in seconds. */
function pauseOf(changes: Partial<PolledAttempt>): number | undefined {
  const at = nextPoll({ ...ATTEMPT, ...changes }, NOW, RULES);
  return at === undefined ? undefined : (at - NOW) / SECOND_MS;
}

describe('the next poll for an attempt', () => {
  const pending = { isPaymentPending: true, watchedFrom: NOW - 10 * SECOND_MS };

  it.each([
    [1, 2],
    [2, 3],
    [3, 5],
    [4, 8],
    [5, 8],
    [17, 8],
  ])('comes after %i polls since a hint of payment in %i s', (polls, seconds) => {
    expect(pauseOf({ ...pending, polls })).toBe(seconds);
  });

  it('comes more and more rarely when no payment was found for two minutes', () => {
    const after = (ms: number) => pauseOf({ isPaymentPending: true, watchedFrom: NOW - ms });
    expect(after(2 * MINUTE_MS)).toBe(120);
    expect(after(8 * MINUTE_MS)).toBe(480);
    // Hours apart, polls come together: one read of the list serves all.
    expect(nextPoll({ ...ATTEMPT, watchedFrom: NOW - 3 * HOUR_MS }, NOW, RULES)).toBe(
      nextPoll({ ...ATTEMPT, watchedFrom: NOW - 3 * HOUR_MS }, NOW + 20 * MINUTE_MS, RULES),
    );
    expect(after(5 * DAY_MS)).toBeLessThanOrEqual(6 * 3600);
  });

  it('comes when the settle window of a submitted payment ends', () => {
    const watchedFrom = NOW - 4 * MINUTE_MS;
    const settlesAt = NOW + MINUTE_MS;
    const submitted = { isPaymentPending: true, watchedFrom };
    expect(pauseOf({ ...submitted, settlesAt })).toBe(60);
    // The window ended during the read.
    expect(pauseOf({ ...submitted, settlesAt: NOW - 1, readAt: NOW - 2 })).toBe(0);
    expect(pauseOf({ ...submitted, settlesAt: NOW - 1 })).toBe(240);
  });

  it('comes every 30 s while a page shows the form of an SDK that reports payments', () => {
    const open = { askedAt: NOW - 20 * SECOND_MS, watchedFrom: NOW - HOUR_MS };
    expect(pauseOf(open)).toBe(30);
    expect(pauseOf({ ...open, reportsSubmitted: false })).toBe(3);
    // It waits for the outcome of a payment.
    const waiting = { ...open, isPaymentPending: true };
    expect(pauseOf({ ...waiting, watchedFrom: NOW - 3 * MINUTE_MS })).toBe(8);
    expect(pauseOf({ ...waiting, watchedFrom: NOW - 10 * MINUTE_MS })).toBe(20);
    expect(pauseOf(waiting)).toBe(30);
    // Its page is gone.
    expect(pauseOf({ ...open, askedAt: NOW - 31 * SECOND_MS })).toBeGreaterThan(60);
  });

  it('comes only for refunds, hours apart, once the attempt is paid, whoever asks', () => {
    const paid = { isPaid: true, isCheckoutPaid: true, askedAt: NOW };
    expect(nextPoll({ ...ATTEMPT, ...paid }, NOW + 1, RULES)).toBe(NOW + 6 * HOUR_MS);
  });

  it('comes no more when its watch is over, which lasts longer for refunds', () => {
    const watchedFrom = NOW - 15 * DAY_MS;
    expect(pauseOf({ watchedFrom })).toBeUndefined();
    // The watch ended during the read.
    expect(pauseOf({ watchedFrom, readAt: NOW - 2 * DAY_MS })).toBeDefined();
    expect(pauseOf({ watchedFrom, isPaid: true, isCheckoutPaid: true })).toBeDefined();
    expect(
      pauseOf({ watchedFrom: NOW - 91 * DAY_MS, isPaid: true, isCheckoutPaid: true }),
    ).toBeUndefined();
  });
});
