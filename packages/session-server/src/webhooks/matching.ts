import type { Checkout } from '../checkouts/state-machine.js';
import type { Attempt } from '../checkouts/repository.js';
import { matchTransaction } from '../reconciliation/matching.js';
import { expectedPaymentOf } from '../reconciliation/expected-payment.js';
import type { WebhookSettings } from '../merchants/webhook-settings.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import { readPath } from './content.js';
import type { WebhookProof } from './repository.js';

/** The names under which a delivery speaks of an attempt, as its settings say where to look. */
export interface NamedAttempt {
  readonly orderId: string | undefined;
  readonly merchantReference: string | undefined;
}

/** Whom a delivery names. */
export function readNames(content: unknown, { paths }: WebhookSettings): NamedAttempt {
  return {
    orderId: readPath(content, paths.orderId),
    merchantReference: readPath(content, paths.merchantReference),
  };
}

/** Whether a delivery names somebody else than this attempt; naming nobody is no contradiction. */
export function contradicts(names: NamedAttempt, attempt: Attempt): boolean {
  const { orderId, merchantReference } = names;
  return (
    (orderId !== undefined && orderId !== String(attempt.orderId)) ||
    (merchantReference !== undefined && merchantReference !== attempt.merchantReference)
  );
}

/** What a verified delivery is about. */
export interface VerifiedWebhook {
  readonly content: unknown;
  readonly receivedAt: number;
  readonly attempt: Attempt;
  readonly checkout: Checkout;
}

/**
 * What a verified delivery proves of its attempt: pure. Only the statuses that the merchant entry
 * lists prove anything, and a payment keeps every rule of evidence that a row of the list keeps.
 */
export function evidenceOfWebhook(
  { content, receivedAt, attempt, checkout }: VerifiedWebhook,
  { paths, evidence }: WebhookSettings,
  rules: EvidenceSettings,
): WebhookProof | undefined {
  const status = readPath(content, paths.status) ?? '';
  const { orderId } = attempt;
  if (evidence.failedStatuses.includes(status)) return { kind: 'failure', orderId };
  const row = {
    id: readPath(content, paths.transaction),
    // Whether a delivery tells the time of the payment is not shown; it cannot come before it.
    transactionTime: new Date(receivedAt).toISOString(),
    status,
    currencyCode: readPath(content, paths.currency),
    amount: readPath(content, paths.amount),
    serviceFee: readPath(content, paths.serviceFee),
    references: Object.fromEntries(rules.matchFields.map((field) => [field, String(orderId)])),
  };
  const verdict = matchTransaction(row, expectedPaymentOf(attempt, checkout), {
    ...rules,
    paidStatuses: evidence.paidStatuses,
    refundedStatuses: [],
  });
  if (verdict.kind === 'none') return undefined;
  if (verdict.kind === 'mismatch') return { kind: 'mismatch', orderId, code: verdict.code };
  return {
    kind: 'payment',
    evidence: {
      transaction: row.id ?? '',
      orderId,
      status,
      isRefundRow: false,
      amount: row.amount ?? '',
      currency: row.currencyCode ?? '',
      transactionTime: row.transactionTime,
      refund: verdict.refund,
    },
  };
}
