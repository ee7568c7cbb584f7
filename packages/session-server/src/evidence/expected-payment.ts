import type { Checkout } from '../checkout/checkout.js';
import type { Attempt } from '../checkout/checkout-store.js';
import type { ExpectedPayment } from './evidence.js';

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
