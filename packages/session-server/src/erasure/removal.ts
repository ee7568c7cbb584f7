/**
 * Removes the rows of old orders, in two steps. The first one takes what is only history: attempts, events
 * and unpaid checkouts. Its order, the checkout that paid it and the provider's transactions stay for as
 * long as an order token or a pay link can live, so that the order is never paid twice; then they go too,
 * and a monthly sum stays.
 */
import { noteRemovedOrderId } from '../checkouts/order-ids.js';
import { toCheckout } from '../checkouts/repository.js';
import { formatMinor } from '../money.js';
import { type OrderKey, orderKeyText, ordersOf, toOrder } from '../orders/repository.js';
import type { Reader, Row, Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** Longer than any pay link lives. */
export const PAID_ORDER_DAYS = 400;

/** Which orders a step takes: put, opened and changed before a time, at most so many. */
export interface RemovalStep {
  readonly before: number;
  readonly limit: number;
}

/** What no one waits for. The newest checkout stays: numbers are never given out again. */
const IS_AT_REST = sql`
  NOT EXISTS (
    SELECT 1 FROM checkouts
    WHERE checkouts.merchant = orders.merchant AND checkouts.order_name = orders.order_name
      AND (due_at IS NOT NULL OR price_check_at IS NOT NULL
        OR attention <> '[]' AND attention <> resolved_attention
        OR number = (SELECT max(number) FROM checkouts)
        OR EXISTS (
          SELECT 1 FROM attempts
          WHERE attempts.checkout = checkouts.id AND next_poll_at IS NOT NULL)
        OR EXISTS (
          SELECT 1 FROM outbox_events
          WHERE outbox_events.checkout = checkouts.id AND (due_at IS NOT NULL OR position IS NULL))))`;

/** Removes the history of erased orders; answers of how many. */
export async function removeHistory(
  tx: Transaction,
  { before, limit }: RemovalStep,
  now: number,
): Promise<number> {
  const rows = await tx.all(sql`
    SELECT * FROM orders
    WHERE erased_at IS NOT NULL AND (removed_at IS NULL OR removed_at < erased_at)
      AND renewed_at < ${before} AND updated_at < ${before} AND ${IS_AT_REST}
    ORDER BY renewed_at LIMIT ${limit}${tx.skipLocked}`);
  if (rows.length === 0) return 0;
  const ofOrders = ofKeys(rows.map(toOrder));
  const checkouts = await tx.all(sql`SELECT * FROM checkouts WHERE ${ofOrders}`);
  if (checkouts.length > 0) {
    const ids = sql.list(checkouts.map(({ id }) => String(id)));
    await removeEvents(tx, ids);
    await removeAttempts(tx, ids);
    await tx.run(sql`
      DELETE FROM checkouts WHERE id IN ${ids} AND state <> 'paid'
        AND id NOT IN (SELECT checkout FROM matched_transactions WHERE checkout IN ${ids})`);
  }
  await tx.run(sql`DELETE FROM order_log WHERE ${ofOrders}`);
  await tx.run(sql`UPDATE orders SET removed_at = ${now} WHERE ${ofOrders}`);
  // What was neither put nor paid has nothing left: its shop is asked for it again.
  const kept = await tx.all(sql`SELECT merchant, order_name FROM checkouts WHERE ${ofOrders}`);
  const isKept = (row: Row) =>
    row['order_version'] !== null ||
    kept.some(
      (one) => one['merchant'] === row['merchant'] && one['order_name'] === row['order_name'],
    );
  await removeRows(
    tx,
    rows.filter((row) => !isKept(row)),
    checkouts,
  );
  return rows.length;
}

/** Removes all that is left of orders whose history was removed, and adds them to the sums; answers how many. */
export async function removeOrders(
  tx: Transaction,
  { before, limit }: RemovalStep,
): Promise<number> {
  const rows = await tx.all(sql`
    SELECT * FROM orders
    WHERE removed_at IS NOT NULL AND erased_at <= removed_at
      AND renewed_at < ${before} AND updated_at < ${before} AND ${IS_AT_REST}
    ORDER BY renewed_at LIMIT ${limit}${tx.skipLocked}`);
  if (rows.length === 0) return 0;
  const checkouts = await tx.all(sql`SELECT * FROM checkouts WHERE ${ofKeys(rows.map(toOrder))}`);
  await removeRows(tx, rows, checkouts);
  return rows.length;
}

/** Events leave their feed, which says so to who has not read them: {@link readFeed}. */
async function removeEvents(tx: Transaction, checkouts: Sql): Promise<void> {
  await tx.run(sql`
    INSERT INTO removed_events (merchant, position, events)
    SELECT merchant, max(position), count(*) FROM outbox_events
    WHERE checkout IN ${checkouts} GROUP BY merchant
    ON CONFLICT (merchant) DO UPDATE SET events = removed_events.events + excluded.events,
      position = CASE WHEN excluded.position > removed_events.position
        THEN excluded.position ELSE removed_events.position END`);
  await tx.run(sql`DELETE FROM outbox_events WHERE checkout IN ${checkouts}`);
}

async function removeAttempts(tx: Transaction, checkouts: Sql): Promise<void> {
  // Not the largest one by SQL: PostgreSQL would look for it from the newest attempt on.
  const rows = await tx.all(sql`SELECT order_id FROM attempts WHERE checkout IN ${checkouts}`);
  const orderIds = rows.map((row) => Number(row['order_id']));
  if (orderIds.length === 0) return;
  await noteRemovedOrderId(tx, Math.max(...orderIds));
  await tx.run(sql`DELETE FROM webhooks WHERE order_id IN ${sql.list(orderIds)}`);
  await tx.run(sql`DELETE FROM attempts WHERE checkout IN ${checkouts}`);
}

/** @param checkouts among others those of the orders, as they are or were */
async function removeRows(
  tx: Transaction,
  orders: readonly Row[],
  checkouts: readonly Row[],
): Promise<void> {
  if (orders.length === 0) return;
  const ofOrders = ofKeys(orders.map(toOrder));
  await tx.run(sql`
    DELETE FROM matched_transactions
    WHERE checkout IN (SELECT id FROM checkouts WHERE ${ofOrders})`);
  await tx.run(sql`DELETE FROM checkouts WHERE ${ofOrders}`);
  await tx.run(sql`DELETE FROM orders WHERE ${ofOrders}`);
  for (const sum of sumUp(orders, checkouts)) {
    await tx.run(sql`
      ${sql.insert('removed_orders', { ...sum })}
      ON CONFLICT (merchant, month, currency, decimals) DO UPDATE SET
        paid = removed_orders.paid + excluded.paid,
        unpaid = removed_orders.unpaid + excluded.unpaid,
        amount_minor = removed_orders.amount_minor + excluded.amount_minor,
        refunded_minor = removed_orders.refunded_minor + excluded.refunded_minor`);
  }
}

/** A row of `removed_orders`. */
interface MonthlySum {
  readonly merchant: string;
  readonly month: string;
  readonly currency: string;
  readonly decimals: number;
  paid: number;
  unpaid: number;
  amount_minor: number;
  refunded_minor: number;
}

function sumUp(orders: readonly Row[], checkouts: readonly Row[]): MonthlySum[] {
  const sums = new Map<string, MonthlySum>();
  const byOrder = Map.groupBy(checkouts.map(toCheckout), orderKeyText);
  for (const order of orders.map(toOrder)) {
    const ofOrder = byOrder.get(orderKeyText(order)) ?? [];
    const paid = ofOrder.filter(({ state }) => state === 'paid');
    const price = paid[0] ?? order.put ?? ofOrder[0];
    if (!price) continue;
    const { currency, decimals } = price;
    const { merchant } = order;
    const month = new Date(order.createdAt).toISOString().slice(0, 7);
    const key = JSON.stringify([merchant, month, currency, decimals]);
    const none = { paid: 0, unpaid: 0, amount_minor: 0, refunded_minor: 0 };
    const sum = sums.get(key) ?? { merchant, month, currency, decimals, ...none };
    sums.set(key, sum);
    sum[paid.length > 0 ? 'paid' : 'unpaid'] += 1;
    for (const { amountMinor, refundedMinor } of paid) {
      sum.amount_minor += amountMinor;
      sum.refunded_minor += refundedMinor;
    }
  }
  return [...sums.values()];
}

function ofKeys(keys: readonly OrderKey[]): Sql {
  return sql`(merchant, order_name) IN ${ordersOf(keys)}`;
}

/** What the orders of a month came to that are removed: {@link removeOrders}. */
export interface RemovedMonth {
  /** UTC, as `2026-11`. */
  readonly month: string;
  readonly currency: string;
  /** How many orders were paid, and were not. */
  readonly paid: number;
  readonly unpaid: number;
  /** Decimal text: of those that were paid, and what of it was refunded. */
  readonly amount: string;
  readonly refunded: string;
}

/** Newest first; of one merchant, or of all. */
export async function readRemovedMonths(
  reader: Reader,
  merchant: string | undefined,
): Promise<RemovedMonth[]> {
  const ofMerchant = merchant === undefined ? sql`` : sql`WHERE merchant = ${merchant}`;
  const rows = await reader.all(sql`
    SELECT month, currency, decimals, sum(paid) AS paid, sum(unpaid) AS unpaid,
      CAST(sum(amount_minor) AS TEXT) AS amount, CAST(sum(refunded_minor) AS TEXT) AS refunded
    FROM removed_orders ${ofMerchant}
    GROUP BY month, currency, decimals ORDER BY month DESC, currency, decimals`);
  return rows.map((row) => {
    const toText = (minor: unknown) => formatMinor(BigInt(String(minor)), Number(row['decimals']));
    return {
      month: String(row['month']),
      currency: String(row['currency']),
      paid: Number(row['paid']),
      unpaid: Number(row['unpaid']),
      amount: toText(row['amount']),
      refunded: toText(row['refunded']),
    };
  });
}
