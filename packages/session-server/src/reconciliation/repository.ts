import { FIRST_POLL_SECONDS, toAttempt } from '../checkouts/attempt-repository.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import { parseRefundMinor } from '../money.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Reader, Row, Transaction } from '../store/database.js';
import { sql } from '../store/sql.js';
import { timeOf } from './matching.js';
import type { PaymentHistory } from './payment-rules.js';

/** A transaction that was matched to an attempt. */
export interface PaymentEvidence {
  readonly transaction: string;
  readonly orderId: number;
  readonly status: string;
  /** Whether the row says money taken, or only money given back. */
  readonly isRefundRow: boolean;
  /** Whether the row of a payment may come after a row of its refund. Default true. */
  readonly joinsRefundRow?: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
  readonly refund: 'none' | 'partial' | 'full';
}

/** A transaction as it is kept: no names, no card digits. */
export interface StoredTransaction {
  readonly id: string;
  readonly orderId: number;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
}

/** A poll for an attempt that is due although no one waits for it. */
export interface DuePoll {
  readonly orderId: number;
  readonly checkout: string;
  readonly merchant: string;
  readonly providerMerchantId: number;
  readonly createdAt: number;
  /** How often it was due since its watch began. */
  readonly polls: number;
}

const MAX_POLL_PAUSE_SECONDS = 6 * 3600;

/** The provider's transactions that were matched to a checkout, oldest first. */
export async function findTransactions(
  reader: Reader,
  checkout: string,
): Promise<StoredTransaction[]> {
  const rows = await reader.all(sql`
    SELECT * FROM matched_transactions WHERE checkout = ${checkout}
    ORDER BY transaction_time, id`);
  return rows.map(toTransaction);
}

export async function findKnownTransaction(
  reader: Reader,
  id: string,
): Promise<(PaymentHistory['known'] & { readonly orderId: number }) | undefined> {
  const row = await reader.get(sql`SELECT * FROM matched_transactions WHERE id = ${id}`);
  return (
    row && {
      checkout: String(row['checkout']),
      isRefundRow: row['is_refund_row'] === 1,
      orderId: Number(row['order_id']),
    }
  );
}

/** What is known of the money of a checkout, for {@link planPayment}. */
export async function findMoney(
  reader: Reader,
  { id, paidBy, decimals }: Checkout,
): Promise<Pick<PaymentHistory, 'paymentRow' | 'refundedAt' | 'refundedMinor'>> {
  const rows = await reader.all(sql`
    SELECT * FROM matched_transactions WHERE checkout = ${id} ORDER BY recorded_at, id`);
  const refunds = rows.filter((row) => row['is_refund_row'] === 1);
  const payments = rows.filter((row) => row['is_refund_row'] !== 1);
  const payingRefund = refunds.find((row) => row['id'] === paidBy);
  const refundedAt = payingRefund && timeOf(toTransaction(payingRefund));
  // What paid it, or what joined a row of its refund. What came after that refund is another payment.
  const paymentRow = payments
    .toSorted((one, other) => Number(other['id'] === paidBy) - Number(one['id'] === paidBy))
    .map(toTransaction)
    .find((row) => (timeOf(row) ?? Infinity) <= (refundedAt ?? Infinity))?.id;
  const refundedMinor = refunds
    .filter((row) => row !== payingRefund)
    .reduce((sum, row) => sum + (parseRefundMinor(String(row['amount']), decimals) ?? 0), 0);
  return { paymentRow, refundedAt, refundedMinor };
}

/** Keeps a transaction as it was first seen; only its status follows the provider. */
export async function upsertTransaction(
  tx: Transaction,
  evidence: PaymentEvidence,
  checkout: string,
  now: number,
): Promise<void> {
  const row = sql.insert('matched_transactions', {
    id: evidence.transaction,
    checkout,
    order_id: evidence.orderId,
    status: evidence.status,
    is_refund_row: Number(evidence.isRefundRow),
    amount: evidence.amount,
    currency: evidence.currency,
    transaction_time: evidence.transactionTime,
    recorded_at: now,
  });
  await tx.run(sql`${row}
    ON CONFLICT (id) DO UPDATE SET status = excluded.status
    WHERE matched_transactions.status <> excluded.status`);
}

/** Plans the next poll for an attempt for now; its watch and its pauses start again. */
export async function pollSoon(tx: Transaction, orderId: number, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE attempts SET next_poll_at = ${now}, polls = 0, watched_from = ${now}
    WHERE order_id = ${orderId}`);
}

/** It has just been paid: the watch for refunds starts, at long pauses. */
export async function watchForRefunds(
  tx: Transaction,
  orderId: number,
  now: number,
): Promise<void> {
  await tx.run(sql`
    UPDATE attempts
    SET next_poll_at = coalesce(next_poll_at, ${now + MAX_POLL_PAUSE_SECONDS * 1000}),
      watched_from = ${now}
    WHERE order_id = ${orderId}`);
}

/**
 * Takes the attempts that are due for a poll, and plans the next poll of each, later and later. The
 * first poll after the end of a watch is its last.
 */
export async function claimDuePolls(
  tx: Transaction,
  limit: number,
  now: number,
  rules: Pick<CheckoutRules, 'watchSeconds' | 'refundWatchSeconds'>,
): Promise<DuePoll[]> {
  const rows = await tx.all(sql`
    SELECT attempts.*, checkouts.state AS checkout_state FROM attempts
    JOIN checkouts ON checkouts.id = attempts.checkout
    WHERE next_poll_at <= ${now} ORDER BY next_poll_at LIMIT ${limit}`);
  const due: DuePoll[] = [];
  for (const row of rows) {
    const { orderId, checkout, merchant, providerMerchantId, createdAt } = toAttempt(row);
    const polls = Number(row['polls']) + 1;
    const pauseSeconds = Math.min(FIRST_POLL_SECONDS * 2 ** polls, MAX_POLL_PAUSE_SECONDS);
    const isPaid = row['checkout_state'] === 'paid';
    const watchSeconds = isPaid ? rules.refundWatchSeconds : rules.watchSeconds;
    const isOver = now > Number(row['watched_from']) + watchSeconds * 1000;
    const next = isOver ? undefined : now + pauseSeconds * 1000;
    await tx.run(sql`
      UPDATE attempts SET polls = ${polls}, next_poll_at = ${next} WHERE order_id = ${orderId}`);
    due.push({ orderId, checkout, merchant, providerMerchantId, createdAt, polls });
  }
  return due;
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
