import type { Checkout, CheckoutFact } from './checkout.js';
import type { PaymentEvidence } from './checkout-store.js';

/** All that is known when a transaction is recorded. */
export interface PaymentHistory {
  readonly checkout: Checkout;
  /** The other checkouts of the same order. */
  readonly siblings: readonly Checkout[];
  /** Whether this very transaction is known already, and for which checkout. */
  readonly knownFor: string | undefined;
  /** Whether what paid the checkout was a row that only said "given back". */
  readonly paidByRefundRow: boolean;
}

/**
 * The facts that a transaction stands for: pure. Undefined when it serves another checkout already
 * and so says nothing here.
 */
export function planPayment(
  history: PaymentHistory,
  evidence: PaymentEvidence,
): CheckoutFact[] | undefined {
  const { checkout, siblings, knownFor } = history;
  if (knownFor !== undefined && knownFor !== checkout.id) return undefined;
  const refunded: CheckoutFact[] =
    evidence.refund === 'none' ? [] : [{ type: 'refund-proved', refund: evidence.refund }];
  if (knownFor !== undefined) return refunded;
  if (checkout.state === 'paid') {
    // A refund may come as a row of its own, and the payment's row may come after it.
    if (evidence.isRefundRow) return refunded;
    if (history.paidByRefundRow) return [];
    return [{ type: 'payment-proved', transaction: evidence.transaction }];
  }
  return [
    { type: 'payment-proved', transaction: evidence.transaction },
    ...attentionFrom(checkout, siblings),
    ...refunded,
  ];
}

function attentionFrom(checkout: Checkout, siblings: readonly Checkout[]): CheckoutFact[] {
  if (siblings.some(({ state }) => state === 'paid')) {
    return [{ type: 'attention-needed', code: 'paid_twice' }];
  }
  return siblings.some(({ createdAt }) => createdAt > checkout.createdAt)
    ? [{ type: 'attention-needed', code: 'superseded_paid' }]
    : [];
}
