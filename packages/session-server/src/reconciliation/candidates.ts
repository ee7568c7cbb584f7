/** Which rows of a page are about which attempts: pure. */
import { namesOf } from '../checkouts/attempt-ids.js';
import type { StoredAttempt } from '../checkouts/attempt-repository.js';
import type { EvidenceSettings, Merchant } from '../merchants/merchant.js';
import { keyOf, type TransactionList, type TransactionRow } from '../provider/gateway.js';
import {
  expectedPaymentOf,
  type MatchResult,
  matchTransaction,
  type PricedCheckout,
  referencesOf,
} from './matching.js';
import type { MatchedRow } from './payment-rules.js';

/** A row, and what it says about an attempt that it is about. */
export interface Match {
  readonly row: TransactionRow;
  readonly attempt: StoredAttempt;
  readonly settings: EvidenceSettings;
  readonly result: MatchResult;
}

/** What is stored of the orders that the rows of a page may be about. */
export interface StoredEvidence {
  readonly attempts: readonly StoredAttempt[];
  /** By id. */
  readonly checkouts: ReadonlyMap<string, PricedCheckout>;
  readonly rows: readonly MatchedRow[];
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

/** Rows without a match field of some merchant: they may refer to a stored payment only. */
export function unnamedOf(
  rows: readonly TransactionRow[],
  { matchFieldSets }: MerchantIndex,
): TransactionRow[] {
  return rows.filter((row) =>
    matchFieldSets.some((matchFields) => referencesOf(row, { matchFields }).length === 0),
  );
}

/**
 * All matches of a page, in the order in which they count: payments first, since a row that pays one
 * attempt may name another one, whose price it does not show; then oldest first, so that a payment comes
 * before its refund.
 *
 * @returns `ambiguous`: attempts that only the `order_id` of a row without `merchantId` names
 */
export function matchPage(
  list: TransactionList,
  rows: readonly TransactionRow[],
  stored: StoredEvidence,
  index: MerchantIndex,
): { readonly matches: readonly Match[]; readonly ambiguous: readonly StoredAttempt[] } {
  const ambiguous: StoredAttempt[] = [];
  const match = (row: TransactionRow, attempt: StoredAttempt): Match[] => {
    const settings = index.byId.get(attempt.merchant)?.evidence;
    const checkout = stored.checkouts.get(attempt.checkout);
    if (!settings || !checkout) return [];
    const whose = ownerOf(list, row, attempt, settings);
    if (whose === 'ambiguous') ambiguous.push(attempt);
    if (whose !== 'its merchant') return [];
    const result = matchTransaction(row, expectedPaymentOf(attempt, checkout), settings);
    return [{ row, attempt, settings, result }];
  };
  const attempts = stored.attempts.filter(
    ({ account, providerMerchantId: id }) =>
      account === list.account && id === (list.providerMerchantId ?? id),
  );
  const named = findNamed(attempts, rows, index).flatMap(({ row, attempt }) => match(row, attempt));
  const paid = named.filter(({ result }) => result.kind === 'paid');
  const inOrder = [...paid, ...named.filter(({ result }) => result.kind !== 'paid')];
  const payments = findPayments(list.account, stored.rows, inOrder);
  const referring = findReferring(attempts, unnamedOf(rows, index), payments, index).flatMap(
    ({ row, attempt }) => match(row, attempt),
  );
  return { matches: [...inOrder, ...referring], ambiguous };
}

/**
 * An account's list has rows of many merchants: each counts only for its own. One without `merchantId`
 * needs a whole `MerchantReference`: two stores at one account may give the same `order_id`.
 */
function ownerOf(
  list: TransactionList,
  row: TransactionRow,
  { providerMerchantId, merchantReference }: StoredAttempt,
  settings: EvidenceSettings,
): 'its merchant' | 'another merchant' | 'ambiguous' {
  if (list.providerMerchantId !== undefined) return 'its merchant';
  if (row.merchantId !== undefined) {
    return row.merchantId === providerMerchantId ? 'its merchant' : 'another merchant';
  }
  return referencesOf(row, settings).includes(merchantReference) ? 'its merchant' : 'ambiguous';
}

interface Candidate {
  readonly row: TransactionRow;
  readonly attempt: StoredAttempt;
}

/** The rows that name an attempt by a match field of its merchant. */
function findNamed(
  attempts: readonly StoredAttempt[],
  rows: readonly TransactionRow[],
  { byId, matchFields }: MerchantIndex,
): Candidate[] {
  const rowsByName = new Map<string, TransactionRow[]>();
  for (const row of rows) {
    for (const name of referencesOf(row, { matchFields })) {
      rowsByName.set(name, [...(rowsByName.get(name) ?? []), row]);
    }
  }
  return attempts.flatMap((attempt) => {
    const names = namesOf(attempt);
    const settings = byId.get(attempt.merchant)?.evidence;
    const mayName = new Set(names.flatMap((name) => rowsByName.get(name) ?? []));
    if (!settings || mayName.size === 0) return [];
    const named = rows.filter(
      (row) =>
        mayName.has(row) && referencesOf(row, settings).some((value) => names.includes(value)),
    );
    return named.toReversed().map((row) => ({ row, attempt }));
  });
}

/** A stored row, or one that the page adds, as a row may refer to it. */
type Payment = Pick<MatchedRow, 'transaction' | 'orderId' | 'reference' | 'provesPrice'>;

/** The rows of an account with which other rows may be about the same payment, by order_id. */
function findPayments(
  account: string,
  stored: readonly MatchedRow[],
  named: readonly Match[],
): ReadonlyMap<number, readonly Payment[]> {
  const byId = new Map<string, Payment>(
    stored.filter((row) => row.account === account).map((row) => [row.transaction, row]),
  );
  for (const { row, attempt, result } of named) {
    const money = 'money' in result ? result.money : undefined;
    const transaction = row.id ?? '';
    const known = byId.get(transaction);
    const provesPrice = result.kind === 'paid';
    const isOfAnother = known !== undefined && known.orderId !== attempt.orderId;
    if (!money || (isOfAnother && (known.provesPrice || !provesPrice))) continue;
    const reference = (isOfAnother ? undefined : known?.reference) ?? money.reference;
    byId.set(transaction, { transaction, orderId: attempt.orderId, reference, provesPrice });
  }
  return Map.groupBy(byId.values(), ({ orderId }) => orderId);
}

/**
 * A row without a match field of its merchant may be a newer version of a stored one, which is the same
 * payment, or a refund or chargeback that refers only to its payment. It never proves a payment that is
 * not stored.
 */
function findReferring(
  attempts: readonly StoredAttempt[],
  rows: readonly TransactionRow[],
  payments: ReadonlyMap<number, readonly Payment[]>,
  { byId, matchFieldsAt }: MerchantIndex,
): Candidate[] {
  return rows.toReversed().flatMap((row) =>
    attempts.flatMap((attempt) => {
      const settings = byId.get(attempt.merchant)?.evidence;
      const known = payments.get(attempt.orderId) ?? [];
      if (!settings || !isOfPayment(row, known, settings)) return [];
      const { matchFields } = settings;
      const allFields = [...matchFields, ...(matchFieldsAt.get(keyOf(attempt)) ?? [])];
      if (referencesOf(row, { matchFields: allFields }).length > 0) return [];
      const [field = ''] = matchFields;
      const references = { ...row.references, [field]: attempt.merchantReference };
      return { row: { ...row, references }, attempt };
    }),
  );
}

/** Whether a row is one of these payments, or refunds or reverses one. */
function isOfPayment(
  row: TransactionRow,
  payments: readonly Payment[],
  { refundMatchField, paidStatuses, failedStatuses }: EvidenceSettings,
): boolean {
  const isOther = ![...paidStatuses, ...failedStatuses].includes(row.status ?? '');
  return payments.some(
    ({ transaction, reference }) =>
      transaction === row.id ||
      (isOther && reference !== undefined && reference === row.references[refundMatchField]),
  );
}
