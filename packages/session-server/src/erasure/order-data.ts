import { toCheckout } from '../checkouts/repository.js';
import { erasePayment } from '../checkouts/state-machine.js';
import type { PaymentFacts } from '../contract.js';
import { type OrderKey, touchOrder } from '../orders/repository.js';
import type { Reader, Row, Transaction } from '../store/database.js';
import { Sql, sql } from '../store/sql.js';

/** The data of orders in one table. */
interface OrderTable {
  /** The condition that its rows meet. */
  readonly of: (key: OrderKey) => Sql;
  /** Columns that stay when the order is erased: the money trail. */
  readonly keeps: readonly string[];
  /** Columns that are emptied, in whole or in part; undefined: the rows are deleted. */
  readonly erases?: readonly string[];
}

const ofOrder = ({ merchant, order }: OrderKey): Sql =>
  sql`merchant = ${merchant} AND order_name = ${order}`;
const ofCheckouts = (key: OrderKey): Sql =>
  sql`checkout IN (SELECT id FROM checkouts WHERE ${ofOrder(key)})`;
const ofAttempts = (key: OrderKey): Sql =>
  sql`order_id IN (SELECT order_id FROM attempts WHERE ${ofCheckouts(key)})`;

/**
 * Every table with data of orders. Its name, amounts, states and the ids and times of its payments
 * stay: they are accounting records, and keep the order from being paid twice.
 */
export const ORDER_TABLES = {
  orders: {
    of: ofOrder,
    keeps: [
      ...['merchant', 'order_name', 'state', 'created_at', 'updated_at', 'renewed_at', 'erased_at'],
      ...['is_void', 'order_version', 'amount_minor', 'currency', 'decimals', 'split'],
      'removed_at',
    ],
    erases: ['return_url', 'sealed', 'email_digest'],
  },
  checkouts: {
    of: ofOrder,
    keeps: [
      ...['number', 'id', 'merchant', 'order_name', 'order_version', 'amount_minor', 'currency'],
      ...['decimals', 'state', 'revision', 'sequence', 'refund', 'refunded_minor', 'attention'],
      ...['created_at', 'expires_at', 'settle_by', 'paid_by', 'due_at', 'request_id'],
      ...['submitted_at', 'superseded_by'],
      ...['price_check_at', 'is_erased', 'resolved_attention'],
    ],
    erases: ['shop_version', 'return_url', 'payment'],
  },
  attempts: {
    of: ofCheckouts,
    keeps: [
      ...['order_id', 'merchant_reference', 'checkout', 'merchant', 'order_name'],
      ...['account', 'provider_merchant_id', 'status', 'is_active', 'is_renewal', 'lease_until'],
      ...['created_at', 'submitted_at', 'failure_reported_at', 'next_poll_at', 'polls'],
      ...['watched_from', 'active_since', 'hints', 'poll_from', 'poll_by', 'asked_at', 'polled_at'],
      ...['poll_result', 'request_id'],
      // Hashes of random tokens: a shopper who comes back still finds the shop.
      ...['return_token', 'cancel_token', 'back_token', 'webhook_token'],
    ],
    erases: ['session_id'],
  },
  matched_transactions: {
    of: ofCheckouts,
    keeps: [
      ...['account', 'id', 'checkout', 'order_id', 'status', 'is_refund_row', 'proves_price'],
      ...['amount', 'taken_minor', 'refunded_minor', 'reference', 'currency', 'transaction_time'],
      'recorded_at',
    ],
    erases: [],
  },
  outbox_events: {
    of: ofCheckouts,
    keeps: [
      ...['id', 'checkout', 'merchant', 'type', 'sequence', 'status', 'tries', 'due_at'],
      ...['created_at', 'position'],
    ],
    erases: ['body'],
  },
  audit: {
    of: ofOrder,
    keeps: ['id', 'at', 'actor', 'action', 'merchant', 'order_name', 'target'],
    erases: ['note'],
  },
  order_log: { of: ofOrder, keeps: [] },
  webhooks: { of: ofAttempts, keeps: [] },
  webhook_references: {
    of: (key) => sql`webhook IN (SELECT id FROM webhooks WHERE ${ofAttempts(key)})`,
    keeps: [],
  },
} satisfies Record<string, OrderTable>;

type TableName = keyof typeof ORDER_TABLES;

