import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { HintRequest } from '../contract.js';
import { insertEntry, isLogged, type LogEntry } from '../orders/order-log.js';
import {
  addOrder,
  forgetPut,
  findOrder,
  holdOrder,
  type StoredOrder,
  touchOrder,
} from '../orders/repository.js';
import { insertEvent } from '../outbox/repository.js';
import { timedId } from '../random-id.js';
import type { Transaction } from '../store/database.js';
import type { Sql } from '../store/sql.js';
import type { AttemptTokens } from './attempt-ids.js';
import { renderEvent } from './event.js';
import {
  findObjection,
  type LockedOrder,
  lockOrderOf,
  refreshOrder,
  storeOrderState,
} from './order-state.js';
import { type OrderHistory, planCheckout } from './opening-rules.js';
import {
  type Attempt,
  type AttemptRequest,
  compareAttempts,
  endAttempt,
  findAttemptsOfOrder,
  findShownAttempt,
  hasSubmitted,
  makeAttempt,
  reactivateAttempt,
  setSubmitted,
  type StoredAttempt,
  supersedeSending,
  watchAgain,
} from './attempt-repository.js';
import {
  claimDueCheckouts,
  findCheckoutsOfOrder,
  insertCheckout,
  updateCheckout,
} from './repository.js';
import type { OrderIdPlace } from './order-ids.js';
import { requestPoll, SUBMITTED_DELAY_MS } from './poll-requests.js';
import type { CheckoutRules } from './rules.js';
import {
  advance,
  attentionAdded,
  type Checkout,
  type CheckoutFact,
  eventsBetween,
  isSubmitted,
} from './state-machine.js';

/** What to do about a request for a checkout: decided and stored in one step, however many ask at once. */
export type AttemptDecision =
  /** Nothing is to be paid now: paid, or money may be moving. */
  | { readonly kind: 'settled'; readonly checkout: Checkout }
  /** The session that is active already. */
  | { readonly kind: 'existing'; readonly checkout: Checkout; readonly attempt: Attempt }
  /** A payment was submitted: no other session is created before its outcome is known. */
  | {
      readonly kind: 'submitted';
      readonly checkout: Checkout;
      readonly attempt: Attempt | undefined;
    }
  /** Another request is at the provider with it. */
  | { readonly kind: 'wait'; readonly checkout: Checkout }
  /** The caller sends it, then calls `activateSession` or `endAttempt`. */
  | {
      readonly kind: 'send';
      readonly checkout: Checkout;
      readonly attempt: Attempt;
      readonly tokens: AttemptTokens;
    }
  /** A failure of the active session was reported: no other is created before the list is read. */
  | {
      readonly kind: 'payment-pending';
      readonly checkout: Checkout;
      readonly retryAfterSeconds: number;
    }
  /** The order was created at another price after this one was asked for: ask for it again. */
  | { readonly kind: 'price-is-old' }
  /** The limit of renewals is reached. */
  | { readonly kind: 'too-many-renewals'; readonly retryAfterSeconds: number };

/** A change that was stored; `after` is `before` itself when nothing changed. */
export interface Change {
  readonly before: Checkout;
  readonly after: Checkout;
}

/** Duplicate hints of a page within this time are ignored. */
const SAME_HINT_MS = 10_000;
const HOUR_MS = 3_600_000;
/** Hints that change something of the session that a page shows. */
const SESSION_HINTS: readonly string[] = ['submitted', 'declined', 'expired', 'cancelled'];

/** What the steps of a checkout need in addition to their transaction. */
export interface StepContext {
  readonly rules: CheckoutRules;
  readonly clock: Clock;
  /** Called when a change is durable; `before` is undefined for a new checkout. */
  readonly onChange: (before: Checkout | undefined, after: Checkout) => void;
  /** Called once it is durable that a checkout was superseded by another one of its order. */
  readonly onSuperseded?: ((checkout: string) => void) | undefined;
  readonly orderIds: OrderIdPlace;
}

/**
 * Moves a checkout by facts, and stores the events that its merchant is sent.
 *
 * @param locked its order, where that has been read
 */
