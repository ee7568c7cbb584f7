import type { Checkout, CheckoutFact } from '../checkouts/state-machine.js';
import { timeOf } from './matching.js';
import { parseRefundMinor } from '../money.js';
import type { PaymentEvidence } from './repository.js';

/** All that is known when a transaction is recorded. */
export interface PaymentHistory {
  readonly checkout: Checkout;
  /** The other checkouts of the same order. */
  readonly siblings: readonly Checkout[];
  /** Whether another price of the order was requested after this one was last requested. */
  readonly isSuperseded: boolean;
  /** What is stored of this transaction. */
  readonly known: { readonly checkout: string; readonly isRefundRow: boolean } | undefined;
  /**
   * The transaction that took the money of a paid checkout. Undefined while only a row of its refund
   * has been read.
   */
  readonly paymentRow: string | undefined;
  /**
   * The time of the refund, in milliseconds since 1970, when the row that paid the checkout shows it as
   * refunded; otherwise undefined.
   */
  readonly refundedAt: number | undefined;
  /** The sum of earlier refund rows beside the payment's row, in minor units. */
  readonly refundedMinor: number;
}

/**
 * The facts that a transaction proves: pure. Undefined when it serves another checkout already, and so
 * proves nothing here.
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
    // A refund of a second payment leaves the first one whole.
    const isOfPayment =
      known.isRefundRow || [checkout.paidBy, paymentRow].includes(evidence.transaction);
    return isOfPayment ? refunded : [];
  }
  if (checkout.state === 'paid') {
    // A refund may be a row of its own, and the payment's row may be read after it, once.
    if (evidence.isRefundRow) {
      return paymentRow === undefined ? refunded : [refundBeside(history, evidence)];
    }
    if (paymentRow === undefined && mayBeRefundedPayment(history, evidence)) return refunded;
    return [{ type: 'payment-proved', transaction: evidence.transaction }];
  }
  return [
    { type: 'payment-proved', transaction: evidence.transaction },
    ...attentionFrom(history),
    ...refunded,
  ];
}

/**
 * Whether a payment can be the one that the refund row is of: no payment is refunded before it is made.
 * Both are of the price, or they would prove nothing.
 */
function mayBeRefundedPayment({ refundedAt }: PaymentHistory, payment: PaymentEvidence): boolean {
  const paidAt = timeOf(payment);
  return (
    payment.joinsRefundRow !== false &&
    paidAt !== undefined &&
    refundedAt !== undefined &&
    paidAt <= refundedAt
  );
}

/** Several partial refunds may add up to a full one. */
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
