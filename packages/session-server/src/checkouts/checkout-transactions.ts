import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { isLogged, type LogEntry, logOrder } from '../orders/order-log.js';
import { addOrder, findOrder, forgetPut, touchOrder } from '../orders/repository.js';
import { insertEvent } from '../outbox/repository.js';
import { timedId } from '../random-id.js';
import type { Transaction } from '../store/database.js';
import type { AttemptTokens } from './attempt-ids.js';
import { renderEvent } from './event.js';
import { findObjection, refreshOrder } from './order-state.js';
import { type OrderHistory, planCheckout } from './opening-rules.js';
import {
  type Attempt,
  type AttemptRequest,
  endAttempt,
  findActiveAttempt,
  findRecentRenewals,
  findShownAttempt,
  getAttempt,
  findLastAttempt,
  insertAttempt,
  nextActiveSince,
  reactivateAttempt,
  hasSubmitted,
  setSubmitted,
  supersedeSending,
  watchAgain,
} from './attempt-repository.js';
import {
  claimDueCheckouts,
  findCheckoutsOfOrder,
  getCheckout,
  insertCheckout,
  updateCheckout,
} from './repository.js';
import type { CheckoutRules } from './rules.js';
import {
  advance,
  attentionAdded,
  type Checkout,
  type CheckoutFact,
  eventsBetween,
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

/** A hint that leads to more than a poll. */
export interface SessionHint {
  readonly kind: 'cancelled' | 'submitted' | 'declined' | 'expired';
  readonly sessionId: string;
}

/** Duplicate hints of a page within this time are ignored. */
const SAME_HINT_MS = 10_000;

/** What the steps of a checkout need in addition to their transaction. */
export interface StepContext {
  readonly rules: CheckoutRules;
  readonly clock: Clock;
  /** Called when a change is durable; `before` is undefined for a new checkout. */
  readonly onChange: (before: Checkout | undefined, after: Checkout) => void;
  /** Called once it is durable that a checkout was superseded by another one of its order. */
  readonly onSuperseded?: ((checkout: string) => void) | undefined;
  /** Runs in the transaction that stores a new attempt. */
  readonly onAttempt: (
    tx: Transaction,
    attempt: Pick<Attempt, 'orderId' | 'merchantReference'>,
  ) => Promise<void>;
}

/** Moves a checkout by facts, and stores the events that its merchant is sent. */
export async function applyFacts(
  tx: Transaction,
  before: Checkout,
  facts: readonly CheckoutFact[],
  context: StepContext,
): Promise<Change> {
  const now = context.clock.now();
  let moved = facts.reduce((state, fact) => advance(state, fact, now, context.rules), before);
  if (moved === before) return { before, after: before };
  if (before.state !== 'paid' && moved.state === 'paid') {
    const code = await findObjection(tx, moved);
    if (code) moved = advance(moved, { type: 'attention-needed', code }, now, context.rules);
  }
  const events = eventsBetween(before, moved);
  const after = { ...moved, sequence: before.sequence + events.length };
  // First, as everywhere: transactions that lock rows of one order in two ways would deadlock.
  await touchOrder(tx, after);
  await updateCheckout(tx, after);
  await refreshOrder(tx, after, now, context.onSuperseded);
  for (const [index, type] of events.entries()) {
    const sequence = before.sequence + index + 1;
    const body = renderEvent(after, type, sequence, now);
    const { id: checkout, merchant } = after;
    await insertEvent(
      tx,
      { id: `msg_${randomUUID()}`, checkout, merchant, type, sequence, body },
      now,
    );
  }
  const entry = describeChange(before, after);
  if (entry) await logOrder(tx, after, entry, now);
  tx.afterCommit(() => {
    context.onChange(before, after);
  });
  return { before, after };
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
  const { clock, rules } = context;
  const now = clock.now();
  await touchOrder(tx, request);
  if (!(await isPriceCurrent(tx, request, now))) return { kind: 'price-is-old' };
  const history = await findHistory(tx, request, now);
  const plan = planCheckout(history, request, now, rules);
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
        if (retire) await endAttempt(tx, retire.orderId, retire.to);
        await reactivateAttempt(tx, orderId, await nextActiveSince(tx, request, now));
        await refreshOrder(tx, request, now, context.onSuperseded);
      }
      await watchAgain(tx, orderId, now);
      return { kind: 'existing', checkout: after, attempt: plan.attempt };
    }
    case 'send': {
      if (plan.retire) await endAttempt(tx, plan.retire.orderId, plan.retire.to);
      const checkout = plan.checkout
        ? (await applyFacts(tx, plan.checkout, [{ type: 'reopened' }], context)).after
        : await createCheckout(tx, request, context);
      const { isRenewal } = plan;
      const activeSince =
        history.checkouts.length > 0 ? await nextActiveSince(tx, request, now) : now;
      const sent = { request, checkout: checkout.id, isRenewal, activeSince };
      const { attempt, tokens } = await insertAttempt(tx, sent, now, rules);
      await context.onAttempt(tx, attempt);
      // An order is open before its first checkout, and with it.
      if (history.checkouts.length > 0) {
        await refreshOrder(tx, request, now, context.onSuperseded);
      }
      return { kind: 'send', checkout, attempt, tokens };
    }
  }
}