export async function applyFacts(
  tx: Transaction,
  before: Checkout,
  facts: readonly CheckoutFact[],
  context: StepContext,
  locked?: LockedOrder,
): Promise<Change> {
  if (advanceAll(before, facts, context) === before) return { before, after: before };
  const { stored, checkouts } = locked ?? (await lockOrderOf(tx, before));
  const change = toChange(before, moveCheckout(before, facts, stored, context));
  const { after } = change;
  const order = { stored, checkouts: checkouts.map((one) => (one.id === after.id ? after : one)) };
  await storeChanges(tx, order, [change], [], context);
  return change;
}

/** A checkout after facts about it; one that becomes paid also shows what its shop has since decided. */
export function moveCheckout(
  before: Checkout,
  facts: readonly CheckoutFact[],
  stored: StoredOrder | undefined,
  context: Pick<StepContext, 'clock' | 'rules'>,
): Checkout {
  const moved = advanceAll(before, facts, context);
  const isNewlyPaid = before.state !== 'paid' && moved.state === 'paid';
  const code = isNewlyPaid ? findObjection(stored, moved) : undefined;
  return code ? advanceAll(moved, [{ type: 'attention-needed', code }], context) : moved;
}

function advanceAll(
  before: Checkout,
  facts: readonly CheckoutFact[],
  { clock, rules }: Pick<StepContext, 'clock' | 'rules'>,
): Checkout {
  return facts.reduce((state, fact) => advance(state, fact, clock.now(), rules), before);
}

/** With the number of the last event that it sends. */
export function toChange(before: Checkout, moved: Checkout): Change {
  const sequence = before.sequence + eventsBetween(before, moved).length;
  return { before, after: { ...moved, sequence } };
}

/**
 * Stores changes of the checkouts of one order, with the events that its merchant is sent.
 *
 * @param order with all its checkouts as they are after the changes
 * @param others statements about other rows, to be stored with them
 */
export async function storeChanges(
  tx: Transaction,
  order: LockedOrder,
  changes: readonly Change[],
  others: readonly Sql[],
  { clock, onChange, onSuperseded }: StepContext,
): Promise<void> {
  const now = clock.now();
  const statements = changes.flatMap(({ before, after }) => {
    const isNewlyPaid = before.state !== 'paid' && after.state === 'paid';
    const entry = describeChange(before, after);
    return [
      // Only a shop that is asked for its prices can have changed one that is not stored here.
      updateCheckout(after, isNewlyPaid && !order.stored?.put ? now : undefined),
      ...eventsBetween(before, after).map((type, index) => {
        const sequence = before.sequence + index + 1;
        const body = renderEvent(after, type, sequence, now);
        const { id: checkout, merchant } = after;
        const id = `msg_${randomUUID()}`;
        return insertEvent({ id, checkout, merchant, type, sequence, body }, now);
      }),
      ...(entry ? [insertEntry(after, entry, now)] : []),
    ];
  });
  await storeOrderState(tx, order, [...statements, ...others], now, onSuperseded);
  tx.afterCommit(() => {
    for (const { before, after } of changes) onChange(before, after);
  });
}

/** Undefined when no one would ask about it, such as more time. */
function describeChange(before: Checkout, after: Checkout): LogEntry | undefined {
  const attention = attentionAdded(before, after);
  const { state, refundedMinor } = after;
  const isRefunded = refundedMinor !== before.refundedMinor;
  if (state === before.state && attention.length === 0 && !isRefunded) return undefined;
  const detail = {
    from: before.state,
    to: state,
    ...(attention.length > 0 && { attention }),
    ...(isRefunded && { refundedMinor }),
  };
  return { kind: 'state', checkout: after.id, detail };
}

