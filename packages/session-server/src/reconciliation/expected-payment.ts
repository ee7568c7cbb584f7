import type { Checkout } from '../checkouts/state-machine.js';
import type { Attempt } from '../checkouts/repository.js';
import type { ExpectedPayment } from './matching.js';

/** What the provider's list has to say of an attempt for its checkout to be paid. */
export function expectedPaymentOf(attempt: Attempt, checkout: Checkout): ExpectedPayment {
  return {
    orderId: attempt.orderId,
    merchantReference: attempt.merchantReference,
    providerMerchantId: attempt.providerMerchantId,
    attemptedAt: attempt.createdAt,
    amountMinor: checkout.amountMinor,
    currency: checkout.currency,
    decimals: checkout.decimals,
    paidBy: checkout.paidBy,
  };
}
