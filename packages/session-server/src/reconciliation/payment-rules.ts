import type { Checkout, CheckoutFact } from '../checkouts/state-machine.js';
import { timeOf } from './matching.js';
import { parseRefundMinor } from '../checkouts/money.js';
import type { PaymentEvidence } from '../checkouts/repository.js';

/** All that is known when a transaction is recorded. */
export interface PaymentHistory {
  readonly checkout: Checkout;
  /** The other checkouts of the same order. */
  readonly siblings: readonly Checkout[];
  /** Whether another price of the order was asked for after this one was asked for last. */
  readonly isSuperseded: boolean;
  /** What is known of this very transaction already. */
  readonly known: { readonly checkout: string; readonly isRefundRow: boolean } | undefined;
  /**
   * The transaction that took the money of a paid checkout. Undefined while only a row that says
   * "given back" has been seen of it.
   */
  readonly paymentRow: string | undefined;
  /**
   * When money was given back, in milliseconds since 1970, by the row that paid the checkout; undefined
   * where that row says that money was taken.
   */
  readonly refundedAt: number | undefined;
  /** What rows of refunds beside the payment's row came to before, in minor units. */
  readonly refundedMinor: number;
}

/**
 * The facts that a transaction stands for: pure. Undefined when it serves another checkout already
 * and so says nothing here.
 */
export function planPayment(
  history: PaymentHistory,
  evidence: PaymentEvidence,
): CheckoutFact[] | undefined {
  const { checkout, known, paymentRow } = history;
  if (known && known.checkout !== checkout.id) return undefined;
  const refunded: CheckoutFact[] =
    evidence.refund === 'none' ? [] : [{ type: 'refund-proved', refund: evidence.refund }];
  if (known) {
    // What was given back of a second payment leaves the first one whole.
    const isOfPayment =
      known.isRefundRow || [checkout.paidBy, paymentRow].includes(evidence.transaction);
    return isOfPayment ? refunded : [];
  }
  if (checkout.state === 'paid') {
    // A refund may come as a row of its own, and the payment's row may be seen after it, once.
    if (evidence.isRefundRow) {
      return paymentRow === undefined ? refunded : [refundBeside(history, evidence)];
    }
    if (paymentRow === undefined && mayBeGivenBackBy(history, evidence)) return refunded;
    return [{ type: 'payment-proved', transaction: evidence.transaction }];
  }
  return [
    { type: 'payment-proved', transaction: evidence.transaction },
    ...attentionFrom(history),
    ...refunded,
  ];
}

/**
 * Whether a payment can be the one that the row of the refund gave back: nothing is given back before
 * it is taken. Both are of the price, or they would be no evidence.
 */
function mayBeGivenBackBy({ refundedAt }: PaymentHistory, payment: PaymentEvidence): boolean {
  const paidAt = timeOf(payment);
  return (
    payment.joinsRefundRow !== false &&
    paidAt !== undefined &&
    refundedAt !== undefined &&
    paidAt <= refundedAt
  );
}

/** Several refunds of a part may come to the whole. */
function refundBeside(
  { checkout, refundedMinor }: PaymentHistory,
  row: PaymentEvidence,
): CheckoutFact {
  const given = refundedMinor + (parseRefundMinor(row.amount, checkout.decimals) ?? 0);
  return { type: 'refund-proved', refund: given < checkout.amountMinor ? 'partial' : 'full' };
}

function attentionFrom({ siblings, isSuperseded }: PaymentHistory): CheckoutFact[] {
  if (siblings.some(({ state }) => state === 'paid')) {
    return [{ type: 'attention-needed', code: 'paid_twice' }];
  }
  return isSuperseded ? [{ type: 'attention-needed', code: 'superseded_paid' }] : [];
}
