/** Hints, as they are stored: when an attempt is polled for next, and how far back. */
import type { Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** From a page that says "submitted" to the poll for it: a provider lists no payment sooner. */
export const SUBMITTED_DELAY_MS = 1500;

/**
 * A hint that an attempt may have been paid: it is polled for at `at`, by a read that begins after the
 * hint. Its watch and its pauses start again.
 *
 * @param anonymousWatchSeconds set where anyone may have given the hint: then no poll reads further back
 *   than an unpaid attempt is watched
 */
export function requestPoll(
  tx: Transaction,
  orderId: number,
  {
    now,
    at = now,
    anonymousWatchSeconds,
  }: { readonly now: number; readonly at?: number; readonly anonymousWatchSeconds?: number },
): void {
  const from =
    anonymousWatchSeconds === undefined ? sql`NULL` : pollFrom(now, anonymousWatchSeconds);
  tx.queue(sql`
    UPDATE attempts SET hints = hints + 1, poll_from = ${from}, polls = 0, watched_from = ${now},
      ${pollAt(now, at)}
    WHERE order_id = ${orderId}`);
}

/** Plans the next poll for an attempt for `at` at the latest; its watch and its pauses go on. */
export function pollBy(
  tx: Transaction,
  orderId: number,
  { now, at }: { readonly now: number; readonly at: number },
): void {
  tx.queue(sql`UPDATE attempts SET ${pollAt(now, at)} WHERE order_id = ${orderId}`);
}

/**
 * Where an attempt is due already, the read for it may have begun: then another follows at this time.
 * `poll_by` changes each time, so a read that ends can tell whether that was asked for since it began.
 */
function pollAt(now: number, at: number): Sql {
  return sql`next_poll_at = ${earlierPoll(sql`${at}`)}, poll_by = CASE
      WHEN next_poll_at > ${now} THEN poll_by
      WHEN poll_by <= ${at} THEN poll_by - 1 ELSE ${at} END`;
}

/** A time to poll at: this one, or an earlier one that is stored. */
export function earlierPoll(at: Sql): Sql {
  return sql`CASE WHEN next_poll_at <= ${at} THEN next_poll_at ELSE ${at} END`;
}

/** How far back to read for an attempt whose watch is over; as far as before where it goes on. */
export function pollFrom(now: number, watchSeconds: number): Sql {
  const earliest = now - watchSeconds * 1000;
  return sql`CASE WHEN next_poll_at IS NULL AND created_at < ${earliest} THEN ${earliest}
    ELSE poll_from END`;
}
