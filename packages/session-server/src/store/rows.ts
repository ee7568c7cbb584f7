import type { Checkout, AttentionCode } from '../checkouts/state-machine.js';
import type { AttemptStatus, StoredTransaction } from '../checkouts/repository.js';
import type { ActiveAttempt } from '../checkouts/opening-rules.js';
import type { CheckoutState, RefundState } from '../contract.js';

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, unknown>>;

export function toCheckout(row: Row): Checkout {
  return {
    id: String(row['id']),
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    orderVersion: String(row['order_version']),
    shopVersion: optionalText(row['shop_version']),
    amountMinor: Number(row['amount_minor']),
    currency: String(row['currency']),
    decimals: Number(row['decimals']),
    state: row['state'] as CheckoutState,
    revision: Number(row['revision']),
    sequence: Number(row['sequence']),
    refund: row['refund'] as RefundState,
    attention: JSON.parse(String(row['attention'])) as AttentionCode[],
    returnUrl: optionalText(row['return_url']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    settleBy: optionalNumber(row['settle_by']),
    paidBy: optionalText(row['paid_by']),
  };
}

/** The columns of a checkout, by their names. */
export function fromCheckout(checkout: Checkout): Record<string, string | number | null> {
  return {
    id: checkout.id,
    merchant: checkout.merchant,
    order_name: checkout.order,
    order_version: checkout.orderVersion,
    shop_version: checkout.shopVersion ?? null,
    amount_minor: checkout.amountMinor,
    currency: checkout.currency,
    decimals: checkout.decimals,
    state: checkout.state,
    revision: checkout.revision,
    sequence: checkout.sequence,
    refund: checkout.refund,
    attention: JSON.stringify(checkout.attention),
    return_url: checkout.returnUrl ?? null,
    created_at: checkout.createdAt,
    expires_at: checkout.expiresAt,
    settle_by: checkout.settleBy ?? null,
    paid_by: checkout.paidBy ?? null,
    due_at: dueAt(checkout),
  };
}

export function toAttempt(row: Row): ActiveAttempt {
  return {
    orderId: Number(row['order_id']),
    merchantReference: String(row['merchant_reference']),
    checkout: String(row['checkout']),
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    providerMerchantId: Number(row['provider_merchant_id']),
    status: row['status'] as AttemptStatus,
    sessionId: optionalText(row['session_id']),
    createdAt: Number(row['created_at']),
    leaseUntil: Number(row['lease_until']),
    submittedAt: optionalNumber(row['submitted_at']),
  };
}

export function toTransaction(row: Row): StoredTransaction {
  return {
    id: String(row['id']),
    orderId: Number(row['order_id']),
    status: String(row['status']),
    amount: String(row['amount']),
    currency: String(row['currency']),
    transactionTime: String(row['transaction_time']),
  };
}

/** When the clock next has something to say about a checkout. */
function dueAt(checkout: Checkout): number | null {
  if (checkout.state === 'open') return checkout.expiresAt;
  return checkout.state === 'returned' ? (checkout.settleBy ?? null) : null;
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
