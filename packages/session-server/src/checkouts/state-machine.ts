/**
 * A checkout and its lawful moves: pure, knowing no HTTP, no SQL and no clock.
 *
 * Facts come in, a new checkout and the events for the shop come out. `docs/states.md` says the
 * same for people. Two rules carry the money: `paid` is absorbing, and no fact but evidence leads
 * to a state that is certain.
 */
import type { CheckoutState, PaymentFacts, RefundState, ReturnKind } from '../contract.js';

/**
 * Why the shop should check an order before shipping. Each is raised once per checkout, except
 * `paid_twice`, which is raised for each payment after the first.
 */
export type AttentionCode =
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'currency_missing'
  | 'time_mismatch'
  | 'paid_twice'
  | 'price_changed'
  | 'late_payment'
  | 'paid_after_void'
  | 'unconfirmed'
  | 'status_changed'
  | 'price_changed_after_paid';

export interface Checkout {
  readonly id: string;
  readonly merchant: string;
  readonly order: string;
  /** Hash of amount and currency, made by us. */
  readonly orderVersion: string;
  /** The shop's own version text, only passed on. */
  readonly shopVersion?: string | undefined;
  readonly amountMinor: number;
  readonly currency: string;
  readonly decimals: number;
  readonly state: CheckoutState;
  /** Counts every change; replies and polls name it. */
  readonly revision: number;
  /** Counts the events sent to the shop. */
  readonly sequence: number;
  readonly refund: RefundState;
  /** How much of the price is refunded, in minor units. */
  readonly refundedMinor: number;
  readonly attention: readonly AttentionCode[];
  /** The shop's own address to go back to, when its order lookup gave one. */
  readonly returnUrl?: string | undefined;
  /** Id of the request that created it; none when it was found in a restore. */
  readonly requestId?: string | undefined;
  readonly createdAt: number;
  /** When `open` becomes `expired`, by our own clock, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** When `returned` becomes `unconfirmed`, in milliseconds since 1970; set while `returned`. */
  readonly settleBy?: number | undefined;
  /**
   * When a page last said that the shopper submitted a payment, in milliseconds since 1970; undefined
   * once its outcome is known, or a complete read of the provider's list shows that there is none.
   */
  readonly submittedAt?: number | undefined;
  /** The checkout of the same order that took its place: at another price, or the one that is paid. */
  readonly supersededBy?: string | undefined;
  /** Id of the transaction that paid it. */
  readonly paidBy?: string | undefined;
  /** What the provider showed of that transaction. */
  readonly payment?: PaymentFacts | undefined;
  /** Whether it was ever erased: nothing personal is stored of it any more. */
  readonly isErased: boolean;
}

export type CheckoutFact =
  /** The shopper opened the checkout again. */
  | { readonly type: 'reopened' }
  /** One of the three return addresses of the current attempt was visited: a hint. */
  | { readonly type: 'came-back'; readonly kind: ReturnKind }
  /** The page says that the shopper cancelled: a hint. */
  | { readonly type: 'cancel-hinted' }
  /** The page says that the shopper submitted a payment: a hint. */
  | { readonly type: 'submit-hinted' }
  /** What was submitted was declined, or is in no complete read of the list after its settle window. */
  | { readonly type: 'submission-ended' }
  /** A transaction in the provider's list meets every rule of evidence. */
  | {
      readonly type: 'payment-proved';
      readonly transaction: string;
      readonly payment?: PaymentFacts | undefined;
    }
  /** How much of the price has been refunded, by all the evidence about the order. */
  | { readonly type: 'refund-proved'; readonly refundedMinor: number }
  /** A failure under the platform's own signing scheme or listed status. */
  | { readonly type: 'failure-proved' }
  /** Something that needs attention. */
  | { readonly type: 'attention-needed'; readonly code: AttentionCode }
  /** Time passed; `expiresAt` and `settleBy` decide. */
  | { readonly type: 'time-passed' };

export interface Rules {
  readonly expireAfterSeconds: number;
  /** How long a shopper's return may wait for evidence before the shop is notified. */
  readonly settleWindowSeconds: number;
}

