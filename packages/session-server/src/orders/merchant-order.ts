import { type Checkout, isCertain } from '../checkouts/state-machine.js';
import type { Attempt, StoredTransaction } from '../checkouts/repository.js';
import type { MerchantOrder } from '../contract.js';
import type { Merchant } from '../merchants/merchant.js';
import { formatMinor } from '../checkouts/money.js';

interface CheckoutParts {
  readonly checkout: Checkout;
  readonly attempts: readonly Attempt[];
  readonly transactions: readonly StoredTransaction[];
}

/** What is known of an order: a paid checkout speaks for it, else the one that was opened last. */
export function toMerchantOrder(
  merchant: Merchant,
  order: string,
  parts: readonly CheckoutParts[],
): MerchantOrder {
  const speaking = parts.find(({ checkout }) => checkout.state === 'paid') ?? findOpenedLast(parts);
  const state = speaking?.checkout.state ?? 'open';
  return {
    merchant: merchant.id,
    order,
    state,
    certain: isCertain(state),
    checkouts: parts.map(({ checkout, attempts, transactions }) => ({
      checkout: checkout.id,
      state: checkout.state,
      certain: isCertain(checkout.state),
      amount: formatMinor(checkout.amountMinor, checkout.decimals),
      currency: checkout.currency,
      refund: checkout.refund,
      attention: checkout.attention,
      createdAt: new Date(checkout.createdAt).toISOString(),
      attempts: attempts.map(({ orderId, merchantReference, status, createdAt }) => ({
        orderId,
        merchantReference,
        status,
        createdAt: new Date(createdAt).toISOString(),
      })),
      transactions,
    })),
  };
}

/** A price that is asked again leads to its old checkout, and to a new attempt: these only grow. */
function findOpenedLast(parts: readonly CheckoutParts[]): CheckoutParts | undefined {
  const lastOrderId = ({ attempts }: CheckoutParts) => attempts.at(-1)?.orderId ?? 0;
  return parts.toSorted((one, other) => lastOrderId(one) - lastOrderId(other)).at(-1);
}