/** Whether a checkout may be created at this price. When the shop was asked, drops the stored one. */
async function isPriceCurrent(
  tx: Transaction,
  request: AttemptRequest,
  now: number,
): Promise<boolean> {
  const stored = await findOrder(tx, request);
  if (request.isStored)
    return stored?.isVoid === false && stored.put?.version === request.orderVersion;
  if (stored?.put) {
    await forgetPut(tx, request);
    await refreshOrder(tx, request, now);
  }
  return true;
}

async function findHistory(
  tx: Transaction,
  { merchant, order, orderVersion }: AttemptRequest,
  now: number,
): Promise<OrderHistory> {
  const checkouts = await findCheckoutsOfOrder(tx, merchant, order);
  if (checkouts.length === 0) return { checkouts, active: undefined, recentRenewals: [] };
  const active = await findActiveAttempt(tx, merchant, order);
  const same = checkouts.find((checkout) => checkout.orderVersion === orderVersion);
  return {
    checkouts,
    active,
    earlier: same && same.id !== active?.checkout ? await findLastAttempt(tx, same.id) : undefined,
    recentRenewals: await findRecentRenewals(tx, merchant, order, now),
  };
}

/** Stores a new checkout, open, for the price of a request. */
export async function createCheckout(
  tx: Transaction,
  request: AttemptRequest,
  { clock, rules, onChange }: StepContext,
  createdAt = clock.now(),
): Promise<Checkout> {
  const now = clock.now();
  const checkout: Checkout = {
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
  await insertCheckout(tx, checkout);
  await addOrder(tx, checkout, now);
  tx.afterCommit(() => {
    onChange(undefined, checkout);
  });
  return checkout;
}

/** Records that sending ended without a session. */
export async function markSendFailed(
  tx: Transaction,
  orderId: number,
  status: 'unknown' | 'refused' | 'not_sent',
): Promise<void> {
  if ((await getAttempt(tx, orderId)).status === 'sending') await endAttempt(tx, orderId, status);
}

/** Logs a hint in the order log, for the operators who investigate the order. */
export async function logHint(
  tx: Transaction,
  { id: checkout, merchant, order }: Checkout,
  kind: string,
  now: number,
): Promise<void> {
  const entry: LogEntry = { kind: 'hint', checkout, detail: { kind } };
  if (await isLogged(tx, { merchant, order }, entry, now - SAME_HINT_MS)) return;
  await logOrder(tx, { merchant, order }, entry, now);
}

/**
 * What a page says of the session that it shows; of another session it changes nothing. A session that
 * was superseded can still be paid in, but cancelling it cancels nothing.
 */
export async function recordHint(
  tx: Transaction,
  checkout: string,
  { kind, sessionId }: SessionHint,
  context: StepContext,
): Promise<Change> {
  const before = await getCheckout(tx, checkout);
  const attempt = await findShownAttempt(tx, checkout, sessionId);
  if (!attempt) return { before, after: before };
  await touchOrder(tx, before);
  switch (kind) {
    case 'submitted':
      await setSubmitted(tx, attempt.orderId, context.clock.now());
      // The poll that follows reads only as far back as an anonymous one may; the schedule's ends it.
      await watchAgain(tx, attempt.orderId, context.clock.now());
      // An attempt still being created is not shown: a payment of the order may be pending.
      await supersedeSending(tx, before.merchant, before.order);
      return applyFacts(tx, before, [{ type: 'submit-hinted' }], context);
    case 'declined':
    case 'expired': {
      await setSubmitted(tx, attempt.orderId, undefined);
      const isOver = !(await hasSubmitted(tx, checkout));
      return applyFacts(tx, before, isOver ? [{ type: 'submission-ended' }] : [], context);
    }
    case 'cancelled': {
      const isOfActive = attempt.status === 'active';
      return applyFacts(tx, before, isOfActive ? [{ type: 'cancel-hinted' }] : [], context);
    }
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
