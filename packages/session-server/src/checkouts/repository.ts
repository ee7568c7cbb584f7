import type { CheckoutState, PaymentFacts, RefundState } from '../contract.js';
import { type OrderKey, ordersOf } from '../orders/repository.js';
import {
  optionalNumber,
  optionalText,
  type Reader,
  type Row,
  type Transaction,
} from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import type { AttentionCode, Checkout } from './state-machine.js';

export async function findCheckout(reader: Reader, id: string): Promise<Checkout | undefined> {
  const row = await reader.get(sql`SELECT * FROM checkouts WHERE id = ${id}`);
  return row && toCheckout(row);
}

/** The checkout that a stored row refers to. */
export async function getCheckout(reader: Reader, id: string): Promise<Checkout> {
  const checkout = await findCheckout(reader, id);
  if (!checkout) throw new Error('no such checkout');
  return checkout;
}

/** In the order of the ids; those that do not exist are left out. */
export async function findCheckouts(reader: Reader, ids: readonly string[]): Promise<Checkout[]> {
  if (ids.length === 0) return [];
  const rows = await reader.all(sql`SELECT * FROM checkouts WHERE id IN ${sql.list(ids)}`);
  const byId = new Map(rows.map((row) => [row['id'], toCheckout(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The revisions of checkouts, by their ids. */
export async function findRevisions(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all(
    sql`SELECT id, revision FROM checkouts WHERE id IN ${sql.list(ids)}`,
  );
  return new Map(rows.map((row) => [String(row['id']), Number(row['revision'])]));
}

/** Every checkout of an order, oldest first. */
export function findCheckoutsOfOrder(
  reader: Reader,
  merchant: string,
  order: string,
): Promise<Checkout[]> {
  return findCheckoutsWhere(reader, sql`merchant = ${merchant} AND order_name = ${order}`);
}

/** Every checkout of some orders, oldest first. */
export function findCheckoutsOfOrders(
  reader: Reader,
  orders: readonly OrderKey[],
): Promise<Checkout[]> {
  return findCheckoutsWhere(reader, sql`(merchant, order_name) IN ${ordersOf(orders)}`);
}

/** Every checkout that a condition holds for, oldest first. */
export async function findCheckoutsWhere(reader: Reader, condition: Sql): Promise<Checkout[]> {
  const rows = await reader.all(sql`SELECT * FROM checkouts WHERE ${condition}`);
  return rows
    .toSorted(
      (one, other) =>
        Number(one['created_at']) - Number(other['created_at']) ||
        Number(one['number']) - Number(other['number']),
    )
    .map(toCheckout);
}

/**
 * Those whose `expiresAt` or `settleBy` has passed, and whose order no other transaction is changing. It
 * locks both rows without waiting for either.
 */
export async function claimDueCheckouts(
  tx: Transaction,
  now: number,
  limit: number,
): Promise<Checkout[]> {
  const rows = await tx.all(sql`
    SELECT checkouts.* FROM checkouts
    JOIN orders ON orders.merchant = checkouts.merchant AND orders.order_name = checkouts.order_name
    WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}${tx.skipLocked}`);
  return rows.map(toCheckout);
}

/**
 * Paid checkouts whose price is to be compared with that of their shop. No other server claims them before
 * `leaseUntil`.
 */
export async function claimPriceChecks(
  tx: Transaction,
  { now, leaseUntil, limit }: { now: number; leaseUntil: number; limit: number },
): Promise<Checkout[]> {
  const rows = await tx.all(sql`
    SELECT * FROM checkouts WHERE price_check_at <= ${now}
    ORDER BY price_check_at LIMIT ${limit}${tx.skipLocked}`);
  const due = rows.map(toCheckout);
  for (const { id } of due) await planPriceCheck(tx, id, leaseUntil);
  return due;
}

/** When the price of a checkout is to be compared; undefined when it has been. */
export async function planPriceCheck(
  tx: Transaction,
  id: string,
  at: number | undefined,
): Promise<void> {
  await tx.run(sql`UPDATE checkouts SET price_check_at = ${at} WHERE id = ${id}`);
}

export function insertCheckout(checkout: Checkout): Sql {
  return sql.insert('checkouts', {
    id: checkout.id,
    merchant: checkout.merchant,
    order_name: checkout.order,
    order_version: checkout.orderVersion,
    shop_version: checkout.shopVersion,
    amount_minor: checkout.amountMinor,
    currency: checkout.currency,
    decimals: checkout.decimals,
    state: checkout.state,
    revision: checkout.revision,
    sequence: checkout.sequence,
    refund: checkout.refund,
    refunded_minor: checkout.refundedMinor,
    attention: JSON.stringify(checkout.attention),
    return_url: checkout.returnUrl,
    request_id: checkout.requestId,
    created_at: checkout.createdAt,
    expires_at: checkout.expiresAt,
    settle_by: checkout.settleBy,
    submitted_at: checkout.submittedAt,
    paid_by: checkout.paidBy,
    payment: checkout.payment && JSON.stringify(checkout.payment),
    due_at: dueAt(checkout),
  });
}

/** Which checkout of the order took its place: a change of its own, whatever else changes. */
export function updateSupersededBy(id: string, by: string | undefined): Sql {
  return sql`UPDATE checkouts SET superseded_by = ${by}, revision = revision + 1 WHERE id = ${id}`;
}

/**
 * Stores what can change of a checkout.
 *
 * @param priceCheckAt when to ask its shop for the price; undefined leaves it as it is
 */
export function updateCheckout(checkout: Checkout, priceCheckAt?: number): Sql {
  const priceCheck = priceCheckAt === undefined ? sql`` : sql`price_check_at = ${priceCheckAt},`;
  return sql`
    UPDATE checkouts SET ${priceCheck} state = ${checkout.state}, revision = ${checkout.revision},
      sequence = ${checkout.sequence}, refund = ${checkout.refund},
      refunded_minor = ${checkout.refundedMinor},
      payment = ${checkout.payment && JSON.stringify(checkout.payment)},
      attention = ${JSON.stringify(checkout.attention)}, expires_at = ${checkout.expiresAt},
      settle_by = ${checkout.settleBy}, submitted_at = ${checkout.submittedAt}, paid_by = ${checkout.paidBy}, due_at = ${dueAt(checkout)}
    WHERE id = ${checkout.id}`;
}

/** When time alone next changes a checkout. */
function dueAt({ state, expiresAt, settleBy }: Checkout): number | undefined {
  if (state === 'open') return expiresAt;
  return state === 'returned' ? settleBy : undefined;
}

export function toCheckout(row: Row): Checkout {
  return {
    id: String(row['id']),
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    orderVersion: String(row['order_version']),
    shopVersion: optionalText(row['shop_version']),
    amountMinor: Number(row['amount_minor']),
    currency: String(row['currency']),
    decimals: Number(row['decimals']),
    state: row['state'] as CheckoutState,
    revision: Number(row['revision']),
    sequence: Number(row['sequence']),
    refund: row['refund'] as RefundState,
    refundedMinor: Number(row['refunded_minor']),
    attention: JSON.parse(String(row['attention'])) as AttentionCode[],
    returnUrl: optionalText(row['return_url']),
    requestId: optionalText(row['request_id']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    settleBy: optionalNumber(row['settle_by']),
    submittedAt: optionalNumber(row['submitted_at']),
    supersededBy: optionalText(row['superseded_by']),
    paidBy: optionalText(row['paid_by']),
    payment: factsIn(row['payment']),
    isErased: row['is_erased'] === 1,
  };
}

function factsIn(value: unknown): PaymentFacts | undefined {
  return typeof value === 'string' ? (JSON.parse(value) as PaymentFacts) : undefined;
}
