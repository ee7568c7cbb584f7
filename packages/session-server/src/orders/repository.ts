import type { OrderState } from '../contract.js';
import type { SplitRule } from '../split-rule.js';
import {
  optionalNumber,
  optionalText,
  type Reader,
  type Row,
  type Transaction,
} from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';

/** An order of one merchant. */
export interface OrderKey {
  readonly merchant: string;
  readonly order: string;
}

/** An order as its shop put it. */
export interface PutOrder {
  /** {@link orderVersionOf} of its price. */
  readonly version: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly decimals: number;
  readonly split?: SplitRule[] | undefined;
  readonly returnUrl?: string | undefined;
  /** Its personal data, encrypted; undefined once erased. */
  readonly sealed?: Uint8Array | undefined;
}

/** How an order is found by the e-mail of its customer: {@link DataEncryption.emailDigests}. */
interface EmailDigest {
  readonly emailDigest?: string | undefined;
}

/** Every order that was put or has a checkout. */
export interface StoredOrder extends OrderKey {
  readonly state: OrderState;
  readonly isVoid: boolean;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Undefined where it was not erased, or has changed since. */
  readonly erasedAt?: number | undefined;
  /** When its attempts and events were removed. */
  readonly removedAt?: number | undefined;
  /** Undefined where the shop is asked for its price. */
  readonly put?: PutOrder | undefined;
}

export async function findOrder(
  reader: Reader,
  { merchant, order }: OrderKey,
): Promise<StoredOrder | undefined> {
  const row = await reader.get(
    sql`SELECT * FROM orders WHERE merchant = ${merchant} AND order_name = ${order}`,
  );
  return row && toOrder(row);
}

/** The encrypted parts of those of these orders that have one. */
export async function findSealed(
  reader: Reader,
  keys: readonly OrderKey[],
): Promise<(OrderKey & { readonly sealed: Uint8Array })[]> {
  const rows = await reader.all(sql`
    SELECT merchant, order_name, sealed FROM orders
    WHERE (merchant, order_name) IN ${ordersOf(keys)} AND sealed IS NOT NULL`);
  return rows.map((row) => ({
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    sealed: row['sealed'] as Uint8Array,
  }));
}

/**
 * The order that a transaction decides about: of those that do so at the same time, one goes on. What it
 * then stores has to change this row too, so that the others run again and see it.
 */
export async function lockOrder(tx: Transaction, key: OrderKey): Promise<StoredOrder | undefined> {
  const row = await tx.get(holdOrder(tx, key));
  return row && toOrder(row);
}

/** As {@link lockOrder}, as a statement. */
export function holdOrder({ forUpdate }: Transaction, { merchant, order }: OrderKey): Sql {
  return sql`
    SELECT * FROM orders WHERE merchant = ${merchant} AND order_name = ${order}${forUpdate}`;
}

/** As {@link lockOrder}, of several orders, one after the other by name: so no two transactions deadlock. */
export async function lockOrders(
  tx: Transaction,
  keys: readonly OrderKey[],
): Promise<StoredOrder[]> {
  const rows = await tx.all(sql`
    SELECT * FROM orders WHERE (merchant, order_name) IN ${ordersOf(keys)}
    ORDER BY merchant, order_name${tx.forUpdate}`);
  return rows.map(toOrder);
}

/** A key as text, for maps. */
export function orderKeyText({ merchant, order }: OrderKey): string {
  return JSON.stringify([merchant, order]);
}

/** For `(merchant, order_name) IN`. */
export function ordersOf(keys: readonly OrderKey[]): Sql {
  const rows = keys.map(({ merchant, order }) => sql`(${merchant}, ${order})`);
  return sql`(VALUES ${rows.reduce((before, row) => sql`${before}, ${row}`)})`;
}

/** Stores what a shop put; the order can be paid again if it was void. */
export async function savePutOrder(
  tx: Transaction,
  { merchant, order }: OrderKey,
  put: PutOrder & EmailDigest,
  now: number,
): Promise<void> {
  tx.queue(addOrder({ merchant, order }, now));
  await tx.run(sql`
    UPDATE orders SET is_void = 0, order_version = ${put.version}, amount_minor = ${put.amountMinor},
      currency = ${put.currency}, decimals = ${put.decimals},
      split = ${put.split && JSON.stringify(put.split)}, return_url = ${put.returnUrl},
      sealed = ${put.sealed}, email_digest = ${put.emailDigest}
    WHERE merchant = ${merchant} AND order_name = ${order}`);
}

/** Adds an order that is not stored yet; one that is gets no older. */
export function addOrder(
  { merchant, order, emailDigest }: OrderKey & EmailDigest,
  now: number,
): Sql {
  return sql`
    INSERT INTO orders
      (merchant, order_name, state, created_at, updated_at, renewed_at, is_void, email_digest)
    VALUES (${merchant}, ${order}, 'open', ${now}, ${now}, ${now}, 0, ${emailDigest})
    ON CONFLICT (merchant, order_name) DO UPDATE SET renewed_at = excluded.renewed_at,
      email_digest = coalesce(excluded.email_digest, orders.email_digest)`;
}

/**
 * Of transactions that decide about one order at the same time, all but one run again: for those that
 * read of it what others change, and write elsewhere.
 */
export async function touchOrder(tx: Transaction, order: OrderKey): Promise<void> {
  await tx.run(touch(order));
}

/** As {@link touchOrder}, to be stored with something else. */
export function touch({ merchant, order }: OrderKey): Sql {
  return sql`
    UPDATE orders SET is_void = is_void WHERE merchant = ${merchant} AND order_name = ${order}`;
}

/** Marks an order as voided by its merchant. */
export async function voidOrder(tx: Transaction, { merchant, order }: OrderKey): Promise<void> {
  await tx.run(
    sql`UPDATE orders SET is_void = 1 WHERE merchant = ${merchant} AND order_name = ${order}`,
  );
}

/** Drops the stored price: the shop is asked for it from now on. */
export async function forgetPut(tx: Transaction, { merchant, order }: OrderKey): Promise<void> {
  await tx.run(sql`
    UPDATE orders SET is_void = 0, order_version = NULL, amount_minor = NULL, currency = NULL,
      decimals = NULL, split = NULL, return_url = NULL, sealed = NULL, email_digest = NULL
    WHERE merchant = ${merchant} AND order_name = ${order}`);
}

export function updateOrderState(
  { merchant, order }: OrderKey,
  state: OrderState,
  now: number,
): Sql {
  return sql`
    UPDATE orders SET state = ${state}, updated_at = ${now}, erased_at = NULL
    WHERE merchant = ${merchant} AND order_name = ${order}`;
}

export function toOrder(row: Row): StoredOrder {
  const version = optionalText(row['order_version']);
  return {
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    state: row['state'] as OrderState,
    isVoid: Number(row['is_void']) === 1,
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    erasedAt: optionalNumber(row['erased_at']),
    removedAt: optionalNumber(row['removed_at']),
    put: version === undefined ? undefined : { version, ...toPut(row) },
  };
}

function toPut(row: Row): Omit<PutOrder, 'version'> {
  const split = optionalText(row['split']);
  return {
    amountMinor: Number(row['amount_minor']),
    currency: String(row['currency']),
    decimals: Number(row['decimals']),
    split: split === undefined ? undefined : (JSON.parse(split) as SplitRule[]),
    returnUrl: optionalText(row['return_url']),
    sealed: row['sealed'] instanceof Uint8Array ? row['sealed'] : undefined,
  };
}
