/** When attempts are polled for: what is stored of it with each attempt. */
import { earlierPoll, pollFrom } from '../checkouts/poll-requests.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import { keyOf, type ProviderMerchant, type TransactionList } from '../provider/gateway.js';
import {
  type Database,
  optionalNumber,
  type Reader,
  type Row,
  type Transaction,
} from '../store/database.js';
import { sql } from '../store/sql.js';
import type { DuePoll, PollResult } from './list-reader.js';
import { nextPoll, nextRefundPoll, openPauseMs, RETRY_PAUSE_MS } from './next-poll.js';
import type { ReadLease } from './read-lease.js';

/** Attempts that one statement changes. */
const IN_STATEMENT = 500;

/** An attempt that is due to be polled for. */
export interface DueAttempt extends DuePoll {
  readonly orderId: number;
  readonly checkout: string;
  readonly merchant: string;
  readonly nextPollAt: number;
  /** How many hints came: one that came since the read began is not answered by it. */
  readonly hints: number;
  /** When another poll was requested for while this one was due. */
  readonly pollBy: number | undefined;
  readonly polls: number;
  readonly watchedFrom: number;
  readonly askedAt: number | undefined;
  readonly isCheckoutPaid: boolean;
  readonly isPaymentPending: boolean;
  readonly settlesAt: number | undefined;
}

/** Where attempts that are due were made. */
export async function findDuePlaces(reader: Reader, now: number): Promise<ProviderMerchant[]> {
  const rows = await reader.all(sql`
    SELECT account, provider_merchant_id FROM attempts WHERE next_poll_at <= ${now}`);
  const places = rows.map((row) => ({
    account: String(row['account']),
    providerMerchantId: Number(row['provider_merchant_id']),
  }));
  return [...new Map(places.map((place) => [keyOf(place), place])).values()];
}

/** The attempts at a list that are due, with what decides when they are due next. */
export async function findDueAttempts(
  reader: Reader,
  { account, providerMerchantId }: TransactionList,
  now: number,
  settleWindowSeconds: number,
): Promise<DueAttempt[]> {
  const ofMerchant =
    providerMerchantId === undefined
      ? sql``
      : sql`AND attempts.provider_merchant_id = ${providerMerchantId}`;
  const rows = await reader.all(sql`
    SELECT attempts.order_id, attempts.checkout, attempts.merchant, attempts.created_at,
      attempts.poll_from, attempts.next_poll_at, attempts.hints, attempts.poll_by,
      attempts.polls, attempts.watched_from, attempts.asked_at, checkouts.state, checkouts.settle_by,
      checkouts.submitted_at
    FROM attempts JOIN checkouts ON checkouts.id = attempts.checkout
    WHERE attempts.next_poll_at <= ${now} AND attempts.account = ${account} ${ofMerchant}`);
  return rows.map((row) => toDueAttempt(row, settleWindowSeconds));
}

/**
 * Plans the next poll of attempts that were polled for. One for which a hint came since the read began is
 * polled for when that hint asked for it.
 *
 * @param isStored whether what was read of an attempt was stored; where it was not, it is read for again soon
 * @param reportsSubmitted whether the SDK of a merchant is known to report submitted payments
 * @param lease nothing is written by a server that has lost it
 */
export async function planNextPolls(
  database: Database,
  attempts: readonly DueAttempt[],
  options: {
    /** When the read began. */
    readonly readAt: number;
    readonly now: number;
    readonly result: PollResult;
    readonly rules: CheckoutRules;
    readonly isStored: (orderId: number) => boolean;
    readonly reportsSubmitted: (merchant: string) => boolean;
    readonly lease?: ReadLease | undefined;
  },
): Promise<void> {
  const { readAt, now, result, rules, isStored, reportsSubmitted, lease } = options;
  const times = attempts.map((attempt) => {
    const polls = attempt.polls + 1;
    const known = {
      ...attempt,
      readAt,
      polls,
      reportsSubmitted: reportsSubmitted(attempt.merchant),
    };
    const orRetry = (at: number | undefined) =>
      isStored(attempt.orderId) ? at : Math.min(at ?? Infinity, now + RETRY_PAUSE_MS);
    return {
      attempt,
      at: orRetry(nextPoll({ ...known, isPaid: false }, now, rules)),
      refundAt: orRetry(nextPoll({ ...known, isPaid: true, isCheckoutPaid: true }, now, rules)),
      openAt: now + openPauseMs(known.reportsSubmitted),
    };
  });
  for (let from = 0; from < times.length; from += IN_STATEMENT) {
    const rows = times.slice(from, from + IN_STATEMENT).map(({ attempt, at, refundAt, openAt }) => {
      const { orderId, nextPollAt, hints, pollBy = 0, askedAt = 0 } = attempt;
      return [orderId, nextPollAt, hints, pollBy, askedAt, at, refundAt, openAt];
    });
    const columns = [
      'id',
      'due_at',
      'hints',
      'poll_by',
      'asked_at',
      'next_at',
      'refund_at',
      'open_at',
    ];
    const polled = sql.values('polled', columns, rows);
    await database.write(
      (unsynced) => sql`
        WITH ${polled}
        UPDATE attempts SET polled_at = ${now}, poll_result = ${result}, poll_by = NULL,
          polls = CASE WHEN attempts.hints = polled.hints THEN attempts.polls + 1 ELSE attempts.polls END,
          next_poll_at = CASE
            WHEN attempts.poll_by <> polled.poll_by THEN attempts.poll_by
            WHEN EXISTS (
              SELECT 1 FROM matched_transactions WHERE checkout = attempts.checkout
                AND order_id = attempts.order_id AND proves_price = 1
            ) THEN polled.refund_at
            WHEN attempts.asked_at > polled.asked_at
              AND (polled.next_at IS NULL OR polled.next_at > polled.open_at) THEN polled.open_at
            ELSE polled.next_at END
        FROM polled
        WHERE attempts.order_id = polled.id AND attempts.next_poll_at = polled.due_at
          ${lease?.guard ?? sql``} ${unsynced}
        RETURNING order_id`,
    );
  }
}