/** Everything stored about an order, by table. */
export async function exportOrder(
  reader: Reader,
  key: OrderKey,
): Promise<Record<TableName, Row[]>> {
  const found: Partial<Record<TableName, Row[]>> = {};
  for (const [table, { of }] of Object.entries(ORDER_TABLES)) {
    const select = new Sql([`SELECT * FROM ${table} WHERE `], []);
    found[table as TableName] = await reader.all(sql`${select}${of(key)}`);
  }
  return found as Record<TableName, Row[]>;
}

/** The merchants that have an order of this name. */
export async function findMerchantsOf(reader: Reader, order: string): Promise<string[]> {
  const rows = await reader.all(
    sql`SELECT merchant FROM orders WHERE order_name = ${order} ORDER BY merchant`,
  );
  return rows.map((row) => String(row['merchant']));
}

/** Orders that were put, and got their last checkout, before a time, and were not erased since. */
export async function findOrdersToErase(
  reader: Reader,
  { from, before, limit }: { from: number; before: number; limit: number },
): Promise<(OrderKey & { readonly renewedAt: number })[]> {
  const rows = await reader.all(sql`
    SELECT merchant, order_name, renewed_at FROM orders
    WHERE erased_at IS NULL AND renewed_at >= ${from} AND renewed_at < ${before}
    ORDER BY renewed_at LIMIT ${limit}`);
  return rows.map((row) => ({
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    renewedAt: Number(row['renewed_at']),
  }));
}

/** Whether an order was put, or got a checkout, after it was found. */
export async function wasRenewed(
  reader: Reader,
  found: OrderKey & { readonly renewedAt: number },
): Promise<boolean> {
  const row = await reader.get(sql`SELECT renewed_at FROM orders WHERE ${ofOrder(found)}`);
  return Number(row?.['renewed_at']) > found.renewedAt;
}

/**
 * Erases all but the accounting records. `open`: a shopper may be paying, so nothing was changed.
 * `waiting`: events that are not yet delivered keep their body until then; the rest is erased.
 */
export async function eraseOrder(
  tx: Transaction,
  key: OrderKey,
  now: number,
): Promise<'erased' | 'waiting' | 'open'> {
  await touchOrder(tx, key);
  const checkouts = await tx.all(sql`SELECT * FROM checkouts WHERE ${ofOrder(key)}`);
  if (checkouts.some(({ state }) => state === 'open' || state === 'returned')) return 'open';
  await tx.run(sql`DELETE FROM webhooks WHERE ${ofAttempts(key)}`);
  await tx.run(sql`DELETE FROM order_log WHERE ${ofOrder(key)}`);
  await tx.run(sql`UPDATE audit SET note = NULL WHERE ${ofOrder(key)}`);
  // The session is no longer shown; a payment in it would still be found.
  await tx.run(sql`
    UPDATE attempts SET session_id = NULL, is_active = 0,
      status = CASE status WHEN 'active' THEN 'superseded' WHEN 'sending' THEN 'unknown' ELSE status END
    WHERE ${ofCheckouts(key)}`);
  const events = await tx.all(
    sql`SELECT id, status, body FROM outbox_events WHERE ${ofCheckouts(key)}`,
  );
  const isWaiting = ({ status }: Row) => status === 'pending' || status === 'sending';
  for (const event of events) {
    if (isWaiting(event)) continue;
    const body = eraseEvent(String(event['body']));
    await tx.run(sql`UPDATE outbox_events SET body = ${body} WHERE id = ${String(event['id'])}`);
  }
  const isErased = !events.some(isWaiting);
  for (const { id, payment } of checkouts.map(toCheckout)) {
    await tx.run(sql`
      UPDATE checkouts SET shop_version = NULL, return_url = NULL,
        payment = ${payment && JSON.stringify(erasePayment(payment))}, is_erased = 1
      WHERE id = ${id}`);
  }
  await tx.run(sql`
    UPDATE orders SET return_url = NULL, sealed = NULL, email_digest = NULL, erased_at = ${isErased ? now : undefined}
    WHERE ${ofOrder(key)}`);
  return isErased ? 'erased' : 'waiting';
}

function eraseEvent(text: string): string {
  const { data, ...event } = JSON.parse(text) as {
    data: Record<string, unknown> & { readonly payment?: PaymentFacts };
  };
  const { version: _, payment, ...kept } = data;
  const facts = payment && { payment: erasePayment(payment) };
  return JSON.stringify({ ...event, data: { ...kept, ...facts } });
}
