import type { CheckoutSession } from '../checkout-session.js';
import { toJsonNumber } from '../money.js';
import type { TransactionRow } from '../resources/transaction-row.js';

/**
 * The body of a webhook about a payment. The spec shows neither the shape nor the event names
 * (section 6), so this is an invention that the option `webhookPayload` replaces.
 */
export function makeWebhookPayload(session: CheckoutSession, transaction: TransactionRow): unknown {
  return {
    event: 'payment',
    status: transaction.status,
    session_id: session.id,
    order_id: session.request.order_id,
    MerchantReference: session.request.MerchantReference,
    merchant_id: session.merchant.id,
    transaction_id: transaction.id,
    amount: transaction.amount === undefined ? undefined : toJsonNumber(transaction.amount),
    currencyCode: transaction.currencyCode,
  };
}
