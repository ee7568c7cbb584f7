import type { Reader, Row } from '../store/database.js';
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
  if (checkouts.length === 0) return new Map();
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
  const columns = [
    [sql`id`, ids],
    [sql`reference`, references],
  ] as const;
  const ways = columns.flatMap(([column, values]) =>
    values.length === 0 ? [] : sql`account = ${account} AND ${column} IN ${sql.list(values)}`,
  );
  if (ways.length === 0) return [];
  const either = ways.reduce((one, other) => sql`${one} OR ${other}`);
  const rows = await reader.all(sql`SELECT order_id FROM matched_transactions WHERE ${either}`);
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
