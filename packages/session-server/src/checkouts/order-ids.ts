/**
 * The `order_id` of attempts (spec 4.6): whole numbers that only grow. Each store starts at a place of
 * its own, so that two stores at one provider merchant do not give out the same ones.
 */
import { AppError } from '../errors.js';
import { randomInt } from 'node:crypto';
import { getCounter, type Reader, setCounter, type Transaction } from '../store/database.js';
import { sql } from '../store/sql.js';

/** 2025-01-01T00:00:00Z: a lost data file gives out no number again that it gave out before. */
const EPOCH_SECONDS = 1_735_689_600;
const LAST = 'last_order_id';
/** Drawn once by a new store and kept with its data. */
const OFFSET = 'order_id_offset';
const MAX_OFFSET = 2 ** 30;
/** The largest one of an attempt that was removed. */
const REMOVED = 'last_removed_order_id';

/** The last `order_id` that was given out; 0 when there was none. */
export async function lastOrderId(reader: Reader): Promise<number> {
  const row = await reader.get(sql`SELECT max(order_id) AS last FROM attempts`);
  return Math.max(Number(row?.['last'] ?? 0), (await getCounter(reader, LAST)) ?? 0);
}

/** From now on no `order_id` up to this one is given out. */
export async function skipOrderIds(tx: Transaction, to: number): Promise<void> {
  await tx.takeNumber(LAST, to);
  await setCounter(tx, LAST, to);
}

/** Attempts with this `order_id`, and with smaller ones, were removed. */
export async function noteRemovedOrderId(tx: Transaction, orderId: number): Promise<void> {
  const before = (await getCounter(tx, REMOVED)) ?? 0;
  await setCounter(tx, REMOVED, Math.max(before, orderId));
}

/** What a store needs that other servers use: its offset, and no number that a restore has skipped. */
export async function prepareOrderIds(tx: Transaction, now: number, max: number): Promise<void> {
  await findOffset(tx, now, max);
  const skipped = await getCounter(tx, LAST);
  if (skipped !== undefined) await tx.takeNumber(LAST, skipped);
}

/** The next `order_id` to give out, which may be above the maximum. */
export async function nextOrderId(tx: Transaction, now: number, max: number): Promise<number> {
  return Math.max((await lastOrderId(tx)) + 1, await firstOrderIdAt(tx, now, max));
}

/** Where the numbers of a store begin: a constant of the store, read once by each process. */
export interface OrderIdPlace {
  offset?: number | undefined;
}

/** @throws {AppError} 503 `order_ids_exhausted` when none is left */
export async function allocateOrderId(
  tx: Transaction,
  now: number,
  max: number,
  place: OrderIdPlace,
): Promise<number> {
  const offset = place.offset ?? (await findOffset(tx, now, max));
  tx.afterCommit(() => {
    place.offset = offset;
  });
  const orderId = await tx.takeNumber(LAST, offset + smallestOrderIdAt(now));
  if (orderId > max) {
    throw new AppError(
      503,
      'order_ids_exhausted',
      'No payment can be begun: the server has given out all its order ids. Its operator has to raise PAY_MAX_ORDER_ID.',
    );
  }
  return orderId;
}

/**
 * The numbers that this store may have given out, from its first attempt to this moment, later than those
 * that were removed; undefined when it has no attempt.
 */
export async function findOrderIdRange(
  reader: Reader,
  now: number,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  const row = await reader.get(sql`SELECT min(order_id) AS first FROM attempts`);
  const oldest = row?.['first'];
  if (typeof oldest !== 'number') return undefined;
  const first = Math.max(oldest, ((await getCounter(reader, REMOVED)) ?? 0) + 1);
  const offset = (await getCounter(reader, OFFSET)) ?? 0;
  return { first, last: Math.max(await lastOrderId(reader), offset + smallestOrderIdAt(now)) };
}

/** What {@link nextOrderId} would give; undefined in a store that has not begun to count. */
export async function peekOrderId(reader: Reader, now: number): Promise<number | undefined> {
  const offset = await getCounter(reader, OFFSET);
  if (offset === undefined) return undefined;
  return Math.max((await lastOrderId(reader)) + 1, offset + smallestOrderIdAt(now));
}

/** The smallest one of this second. A new store draws where it starts. */
async function firstOrderIdAt(tx: Transaction, now: number, max: number): Promise<number> {
  return smallestOrderIdAt(now) + (await findOffset(tx, now, max));
}

async function findOffset(tx: Transaction, now: number, max: number): Promise<number> {
  return (await getCounter(tx, OFFSET)) ?? drawOffset(tx, max - smallestOrderIdAt(now));
}

/** At most half of a small range is skipped. */
async function drawOffset(tx: Transaction, room: number): Promise<number> {
  const offset = randomInt(Math.max(1, Math.min(MAX_OFFSET, Math.floor(room / 2))));
  await setCounter(tx, OFFSET, offset);
  return offset;
}

/** What any store gives out in this second, or more than that. */
export function smallestOrderIdAt(now: number): number {
  return Math.floor(now / 1000) - EPOCH_SECONDS;
}