/** Decides about the creation of a checkout and stores what follows, however many ask at once. */
export async function beginAttempt(
  tx: Transaction,
  request: AttemptRequest,
  context: StepContext,
): Promise<AttemptDecision> {
  const { clock, rules, orderIds } = context;
  const now = clock.now();
  const stored = await findOrder(tx, request);
  if (request.isStored && !isPriceStored(stored, request)) return { kind: 'price-is-old' };
  const history = stored ? await findHistory(tx, request, now) : NO_HISTORY;
  if (stored?.put && !request.isStored) {
    // Its shop is asked for the price from now on.
    await forgetPut(tx, request);
    await refreshOrder(tx, request, now);
  }
  const plan = planCheckout(history, request, now, rules);
  // What stores something changes the order's row; what only shows a session runs again, too, where another
  // transaction has changed it since.
  const isHeld = plan.kind === 'existing' || plan.kind === 'submitted';
  if (isHeld || (plan.kind === 'send' && plan.retire)) tx.queue(holdOrder(tx, request));
  switch (plan.kind) {
    case 'wait':
    case 'submitted':
    case 'payment-pending':
    case 'price-is-old':
    case 'too-many-renewals':
      return plan;
    case 'settled': {
      const facts: CheckoutFact[] = plan.priceChanged
        ? [{ type: 'attention-needed', code: 'price_changed_after_paid' }]
        : [];
      const { after } = await applyFacts(tx, plan.checkout, facts, context);
      return { kind: 'settled', checkout: after };
    }
    case 'existing': {
      const { after } = await applyFacts(tx, plan.checkout, [{ type: 'reopened' }], context);
      const { orderId } = plan.attempt;
      if (plan.again) {
        const { retire } = plan.again;
        if (retire) endAttempt(tx, retire.orderId, retire.to);
        reactivateAttempt(tx, orderId, nextActiveSince(history, now));
        await refreshOrder(tx, request, now, context.onSuperseded);
      }
      watchAgain(tx, orderId, now);
      return { kind: 'existing', checkout: after, attempt: plan.attempt };
    }
    case 'send': {
      const { isRenewal, retire } = plan;
      const reopened =
        plan.checkout && (await applyFacts(tx, plan.checkout, [{ type: 'reopened' }], context));
      const checkout = reopened?.after ?? newCheckout(request, context);
      const activeSince = nextActiveSince(history, now);
      const requestId = reopened && request.requestId;
      const made = { request, checkout: checkout.id, requestId, isRenewal, activeSince };
      const { attempt, tokens, insert } = await makeAttempt(tx, made, now, rules, orderIds);
      if (retire) endAttempt(tx, retire.orderId, retire.to);
      const added = reopened ? [] : addCheckout(tx, checkout, request, context);
      tx.queue(...added, insert);
      // An order is open before its first checkout, and with it.
      if (history.checkouts.length > 0) {
        await refreshOrder(tx, request, now, context.onSuperseded);
      }
      return { kind: 'send', checkout, attempt, tokens };
    }
  }
}

/** Whether the price asked for is the one that is stored, of an order that is for sale. */
function isPriceStored(stored: StoredOrder | undefined, { orderVersion }: AttemptRequest): boolean {
  return stored?.isVoid === false && stored.put?.version === orderVersion;
}

/** Of an order that has no checkout. */
const NO_HISTORY = { checkouts: [], attempts: [], active: undefined, recentRenewals: [] };

async function findHistory(
  tx: Transaction,
  { merchant, order, orderVersion }: AttemptRequest,
  now: number,
): Promise<OrderHistory & { readonly attempts: readonly StoredAttempt[] }> {
  const [checkouts, attempts] = await Promise.all([
    findCheckoutsOfOrder(tx, merchant, order),
    findAttemptsOfOrder(tx, merchant, order),
  ]);
  const active = attempts.find(({ isActive }) => isActive);
  const same = checkouts.find((checkout) => checkout.orderVersion === orderVersion);
  const ofSame = attempts.filter(({ checkout }) => checkout === same?.id);
  return {
    checkouts,
    attempts,
    active,
    earlier: same?.id === active?.checkout ? undefined : ofSame.toSorted(compareAttempts).at(-1),
    recentRenewals: attempts
      .filter(({ isRenewal, createdAt }) => isRenewal && createdAt > now - HOUR_MS)
      .map(({ createdAt }) => createdAt)
      .toSorted((one, other) => one - other),
  };
}

