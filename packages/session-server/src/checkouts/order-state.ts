import type { OrderState } from '../contract.js';
import { findOrder, type OrderKey, setOrderState, type StoredOrder } from '../orders/repository.js';
import type { Reader, Transaction } from '../store/database.js';
import { type Attempt, compareAttempts, findAttemptsOf } from './attempt-repository.js';
import { findCheckoutsOfOrder, setSupersededBy } from './repository.js';
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

/** As {@link currentCheckoutOf}, with the attempts that are stored. */
export async function findCurrentCheckout(
  reader: Reader,
  stored: StoredOrder,
  checkouts: readonly Checkout[],
): Promise<Checkout | undefined> {
  const ids = checkouts.map(({ id }) => id);
  const attempts = stored.put || ids.length < 2 ? [] : await findAttemptsOf(reader, ids);
  return currentCheckoutOf(stored, checkouts, attempts);
}

/** The state of an order with this current checkout. */
export function orderStateOf(
  { isVoid }: Pick<StoredOrder, 'isVoid'>,
  current: Checkout | undefined,
): OrderState {
  if (isVoid && current?.state !== 'paid') return 'void';
  return current?.state ?? 'open';
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
  const stored = await findOrder(tx, key);
  if (!stored) throw new Error('no such order');
  const checkouts = await findCheckoutsOfOrder(tx, key.merchant, key.order);
  const current = await findCurrentCheckout(tx, stored, checkouts);
  const state = orderStateOf(stored, current);
  await setOrderState(tx, key, state, now);
  for (const { id, supersededBy } of current ? checkouts : []) {
    const by = id === current?.id ? undefined : current?.id;
    if (by === supersededBy) continue;
    await setSupersededBy(tx, id, by);
    tx.afterCommit(() => onSuperseded?.(id));
  }
  return state;
}

/** Attention codes for a paid order whose shop has since changed its price or voided it. */
export async function findObjection(
  tx: Transaction,
  paid: Checkout,
): Promise<AttentionCode | undefined> {
  const stored = await findOrder(tx, paid);
  if (stored?.isVoid) return 'paid_after_void';
  return stored?.put && stored.put.version !== paid.orderVersion ? 'price_changed' : undefined;
}
