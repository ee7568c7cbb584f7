import { type Checkout, isCertain, mayBePaying } from './checkout.js';
import type { Attempt, OpeningRequest, StoreRules } from './checkout-store.js';

/** All that is known of an order when somebody wants to open it. */
export interface OrderHistory {
  /** Every checkout of the order, oldest first. */
  readonly checkouts: readonly Checkout[];
  /** The one attempt that is being sent or is exposed. */
  readonly live: (Attempt & { readonly leaseUntil: number }) | undefined;
  /** When the renewals of the last hour were made, oldest first, in milliseconds since 1970. */
  readonly recentRenewals: readonly number[];
}

export type OpeningPlan =
  | {
      readonly kind: 'settled';
      readonly checkout: Checkout;
      /** The shop now asks another price for what is paid: a person must see it. */
      readonly priceChanged: boolean;
    }
  | { readonly kind: 'wait'; readonly checkout: Checkout }
  | { readonly kind: 'existing'; readonly checkout: Checkout; readonly attempt: Attempt }
  | { readonly kind: 'too-many-renewals'; readonly retryAfterSeconds: number }
  | {
      readonly kind: 'send';
      /** The checkout of this price, when there is one already. */
      readonly checkout: Checkout | undefined;
      /** What becomes of the live attempt: its sender died, or its session gives way. */
      readonly retire:
        { readonly orderId: number; readonly to: 'unknown' | 'superseded' } | undefined;
      readonly isRenewal: boolean;
    };

const HOUR_MS = 3_600_000;

/**
 * Decides about an opening: pure, so that each store decides alike. One session is exposed at a
 * time per order; nothing opens once any version is paid, or while money may be moving.
 */
export function planOpening(
  history: OrderHistory,
  request: Pick<OpeningRequest, 'orderVersion' | 'renew'>,
  now: number,
  rules: Pick<StoreRules, 'renewalsPerHour'>,
): OpeningPlan {
  const { checkouts, live } = history;
  const paid = checkouts.find(({ state }) => state === 'paid');
  if (paid) {
    const priceChanged = paid.orderVersion !== request.orderVersion;
    return { kind: 'settled', checkout: paid, priceChanged };
  }
  const moving = checkouts.find(({ state }) => mayBePaying(state));
  if (moving) return { kind: 'settled', checkout: moving, priceChanged: false };

  const same = checkouts.find(({ orderVersion }) => orderVersion === request.orderVersion);
  const ofLive = checkouts.find(({ id }) => id === live?.checkout);
  if (!live || !ofLive) {
    return { kind: 'send', checkout: same, retire: undefined, isRenewal: false };
  }
  if (live.status === 'sending') {
    if (live.leaseUntil > now) return { kind: 'wait', checkout: ofLive };
    const retire = { orderId: live.orderId, to: 'unknown' } as const;
    return { kind: 'send', checkout: same, retire, isRenewal: false };
  }
  const isRenewal = request.renew !== undefined && request.renew === live.sessionId;
  const isUsable = ofLive === same && !isCertain(ofLive.state);
  if (isUsable && !isRenewal) return { kind: 'existing', checkout: ofLive, attempt: live };
  if (isRenewal && history.recentRenewals.length >= rules.renewalsPerHour) {
    const oldest = history.recentRenewals[0] ?? now;
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000));
    return { kind: 'too-many-renewals', retryAfterSeconds };
  }
  const retire = { orderId: live.orderId, to: 'superseded' } as const;
  return { kind: 'send', checkout: same, retire, isRenewal };
}
