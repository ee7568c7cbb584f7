import {
  type FoundAttempt,
  hasAttempt,
  insertFoundAttempt,
} from '../checkouts/attempt-repository.js';
import { namesOf } from '../checkouts/attempt-ids.js';
import { findCheckoutsOfOrder } from '../checkouts/repository.js';
import { lastOrderId, nextOrderId, skipOrderIds } from '../checkouts/order-ids.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import { refreshOrder } from '../checkouts/order-state.js';
import { addCheckout, newCheckout, type StepContext } from '../checkouts/checkout-transactions.js';
import { getCounter, type Reader, setCounter, type Transaction } from '../store/database.js';
import { sql } from '../store/sql.js';
import { retryWebhooksNaming } from '../webhooks/repository.js';
import type { HashReference } from '../webhooks/webhook-transactions.js';
/** What was lost when a data file was restored from a backup. */
export interface Loss {
  /** When the last attempt that is known was made: everything after it is lost; ms since 1970. */
  readonly since: number;
  /** When the backup was restored, in milliseconds since 1970. */
  readonly until: number;
  /** Lost attempts have an `order_id` above this, and at most `toOrderId`. */
  readonly afterOrderId: number;
  readonly toOrderId: number;
  /** Whether the provider's lists have been read for it: no checkout is created before. */
  readonly isRead: boolean;
}

/** A range of `order_id`s: above the first, and up to the second. */
export type OrderIdRange = Pick<Loss, 'afterOrderId' | 'toOrderId'>;

/** More events of a checkout, or changes of it, than any had in the time that was lost. */
const AHEAD = 1000;
/** PostgreSQL ends a statement that takes longer than ten seconds. */
const MOVED_AT_ONCE = 10_000;
/** Attempts a second that are thought possible for all the time that was lost. */
const MAX_ATTEMPTS_PER_SECOND = 100;

/** What a backup has lost is stored among the counters. */
const COUNTERS = {
  since: 'loss_since',
  until: 'loss_until',
  afterOrderId: 'loss_after_order_id',
  toOrderId: 'loss_to_order_id',
  isRead: 'loss_is_read',
} as const;

export async function findLoss(reader: Reader): Promise<Loss | undefined> {
  const since = await getCounter(reader, COUNTERS.since);
  if (since === undefined) return undefined;
  return {
    since,
    until: (await getCounter(reader, COUNTERS.until)) ?? 0,
    afterOrderId: (await getCounter(reader, COUNTERS.afterOrderId)) ?? 0,
    toOrderId: (await getCounter(reader, COUNTERS.toOrderId)) ?? 0,
    isRead: (await getCounter(reader, COUNTERS.isRead)) === 1,
  };
}

/**
 * Notes that what came after `since` is lost, by default after the last attempt that is known. From
 * then on no `order_id` is given out that may have been given out before, and sequences and revisions
 * go on far above those that shops and pages may have seen. Once noted, it stays as it is until it is
 * read.
 */
export async function declareLoss(
  tx: Transaction,
  since: number | undefined,
  now: number,
  rules: Pick<CheckoutRules, 'watchSeconds' | 'maxOrderId'>,
): Promise<Loss> {
  const known = await findLoss(tx);
  if (known?.isRead === false) return known;
  const watchMs = rules.watchSeconds * 1000;
  const last = await findLastAttempt(tx, since ?? now);
  const begin = since ?? last?.createdAt ?? now - watchMs;
  // An older loss that is still watched stays watched.
  const older = known && known.until > now - watchMs ? known : undefined;
  // A store that gave out no number does not know where the lost one started.
  const isEmpty = (await lastOrderId(tx)) === 0;
  const next = await nextOrderId(tx, now, rules.maxOrderId);
  const skipTo = aheadOf(next, now - begin, rules.maxOrderId);
  const loss: Loss = {
    since: Math.min(begin, older?.since ?? begin),
    until: now,
    afterOrderId: Math.min(last?.orderId ?? 0, older?.afterOrderId ?? Infinity),
    toOrderId: isEmpty ? rules.maxOrderId : skipTo,
    isRead: false,
  };
  await setCounter(tx, COUNTERS.since, loss.since);
  await setCounter(tx, COUNTERS.until, loss.until);
  await setCounter(tx, COUNTERS.afterOrderId, loss.afterOrderId);
  await setCounter(tx, COUNTERS.toOrderId, loss.toOrderId);
  await setCounter(tx, COUNTERS.isRead, 0);
  await skipOrderIds(tx, skipTo);
  await moveAhead(tx);
  return loss;
}

async function moveAhead(tx: Transaction): Promise<void> {
  const row = await tx.get(sql`SELECT max(number) AS last FROM checkouts`);
  const last = Number(row?.['last'] ?? 0);
  for (let from = 0; from < last; from += MOVED_AT_ONCE) {
    await tx.run(sql`
      UPDATE checkouts SET sequence = sequence + ${AHEAD}, revision = revision + ${AHEAD}
      WHERE number > ${from} AND number <= ${from + MOVED_AT_ONCE}`);
  }
}

/** The provider's lists have been read for it. */
export async function markLossRead(tx: Transaction): Promise<void> {
  if (await findLoss(tx)) await setCounter(tx, COUNTERS.isRead, 1);
}

/**
 * Stores an attempt that was found again, and its checkout when that was lost too. Webhooks that name it
 * are processed again. Of any other attempt there are none yet: it is stored before the provider hears of it.
 */
export async function adoptAttempt(
  tx: Transaction,
  found: FoundAttempt,
  context: StepContext,
  hashReference: HashReference,
): Promise<void> {
  if (await hasAttempt(tx, found.orderId)) return;
  const { request } = found;
  const ofOrder = await findCheckoutsOfOrder(tx, request.merchant, request.order);
  const checkout =
    ofOrder.find(({ orderVersion }) => orderVersion === request.orderVersion) ??
    newCheckout(request, context, found.createdAt);
  if (!ofOrder.includes(checkout)) tx.queue(...addCheckout(tx, checkout, request, context));
  const now = context.clock.now();
  await insertFoundAttempt(tx, found, checkout.id, now);
  await refreshOrder(tx, request, now);
  tx.queue(retryWebhooksNaming(namesOf(found).map(hashReference), now));
}

/** The attempt that was made last, of those made until a time. */
async function findLastAttempt(
  reader: Reader,
  until: number,
): Promise<{ orderId: number; createdAt: number } | undefined> {
  const row = await reader.get(sql`
    SELECT order_id, created_at FROM attempts WHERE created_at <= ${until}
    ORDER BY order_id DESC LIMIT 1`);
  return row && { orderId: Number(row['order_id']), createdAt: Number(row['created_at']) };
}

/** The largest `order_id` that may have been allocated in the meantime; a small range is not used up. */
function aheadOf(orderId: number, lostMs: number, max: number): number {
  const given = Math.ceil(Math.max(0, lostMs) / 1000) * MAX_ATTEMPTS_PER_SECOND;
  const room = Math.floor((max - orderId) / 10);
  return orderId + Math.max(1, Math.min(given, room));
}
