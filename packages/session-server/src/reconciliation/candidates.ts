import { type Attempt, findAttemptsByReference } from '../checkouts/attempt-repository.js';
import { namesOf } from '../checkouts/attempt-ids.js';
import type { EvidenceSettings, Merchant } from '../merchants/merchant.js';
import { keyOf, type TransactionList, type TransactionRow } from '../provider/gateway.js';
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

/** All merchants, by what the rows of a page ask for. */
export interface MerchantIndex {
  readonly byId: ReadonlyMap<string, Merchant>;
  /** The match fields of all of them. */
  readonly matchFields: string[];
  /** Those of each; once where several have the same. */
  readonly matchFieldSets: readonly string[][];
  /** Those of the merchants that share an id at an account, by its key. */
  readonly matchFieldsAt: ReadonlyMap<string, string[]>;
  readonly refundMatchFields: readonly string[];
}

const indexes = new WeakMap<readonly Merchant[], MerchantIndex>();

/** Made once for each version of the merchants: there may be thousands, and pages come by the second. */
export function indexMerchants(merchants: readonly Merchant[]): MerchantIndex {
  const known = indexes.get(merchants);
  if (known) return known;
  const fieldsOf = (some: readonly Merchant[]): string[] => [
    ...new Set(some.flatMap(({ evidence }) => evidence.matchFields)),
  ];
  const index: MerchantIndex = {
    byId: new Map(merchants.map((merchant) => [merchant.id, merchant])),
    matchFields: fieldsOf(merchants),
    matchFieldSets: [
      ...new Map(
        merchants.map(({ evidence: { matchFields } }) => [matchFields.join(' '), matchFields]),
      ).values(),
    ],
    matchFieldsAt: new Map(
      [...Map.groupBy(merchants, keyOf)].map(([key, some]) => [key, fieldsOf(some)]),
    ),
    refundMatchFields: [...new Set(merchants.map(({ evidence }) => evidence.refundMatchField))],
  };
  indexes.set(merchants, index);
  return index;
}

/** The rows that name an attempt by a match field of its merchant. */
export function findByName(
  attempts: readonly Attempt[],
  rows: readonly TransactionRow[],
  { byId, matchFields }: MerchantIndex,
): CandidateTransaction[] {
  const rowsByName = new Map<string, TransactionRow[]>();
  for (const row of rows) {
    for (const name of referencesOf(row, { matchFields })) {
      rowsByName.set(name, [...(rowsByName.get(name) ?? []), row]);
    }
  }
  return attempts.flatMap((attempt) => {
    const merchant = byId.get(attempt.merchant);
    if (!merchant) return [];
    const names = namesOf(attempt);
    const mayName = new Set(names.flatMap((name) => rowsByName.get(name) ?? []));
    const named = rows.filter(
      (row) =>
        mayName.has(row) &&
        referencesOf(row, merchant.evidence).some((value) => names.includes(value)),
    );
    // Oldest first: a payment is recorded before its refund.
    return named.toReversed().map((row) => ({ row, attempt, merchant }));
  });
}

/**
 * A row without a match field of its merchant may be a newer version of a stored one, which is the same
 * payment, or a refund or chargeback that refers only to its payment. It never proves a payment that is
 * not stored.
 */
export async function findByPayment(
  reader: Reader,
  list: TransactionList,
  rows: readonly TransactionRow[],
  { byId, matchFieldSets, matchFieldsAt, refundMatchFields }: MerchantIndex,
): Promise<CandidateTransaction[]> {
  const unnamed = rows.filter((row) =>
    matchFieldSets.some((matchFields) => referencesOf(row, { matchFields }).length === 0),
  );
  if (unnamed.length === 0) return [];
  const stored = await findPaymentRows(
    reader,
    list.account,
    unnamed.flatMap(({ id }) => id ?? []),
    unnamed.flatMap(({ references }) =>
      refundMatchFields.flatMap((field) => references[field] ?? []),
    ),
  );
  const orderIds = stored.map(({ orderId }) => String(orderId));
  const attempts = await findAttemptsByReference(reader, list, orderIds);
  return unnamed.toReversed().flatMap((row) =>
    attempts.flatMap((attempt) => {
      const merchant = byId.get(attempt.merchant);
      const known = stored.filter(({ orderId }) => orderId === attempt.orderId);
      if (!merchant || !isOfPayment(row, known, merchant.evidence)) return [];
      const { matchFields } = merchant.evidence;
      const allFields = [...matchFields, ...(matchFieldsAt.get(keyOf(attempt)) ?? [])];
      if (referencesOf(row, { matchFields: allFields }).length > 0) return [];
      const [field = ''] = matchFields;
      const references = { ...row.references, [field]: attempt.merchantReference };
      return { row: { ...row, references }, attempt, merchant };
    }),
  );
}

/** Whether a row is one of these payments, or refunds or reverses one. */
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
