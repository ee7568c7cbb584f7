import { type Attempt, findAttemptsByReference } from '../checkouts/attempt-repository.js';
import type { EvidenceSettings, Merchant } from '../merchants/merchant.js';
import type { ProviderMerchant, TransactionRow } from '../provider/gateway.js';
import type { Reader } from '../store/database.js';
import { referencesOf } from './matching.js';
import type { MatchedRow } from './payment-rules.js';
import { findPaymentRows } from './repository.js';

/** A row that names an attempt. */
export interface CandidateTransaction {
  readonly row: TransactionRow;
  readonly attempt: Attempt;
  readonly merchant: Merchant;
}

/**
 * A row without a match field may be a newer version of a stored one, which is the same payment, or
 * a refund or chargeback that names its payment alone. It never proves a payment that is not stored.
 */
export async function findByPayment(
  reader: Reader,
  at: ProviderMerchant,
  rows: readonly TransactionRow[],
  merchants: readonly Merchant[],
): Promise<CandidateTransaction[]> {
  const unnamed = rows.filter((row) =>
    merchants.every(({ evidence }) => referencesOf(row, evidence).length === 0),
  );
  if (unnamed.length === 0) return [];
  const fields = [...new Set(merchants.map(({ evidence }) => evidence.refundMatchField))];
  const stored = await findPaymentRows(
    reader,
    at.account,
    unnamed.flatMap(({ id }) => id ?? []),
    unnamed.flatMap(({ references }) => fields.flatMap((field) => references[field] ?? [])),
  );
  const orderIds = stored.map(({ orderId }) => String(orderId));
  const attempts = await findAttemptsByReference(reader, at, orderIds);
  return unnamed.toReversed().flatMap((row) =>
    attempts.flatMap((attempt) => {
      const merchant = merchants.find(({ id }) => id === attempt.merchant);
      const known = stored.filter(({ orderId }) => orderId === attempt.orderId);
      if (!merchant || !isOfPayment(row, known, merchant.evidence)) return [];
      const [field = ''] = merchant.evidence.matchFields;
      const references = { ...row.references, [field]: attempt.merchantReference };
      return { row: { ...row, references }, attempt, merchant };
    }),
  );
}

/** Whether a row is one of these payments, or says what became of one. */
function isOfPayment(
  row: TransactionRow,
  payments: readonly MatchedRow[],
  { refundMatchField, paidStatuses, failedStatuses }: EvidenceSettings,
): boolean {
  const isOther = ![...paidStatuses, ...failedStatuses].includes(row.status ?? '');
  return payments.some(
    ({ transaction, reference }) =>
      transaction === row.id ||
      (isOther && reference !== undefined && reference === row.references[refundMatchField]),
  );
}
