import { type Checkout, isAwaitingEvidence, isCertain, isPaymentPending } from './state-machine.js';
import type { StoredAttempt, Attempt, AttemptRequest } from './attempt-repository.js';
import type { CheckoutRules } from './rules.js';

/** What is known about an order when a page asks for its checkout. */
export interface OrderHistory {
  /** Every checkout of the order, oldest first. */
  readonly checkouts: readonly Checkout[];
  /** The one attempt that is being sent or is active. */
  readonly active: StoredAttempt | undefined;
  /** The last attempt of the checkout that has the price asked for, when it is not the active one. */
  readonly earlier?: StoredAttempt | undefined;
  /** When the renewals of the last hour were made, oldest first, in milliseconds since 1970. */
  readonly recentRenewals: readonly number[];
}

interface Retirement {
  readonly orderId: number;
  readonly to: 'unknown' | 'superseded';
}

export type CheckoutPlan =
  | {
      readonly kind: 'settled';
      readonly checkout: Checkout;
      /** The shop's price now differs from what was paid: someone must check it. */
      readonly priceChanged: boolean;
    }
  | { readonly kind: 'wait'; readonly checkout: Checkout }
  | {
      readonly kind: 'existing';
      readonly checkout: Checkout;
      readonly attempt: Attempt;
      /** Set when its session is the one to pay in again: what becomes of the active attempt. */
      readonly again?: { readonly retire: Retirement | undefined };
    }
  /** The shopper has submitted a payment: this is its checkout, whatever the price is now. */
  | {
      readonly kind: 'submitted';
      readonly checkout: Checkout;
      /** Where a challenge may still be open; none where the SDK refused it. */
      readonly attempt: Attempt | undefined;
    }
  /** A failure was reported in the session that would be superseded, and the list has not been read since. */
  | {
      readonly kind: 'payment-pending';
      readonly checkout: Checkout;
      readonly retryAfterSeconds: number;
    }
  /** Another price was asked for after this one was looked up. */
  | { readonly kind: 'price-is-old' }
  | { readonly kind: 'too-many-renewals'; readonly retryAfterSeconds: number }
  | {
      readonly kind: 'send';
      /** The checkout of this price, when there is one already. */
      readonly checkout: Checkout | undefined;
      /** The new status of the active attempt: its sender died, or its session is superseded. */
      readonly retire: Retirement | undefined;
      readonly isRenewal: boolean;
    };

const HOUR_MS = 3_600_000;
/** When to ask again while money may be moving. */
const PAYING_RETRY_SECONDS = 5;

/** Whether a payment was submitted so recently that the provider may not list it yet. */
export function isBeingPaid(
  { submittedAt }: Pick<Checkout, 'submittedAt'>,
  now: number,
  { settleWindowSeconds }: Pick<CheckoutRules, 'settleWindowSeconds'>,
): boolean {
  return submittedAt !== undefined && now < submittedAt + settleWindowSeconds * 1000;
}

/** Whether its session may be paid in again: only a session at another price has superseded it. */
export function isReusable({ status, sessionId }: Attempt): boolean {
  return status === 'superseded' && sessionId !== undefined;
}

/**
 * Decides what follows when a page asks for a checkout. Pure. One session is active at a time per
 * order. Nothing is created once any version is paid, or while money may be moving, and no session
 * takes the place of one in which a payment was submitted until its outcome is known or overdue, or of
 * one whose failure was reported until the provider's list was read since.
 */
export function planCheckout(
  history: OrderHistory,
  request: Pick<AttemptRequest, 'orderVersion' | 'renew' | 'pricedAfter'>,
  now: number,
  rules: Pick<CheckoutRules, 'renewalsPerHour'>,
): CheckoutPlan {
  const { checkouts, active } = history;
  const paid = checkouts.find(({ state }) => state === 'paid');
  if (paid) {
    const priceChanged = paid.orderVersion !== request.orderVersion;
    return { kind: 'settled', checkout: paid, priceChanged };
  }
  const returned = checkouts.find(({ state }) => isAwaitingEvidence(state));
  if (returned) return { kind: 'settled', checkout: returned, priceChanged: false };
  const submitted = checkouts.find(isPaymentPending);
  if (submitted) {
    const { sessionId, checkout } = active ?? {};
    const isRefused = sessionId === undefined || sessionId === request.renew;
    const attempt = checkout === submitted.id && !isRefused ? active : undefined;
    return { kind: 'submitted', checkout: submitted, attempt };
  }

  const same = checkouts.find(({ orderVersion }) => orderVersion === request.orderVersion);
  const ofActive = checkouts.find(({ id }) => id === active?.checkout);
  const open = (retire: Retirement | undefined, isRenewal: boolean): CheckoutPlan => {
    const { earlier } = history;
    const isRefused = earlier?.sessionId === request.renew;
    return same && !isCertain(same.state) && earlier && isReusable(earlier) && !isRefused
      ? { kind: 'existing', checkout: same, attempt: earlier, again: { retire } }
      : { kind: 'send', checkout: same, retire, isRenewal };
  };
  if (!active || !ofActive) return open(undefined, false);
  if (active.status === 'sending') {
    if (active.leaseUntil > now) return { kind: 'wait', checkout: ofActive };
    return open({ orderId: active.orderId, to: 'unknown' }, false);
  }
  if (ofActive !== same && active.activeSince > (request.pricedAfter ?? Infinity)) {
    return { kind: 'price-is-old' };
  }
  const isRenewal = request.renew !== undefined && request.renew === active.sessionId;
  const isUsable = ofActive === same && !isCertain(ofActive.state);
  if (isUsable && !isRenewal) return { kind: 'existing', checkout: ofActive, attempt: active };
  if (active.failureReportedAt !== undefined && !isCertain(ofActive.state)) {
    return { kind: 'payment-pending', checkout: ofActive, retryAfterSeconds: PAYING_RETRY_SECONDS };
  }
  if (isRenewal && history.recentRenewals.length >= rules.renewalsPerHour) {
    const oldest = history.recentRenewals[0] ?? now;
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000));
    return { kind: 'too-many-renewals', retryAfterSeconds };
  }
  return open({ orderId: active.orderId, to: 'superseded' }, isRenewal);
}