export type EventType =
  | 'checkout.paid'
  | 'checkout.failed'
  | 'checkout.cancelled'
  | 'checkout.left'
  | 'checkout.expired'
  | 'checkout.unconfirmed'
  | 'checkout.refunded'
  | 'checkout.attention';

const EVENT_OF_STATE: Partial<Record<CheckoutState, EventType>> = {
  paid: 'checkout.paid',
  failed: 'checkout.failed',
  cancelled: 'checkout.cancelled',
  left: 'checkout.left',
  expired: 'checkout.expired',
  unconfirmed: 'checkout.unconfirmed',
};

/** Whether evidence stands behind a state, and not only a hint or a clock. */
export function isCertain(state: CheckoutState): boolean {
  return state === 'paid' || state === 'failed';
}

/** Whether the shopper came back from paying and there is no evidence yet. */
export function isAwaitingEvidence(state: CheckoutState): boolean {
  return state === 'returned' || state === 'unconfirmed';
}

/** Whether a page said that the shopper submitted a payment, and nothing answers that yet. */
export function isSubmitted({ submittedAt }: Pick<Checkout, 'submittedAt'>): boolean {
  return submittedAt !== undefined;
}

/** Whether money may be moving, so that nothing more may be paid now. */
export function isPaymentPending(checkout: Pick<Checkout, 'state' | 'submittedAt'>): boolean {
  return isAwaitingEvidence(checkout.state) || isSubmitted(checkout);
}

/** The checkout after a fact: the very same object when the fact changes nothing. */
export function advance(
  checkout: Checkout,
  fact: CheckoutFact,
  now: number,
  rules: Rules,
): Checkout {
  const next = apply(checkout, fact, now, rules);
  return next === checkout ? checkout : { ...next, revision: checkout.revision + 1 };
}

/** The events that a change sends to the shop, in order; none for an unchanged checkout. */
export function eventsBetween(before: Checkout, after: Checkout): EventType[] {
  const events: EventType[] = [];
  const ofState = EVENT_OF_STATE[after.state];
  if (after.state !== before.state && ofState) events.push(ofState);
  if (after.refundedMinor !== before.refundedMinor) events.push('checkout.refunded');
  if (attentionAdded(before, after).length > 0) events.push('checkout.attention');
  return events;
}

