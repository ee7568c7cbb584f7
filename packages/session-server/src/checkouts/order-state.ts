import type { OrderState } from '../contract.js';
import {
  lockOrder,
  type OrderKey,
  type StoredOrder,
  updateOrderState,
} from '../orders/repository.js';
import type { Reader, Transaction } from '../store/database.js';
import type { Sql } from '../store/sql.js';
import { type Attempt, compareAttempts, findAttemptsOf } from './attempt-repository.js';
import { findCheckoutsOfOrder, updateSupersededBy } from './repository.js';
import {
  type AttentionCode,
  type Checkout,
  isAwaitingEvidence,
  isPaymentPending,
} from './state-machine.js';

/**
 * The checkout that determines the state of an order: the paid one; otherwise one whose payment is
 * pending (a shopper came back, or submitted one); otherwise that of the latest price.
 */
export function currentCheckoutOf(
  { put }: Pick<StoredOrder, 'put'>,
  checkouts: readonly Checkout[],
  attempts: readonly Attempt[],
): Checkout | undefined {
  const settled =
    checkouts.find(({ state }) => state === 'paid') ??
    checkouts.find(({ state }) => isAwaitingEvidence(state)) ??
    checkouts.find(isPaymentPending);
  if (settled) return settled;
  if (put) return checkouts.find(({ orderVersion }) => orderVersion === put.version);
  if (checkouts.length < 2) return checkouts[0];
  // A price that comes back leads to its old checkout, so attempts decide.
  const newest = attempts.toSorted(compareAttempts).at(-1);
  return checkouts.find(({ id }) => id === newest?.checkout) ?? checkouts.at(-1);
}

/** As {@link currentCheckoutOf}, with the attempts that are stored, unless they have been read. */
export async function findCurrentCheckout(
  reader: Reader,
  stored: StoredOrder,
  checkouts: readonly Checkout[],
  attempts?: readonly Attempt[],
): Promise<Checkout | undefined> {
  const ids = checkouts.map(({ id }) => id);
  const isNeeded = !stored.put && ids.length > 1;
  const all = attempts ?? (isNeeded ? await findAttemptsOf(reader, ids) : []);
  return currentCheckoutOf(stored, checkouts, all);
}

/** The state of an order with this current checkout. */
export function orderStateOf(
  { isVoid }: Pick<StoredOrder, 'isVoid'>,
  current: Checkout | undefined,
): OrderState {
  if (isVoid && current?.state !== 'paid') return 'void';
  return current?.state ?? 'open';
}

/** An order with all its checkouts, oldest first, as a transaction decides about it. */
export interface LockedOrder {
  /** Undefined when it was neither put nor has a checkout. */
  readonly stored: StoredOrder | undefined;
  readonly checkouts: readonly Checkout[];
  /** Where they have been read. */
  readonly attempts?: readonly Attempt[];
}

/** Reads an order that is about to change. */
export async function lockOrderOf(tx: Transaction, key: OrderKey): Promise<LockedOrder> {
  const [stored, checkouts] = await Promise.all([
    lockOrder(tx, key),
    findCheckoutsOfOrder(tx, key.merchant, key.order),
  ]);
  return { stored, checkouts };
}

/**
 * Stores the state of an order after something of it was changed in the same transaction, and which
 * checkout each of its others is superseded by: the pages that show them learn it by their polls.
 *
 * @param onSuperseded called for each checkout that changed, when that is durable
 */
export async function refreshOrder(
  tx: Transaction,
  key: OrderKey,
  now: number,
  onSuperseded?: (checkout: string) => void,
): Promise<OrderState> {
  return storeOrderState(tx, await lockOrderOf(tx, key), [], now, onSuperseded);
}

/**
 * As {@link refreshOrder}, of an order that has been read.
 *
 * @param changes statements about other rows, to be stored with it
 */
export async function storeOrderState(
  tx: Transaction,
  { stored, checkouts, attempts }: LockedOrder,
  changes: readonly Sql[],
  now: number,
  onSuperseded?: (checkout: string) => void,
): Promise<OrderState> {
  if (!stored) throw new Error('no such order');
  const current = await findCurrentCheckout(tx, stored, checkouts, attempts);
  const state = orderStateOf(stored, current);
  // The order first, as everywhere: transactions that lock its rows in two ways would deadlock.
  tx.queue(updateOrderState(stored, state, now), ...changes);
  for (const { id, supersededBy } of current ? checkouts : []) {
    const by = id === current?.id ? undefined : current?.id;
    if (by === supersededBy) continue;
    tx.queue(updateSupersededBy(id, by));
    tx.afterCommit(() => onSuperseded?.(id));
  }
  return state;
}

/** Attention codes for a paid order whose shop has since changed its price or voided it. */
export function findObjection(
  stored: StoredOrder | undefined,
  paid: Checkout,
): AttentionCode | undefined {
  if (stored?.isVoid) return 'paid_after_void';
  return stored?.put && stored.put.version !== paid.orderVersion ? 'price_changed' : undefined;
}
