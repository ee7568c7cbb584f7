import { formatMinor } from '../money.js';
import { type Checkout, isCertain, type EventType } from './state-machine.js';

/**
 * The JSON text of one event for a shop. It holds no personal data. Shops rely on `certain` events
 * only, and drop an event whose `sequence` is older than one that they have seen.
 */
export function renderEvent(
  checkout: Checkout,
  type: EventType,
  sequence: number,
  now: number,
): string {
  return JSON.stringify({
    type,
    timestamp: new Date(now).toISOString(),
    data: {
      merchant: checkout.merchant,
      order: checkout.order,
      version: checkout.shopVersion,
      checkout: checkout.id,
      requestId: checkout.requestId,
      state: checkout.state,
      certain: isCertain(checkout.state),
      sequence,
      amount: formatMinor(checkout.amountMinor, checkout.decimals),
      currency: checkout.currency,
      refund: checkout.refund,
      amountRefunded: formatMinor(checkout.refundedMinor, checkout.decimals),
      attention: checkout.attention,
      transaction: checkout.paidBy,
      payment: checkout.payment,
    },
  });
}
