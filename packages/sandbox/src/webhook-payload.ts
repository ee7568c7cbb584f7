import { toJsonNumber } from './money.js';
import type { CheckoutSession } from './resources/session-store.js';
import type { WebhookEndpoint } from './resources/webhook-endpoints.js';
import type { WebhookOutcome } from './switches.js';
import type { TransactionRow } from './transactions/transaction.js';

/** What a webhook is about. */
export interface WebhookContent {
  /** Name of the event, of the switch `webhookEvents`. */
  readonly event: string;
  readonly outcome: WebhookOutcome;
  /** The transaction; an invented one where the outcome made none. */
  readonly row: TransactionRow;
  /** None for a past transaction, which was not paid here. */
  readonly session?: CheckoutSession | undefined;
  /** The registered endpoint that it goes to. None: it goes to `WebhookUrl`. */
  readonly endpoint?: WebhookEndpoint | undefined;
}

/**
 * The body of a webhook about a payment. The spec does not show the shape (section 6), so this is an
 * invention that the option `webhookPayload` replaces.
 */
export function makeWebhookPayload({ event, outcome, session, row }: WebhookContent): unknown {
  return {
    event,
    status: row.status,
    session_id: session?.id,
    order_id: orderIdOf(session, row),
    MerchantReference: session?.request.MerchantReference ?? row.orderRef,
    merchant_id: session?.merchant.id ?? row.merchantId,
    transaction_id: row.id,
    amount: row.amount && toJsonNumber(row.amount),
    amountRefunded:
      outcome === 'refunded' && row.amountRefunded ? toJsonNumber(row.amountRefunded) : undefined,
    currencyCode: row.currencyCode,
  };
}

/** `order_id` of the session, or what the row has of it. */
export function orderIdOf(
  session: CheckoutSession | undefined,
  row: TransactionRow,
): number | undefined {
  const id = session?.request.order_id ?? Number(row.resellerOrderId);
  return Number.isSafeInteger(id) ? id : undefined;
}