/** The attention codes that a change adds, one for each extra payment. */
export function attentionAdded(before: Checkout, after: Checkout): AttentionCode[] {
  const known = [...before.attention];
  return after.attention.filter((code) => {
    const index = known.indexOf(code);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}

function apply(checkout: Checkout, fact: CheckoutFact, now: number, rules: Rules): Checkout {
  switch (fact.type) {
    case 'attention-needed':
      return withAttention(checkout, fact.code);
    case 'payment-proved':
      return pay(checkout, fact);
    case 'refund-proved':
      return refundOf(checkout, fact.refundedMinor);
    case 'failure-proved':
      return checkout.state === 'paid' || checkout.state === 'failed'
        ? checkout
        : settled(checkout, 'failed');
    case 'reopened':
      return isReopenable(checkout.state)
        ? { ...inState(checkout, 'open'), expiresAt: now + rules.expireAfterSeconds * 1000 }
        : stayOpen(checkout, now, rules);
    case 'submit-hinted':
      return checkout.state === 'paid' || isAwaitingEvidence(checkout.state)
        ? checkout
        : { ...stayOpen(checkout, now, rules), submittedAt: now };
    case 'submission-ended':
      return checkout.submittedAt === undefined
        ? checkout
        : { ...checkout, submittedAt: undefined };
    case 'cancel-hinted':
      return leave(checkout, 'cancelled');
    case 'came-back':
      return comeBack(checkout, fact.kind, now, rules);
    case 'time-passed':
      return passTime(checkout, now);
  }
}

/**
 * A shopper who has just opened a checkout, or is paying in it, keeps it: when less than half of its time is
 * left, it gets the whole again.
 */
function stayOpen(checkout: Checkout, now: number, rules: Rules): Checkout {
  const whole = rules.expireAfterSeconds * 1000;
  return checkout.state === 'open' && checkout.expiresAt - now < whole / 2
    ? { ...checkout, expiresAt: now + whole }
    : checkout;
}

function isReopenable(state: CheckoutState): boolean {
  return state === 'cancelled' || state === 'left' || state === 'expired' || state === 'failed';
}

/** The states in which a visit to a return address still says something. */
function isAwaitingShopper(state: CheckoutState): boolean {
  return state === 'open' || state === 'cancelled' || state === 'left' || state === 'expired';
}

function comeBack(checkout: Checkout, kind: ReturnKind, now: number, rules: Rules): Checkout {
  switch (kind) {
    case 'return':
      return isAwaitingShopper(checkout.state)
        ? { ...inState(checkout, 'returned'), settleBy: now + rules.settleWindowSeconds * 1000 }
        : checkout;
    case 'cancel':
      return leave(checkout, 'cancelled');
    case 'back':
      return leave(checkout, 'left');
  }
}

/** A shopper who has submitted a payment has neither cancelled it nor left it. */
function leave(checkout: Checkout, state: 'cancelled' | 'left'): Checkout {
  return checkout.state === 'open' && !isPaymentPending(checkout)
    ? inState(checkout, state)
    : checkout;
}

function passTime(checkout: Checkout, now: number): Checkout {
  if (checkout.state === 'open' && checkout.expiresAt <= now) return inState(checkout, 'expired');
  if (checkout.state === 'returned' && (checkout.settleBy ?? Infinity) <= now) {
    return withAttention(inState(checkout, 'unconfirmed'), 'unconfirmed');
  }
  return checkout;
}

function pay(
  checkout: Checkout,
  { transaction, payment }: Extract<CheckoutFact, { type: 'payment-proved' }>,
): Checkout {
  if (checkout.state === 'paid') {
    return checkout.paidBy === transaction ? withFacts(checkout, payment) : checkout;
  }
  // The shop was sent a final state that was not final.
  const late = isReopenable(checkout.state);
  const paid = withFacts({ ...settled(checkout, 'paid'), paidBy: transaction }, payment);
  return late ? withAttention(paid, 'late_payment') : paid;
}

/** The row of the list may show more than the webhook that came before it. */
function withFacts(checkout: Checkout, shown: PaymentFacts = {}): Checkout {
  const known = checkout.payment ?? {};
  const payment = checkout.isErased ? erasePayment(shown) : shown;
  const isNew = Object.keys(payment).some((name) => !Object.hasOwn(known, name));
  return isNew ? { ...checkout, payment: { ...payment, ...known } } : checkout;
}

/** What may be kept of a payment when its order is erased. */
export function erasePayment({ lastDigits: _, ...kept }: PaymentFacts): PaymentFacts {
  return kept;
}

function refundOf(checkout: Checkout, refundedMinor: number): Checkout {
  if (checkout.state !== 'paid' || checkout.refundedMinor === refundedMinor) return checkout;
  const given = refundedMinor < checkout.amountMinor ? 'partial' : 'full';
  return { ...checkout, refund: refundedMinor === 0 ? 'none' : given, refundedMinor };
}

function withAttention(checkout: Checkout, code: AttentionCode): Checkout {
  // Once for each extra payment: someone has to refund each of them.
  return checkout.attention.includes(code) && code !== 'paid_twice'
    ? checkout
    : { ...checkout, attention: [...checkout.attention, code] };
}

/** Evidence answers what was `unconfirmed`. */
function settled(checkout: Checkout, state: 'paid' | 'failed'): Checkout {
  const attention = checkout.attention.filter((code) => code !== 'unconfirmed');
  return { ...inState(checkout, state), submittedAt: undefined, attention };
}

/** Leaves behind what belongs to the old state only. */
function inState(checkout: Checkout, state: CheckoutState): Checkout {
  return { ...checkout, state, settleBy: undefined };
}
