import { FIRST_POLL_SECONDS, toAttempt } from '../checkouts/attempt-repository.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import type { ProviderMerchant } from '../provider/gateway.js';
import type { Reader, Row, Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import type { MatchedRow } from './payment-rules.js';

/** A transaction as it is kept: no names. */
export interface StoredTransaction {
  readonly id: string;
  readonly orderId: number;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
}

/** A poll for an attempt that is due although no one waits for it. */
export interface DuePoll extends ProviderMerchant {
  readonly orderId: number;
  readonly checkout: string;
  readonly merchant: string;
  readonly order: string;
  readonly createdAt: number;
  /** How often it was due since its watch began. */
  readonly polls: number;
}

const HOUR_MS = 3_600_000;
const MAX_POLL_PAUSE_MS = 6 * HOUR_MS;

/**
 * A poll for older rows reads the list back to its attempt, so those that are hours apart come together:
 * one read of the list serves all.
 */
function nextPollTime(now: number, pauseMs: number): number {
  if (pauseMs < HOUR_MS) return now + pauseMs;
  const togetherMs = pauseMs < MAX_POLL_PAUSE_MS ? HOUR_MS : MAX_POLL_PAUSE_MS;
  return Math.floor((now + pauseMs) / togetherMs) * togetherMs;
}

/** The provider's transactions that pay a checkout or refund it, oldest first. */
export async function findTransactions(
  reader: Reader,
  checkout: string,
): Promise<StoredTransaction[]> {
  return (await findTransactionsOf(reader, [checkout])).get(checkout) ?? [];
}

/** As {@link findTransactions}, of some checkouts, by their ids. */
export async function findTransactionsOf(
  reader: Reader,
  checkouts: readonly string[],
): Promise<ReadonlyMap<string, StoredTransaction[]>> {
  const rows = await reader.all(sql`
    SELECT * FROM matched_transactions
    WHERE checkout IN ${sql.list(checkouts)} AND (proves_price = 1 OR is_refund_row = 1)
    ORDER BY transaction_time, id`);
  const found = new Map<string, StoredTransaction[]>(checkouts.map((checkout) => [checkout, []]));
  for (const row of rows) found.get(String(row['checkout']))?.push(toTransaction(row));
  return found;
}

/** What is stored of a row of an account's list, whatever order it is of. */
export async function findKnownRow(
  reader: Reader,
  account: string,
  id: string,
): Promise<MatchedRow | undefined> {
  const row = await reader.get(
    sql`SELECT * FROM matched_transactions WHERE account = ${account} AND id = ${id}`,
  );
  return row && toMatchedRow(row);
}

/** All rows of some checkouts. */
export async function findMatchedRows(
  reader: Reader,
  checkouts: readonly string[],
): Promise<MatchedRow[]> {
  const rows = await reader.all(
    sql`SELECT * FROM matched_transactions WHERE checkout IN ${sql.list(checkouts)}`,
  );
  return rows.map(toMatchedRow);
}

/** The attempts of rows of an account with one of these ids, or with the value that a refund shares with its payment. */
export async function findPaymentOrderIds(
  reader: Reader,
  account: string,
  ids: readonly string[],
  references: readonly string[],
): Promise<number[]> {
  if (ids.length + references.length === 0) return [];
  const rows = await reader.all(sql`
    SELECT order_id FROM matched_transactions
    WHERE (account = ${account} AND id IN ${sql.list(ids)})
      OR (account = ${account} AND reference IN ${sql.list(references)})`);
  return rows.map((row) => Number(row['order_id']));
}

export function upsertRow(row: MatchedRow, now: number): Sql {
  const inserted = sql.insert('matched_transactions', {
    account: row.account,
    id: row.transaction,
    checkout: row.checkout,
    order_id: row.orderId,
    status: row.status,
    is_refund_row: Number(row.isRefundRow),
    proves_price: Number(row.provesPrice),
    amount: row.amount,
    taken_minor: row.takenMinor,
    refunded_minor: row.refundedMinor,
    reference: row.reference,
    currency: row.currency,
    transaction_time: row.transactionTime,
    recorded_at: now,
  });
  return sql`${inserted}
    ON CONFLICT (account, id) DO UPDATE SET checkout = excluded.checkout, order_id = excluded.order_id,
      status = excluded.status, is_refund_row = excluded.is_refund_row,
      proves_price = excluded.proves_price, amount = excluded.amount,
      taken_minor = excluded.taken_minor, refunded_minor = excluded.refunded_minor,
      reference = excluded.reference, currency = excluded.currency,
      transaction_time = excluded.transaction_time`;
}

/** Plans the next poll for an attempt for now; its watch and its pauses start again. */
export async function pollSoon(tx: Transaction, orderId: number, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE attempts SET next_poll_at = ${now}, polls = 0, watched_from = ${now}
    WHERE order_id = ${orderId}`);
}

/** Plans the next poll for an attempt for this time at the latest; its watch and its pauses go on. */
export async function pollBy(tx: Transaction, orderId: number, at: number): Promise<void> {
  await tx.run(sql`
    UPDATE attempts SET next_poll_at = ${at}
    WHERE order_id = ${orderId} AND (next_poll_at IS NULL OR next_poll_at > ${at})`);
}

/** Starts the watch for refunds of a payment just made, at long intervals. */
export async function watchForRefunds(
  tx: Transaction,
  orderId: number,
  now: number,
): Promise<void> {
  await tx.run(sql`
    UPDATE attempts
    SET next_poll_at = coalesce(next_poll_at, ${nextPollTime(now, MAX_POLL_PAUSE_MS)}),
      watched_from = ${now}
    WHERE order_id = ${orderId}`);
}

/**
 * Claims the attempts that are due for a poll, and schedules the next poll of each, at growing intervals.
 * The first poll after the end of a watch is its last.
 */
export async function claimDuePolls(
  tx: Transaction,
  limit: number,
  now: number,
  rules: Pick<CheckoutRules, 'watchSeconds' | 'refundWatchSeconds'>,
): Promise<DuePoll[]> {
  const rows = await tx.all(sql`
    SELECT attempts.*, (
      SELECT state FROM checkouts WHERE id = attempts.checkout
    ) AS checkout_state FROM attempts
    WHERE next_poll_at <= ${now} ORDER BY next_poll_at LIMIT ${limit}${tx.skipLocked}`);
  const due: DuePoll[] = [];
  for (const row of rows) {
    const { orderId, checkout, merchant, order, account, providerMerchantId, createdAt } =
      toAttempt(row);
    const polls = Number(row['polls']) + 1;
    const pauseMs = Math.min(FIRST_POLL_SECONDS * 1000 * 2 ** polls, MAX_POLL_PAUSE_MS);
    const isPaid = row['checkout_state'] === 'paid';
    const watchSeconds = isPaid ? rules.refundWatchSeconds : rules.watchSeconds;
    const isOver = now > Number(row['watched_from']) + watchSeconds * 1000;
    const next = isOver ? undefined : nextPollTime(now, pauseMs);
    await tx.run(sql`
      UPDATE attempts SET polls = ${polls}, next_poll_at = ${next} WHERE order_id = ${orderId}`);
    due.push({ orderId, checkout, merchant, order, account, providerMerchantId, createdAt, polls });
  }
  return due;
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

export function toMatchedRow(row: Row): MatchedRow {
  return {
    account: String(row['account']),
    transaction: String(row['id']),
    checkout: String(row['checkout']),
    orderId: Number(row['order_id']),
    status: String(row['status']),
    isRefundRow: row['is_refund_row'] === 1,
    provesPrice: row['proves_price'] === 1,
    amount: String(row['amount']),
    takenMinor: Number(row['taken_minor']),
    refundedMinor: Number(row['refunded_minor']),
    reference: typeof row['reference'] === 'string' ? row['reference'] : undefined,
    currency: String(row['currency']),
    transactionTime: String(row['transaction_time']),
  };
}

function toTransaction(row: Row): StoredTransaction {
  return {
    id: String(row['id']),
    orderId: Number(row['order_id']),
    status: String(row['status']),
    amount: String(row['amount']),
    currency: String(row['currency']),
    transactionTime: String(row['transaction_time']),
  };
}