/** A time after that of every other attempt of the order, also where the clock of another server is ahead. */
function nextActiveSince(
  { attempts }: { readonly attempts: readonly StoredAttempt[] },
  now: number,
): number {
  return Math.max(now, ...attempts.map(({ activeSince }) => activeSince + 1));
}

/** A new checkout, open, for the price of a request. */
export function newCheckout(
  request: AttemptRequest,
  { clock, rules }: StepContext,
  createdAt = clock.now(),
): Checkout {
  const now = clock.now();
  return {
    id: timedId(now),
    merchant: request.merchant,
    order: request.order,
    orderVersion: request.orderVersion,
    shopVersion: request.shopVersion,
    amountMinor: request.amountMinor,
    currency: request.currency,
    decimals: request.decimals,
    state: 'open',
    revision: 1,
    sequence: 0,
    refund: 'none',
    refundedMinor: 0,
    attention: [],
    returnUrl: request.returnUrl,
    requestId: request.requestId,
    createdAt,
    expiresAt: now + rules.expireAfterSeconds * 1000,
    isErased: false,
  };
}

/** What stores a new checkout, and its order when that is new as well. */
export function addCheckout(
  tx: Transaction,
  checkout: Checkout,
  { emailDigest }: Pick<AttemptRequest, 'emailDigest'>,
  { clock, onChange }: StepContext,
): Sql[] {
  tx.afterCommit(() => {
    onChange(undefined, checkout);
  });
  return [addOrder({ ...checkout, emailDigest }, clock.now()), insertCheckout(checkout)];
}

/**
 * Stores what a page says, and what follows for the session that it shows; of another session it changes
 * nothing. A session that was superseded can still be paid in, but cancelling it cancels nothing. What was
 * said already, and moves nothing, is not stored.
 */
export async function recordHint(
  tx: Transaction,
  known: Checkout,
  { kind, sessionId }: HintRequest,
  context: StepContext,
): Promise<Change> {
  const now = context.clock.now();
  const entry: LogEntry = { kind: 'hint', checkout: known.id, detail: { kind } };
  const isOfSession = sessionId !== undefined && SESSION_HINTS.includes(kind);
  const [isRepeated, attempt, order] = await Promise.all([
    isLogged(tx, known, entry, now - SAME_HINT_MS),
    isOfSession ? findShownAttempt(tx, known.id, sessionId) : undefined,
    isOfSession ? lockOrderOf(tx, known) : undefined,
  ]);
  if (!isRepeated) tx.queue(insertEntry(known, entry, now));
  const before = order?.checkouts.find(({ id }) => id === known.id) ?? known;
  if (!attempt) return { before, after: before };
  const apply = (facts: readonly CheckoutFact[]): Promise<Change> =>
    applyFacts(tx, before, facts, context, order);
  switch (kind) {
    case 'submitted':
      if (isRepeated && isSubmitted(before) && attempt.submittedAt !== undefined) return apply([]);
      setSubmitted(tx, attempt.orderId, now);
      requestPoll(tx, attempt.orderId, {
        now,
        at: now + SUBMITTED_DELAY_MS,
        anonymousWatchSeconds: context.rules.watchSeconds,
      });
      // An attempt still being created is not shown: a payment of the order may be pending.
      supersedeSending(tx, before.merchant, before.order);
      return apply([{ type: 'submit-hinted' }]);
    case 'declined':
    case 'expired': {
      if (attempt.submittedAt !== undefined) {
        await touchOrder(tx, before);
        setSubmitted(tx, attempt.orderId, undefined);
      }
      const isOver = !(await hasSubmitted(tx, known.id));
      return apply(isOver ? [{ type: 'submission-ended' }] : []);
    }
    case 'cancelled':
      return apply(attempt.status === 'active' ? [{ type: 'cancel-hinted' }] : []);
    default:
      return { before, after: before };
  }
}

/** Expires checkouts that are due. */
export async function applyTime(
  tx: Transaction,
  limit: number,
  context: StepContext,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const checkout of await claimDueCheckouts(tx, context.clock.now(), limit)) {
    changes.push(await applyFacts(tx, checkout, [{ type: 'time-passed' }], context));
  }
  return changes;
}