/** Notes that a read for attempts failed, or was cut off: they are due still. */
export async function notePollResult(
  database: Database,
  attempts: readonly DueAttempt[],
  {
    now,
    result,
    lease,
  }: {
    readonly now: number;
    readonly result: PollResult;
    readonly lease: ReadLease | undefined;
  },
): Promise<void> {
  for (let from = 0; from < attempts.length; from += IN_STATEMENT) {
    const ids = attempts.slice(from, from + IN_STATEMENT).map(({ orderId }) => orderId);
    await database.write(
      (unsynced) => sql`
        UPDATE attempts SET polled_at = ${now}, poll_result = ${result}
        WHERE order_id IN ${sql.list(ids)} ${lease?.guard ?? sql``} ${unsynced} RETURNING order_id`,
    );
  }
}

/** A page asks for the state of checkouts, which anyone may: their attempts are polled for soon. */
export async function noteAsked(
  database: Database,
  checkouts: readonly string[],
  {
    now,
    pauseMs,
    watchSeconds,
  }: { readonly now: number; readonly pauseMs: number; readonly watchSeconds: number },
): Promise<void> {
  const at = sql`CASE WHEN coalesce(polled_at, created_at) + ${pauseMs} > ${now}
    THEN coalesce(polled_at, created_at) + ${pauseMs} ELSE ${now} END`;
  await database.write(
    (unsynced) => sql`
      UPDATE attempts SET asked_at = ${now}, poll_from = ${pollFrom(now, watchSeconds)},
        next_poll_at = ${earlierPoll(at)}
      WHERE checkout IN ${sql.list(checkouts)} AND status IN ('active', 'superseded', 'unknown')
        ${unsynced}
      RETURNING order_id`,
  );
}

/** Starts the watch for refunds of a payment just made. */
export function watchForRefunds(tx: Transaction, orderId: number, now: number): void {
  tx.queue(sql`
    UPDATE attempts
    SET next_poll_at = coalesce(next_poll_at, ${nextRefundPoll(now)}), watched_from = ${now}
    WHERE order_id = ${orderId}`);
}

/** How many attempts are polled for at each provider account. */
export async function countWatchedAttempts(
  reader: Reader,
): Promise<{ readonly account: string; readonly attempts: number }[]> {
  const rows = await reader.all(sql`
    SELECT account, count(*) AS attempts FROM attempts
    WHERE next_poll_at IS NOT NULL GROUP BY account`);
  return rows.map((row) => ({
    account: String(row['account']),
    attempts: Number(row['attempts']),
  }));
}

function toDueAttempt(row: Row, settleWindowSeconds: number): DueAttempt {
  const orderId = Number(row['order_id']);
  const nextPollAt = Number(row['next_poll_at']);
  const hints = Number(row['hints']);
  const submittedAt = optionalNumber(row['submitted_at']);
  const state = String(row['state']);
  return {
    key: `${String(orderId)} ${String(hints)} ${String(nextPollAt)}`,
    sinceMs: optionalNumber(row['poll_from']) ?? Number(row['created_at']),
    orderId,
    checkout: String(row['checkout']),
    merchant: String(row['merchant']),
    nextPollAt,
    hints,
    pollBy: optionalNumber(row['poll_by']),
    polls: Number(row['polls']),
    watchedFrom: Number(row['watched_from']),
    askedAt: optionalNumber(row['asked_at']),
    isCheckoutPaid: state === 'paid',
    isPaymentPending: state === 'returned' || state === 'unconfirmed' || submittedAt !== undefined,
    settlesAt:
      submittedAt === undefined
        ? optionalNumber(row['settle_by'])
        : submittedAt + settleWindowSeconds * 1000,
  };
}
