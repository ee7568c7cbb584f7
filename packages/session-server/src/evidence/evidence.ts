/**
 * Whether a row of the provider's list proves a payment: pure rules, each one a reason in words.
 *
 * A missing field is never evidence. What the spec leaves open (which field carries our reference,
 * whether the service fee is inside the amount, which statuses mean paid) comes from
 * `EvidenceSettings`.
 */
import type { AttentionCode } from '../checkout/checkout.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import { parseMinor, parseRefundMinor } from '../money.js';

/** One row of `transactions/list` (spec 2.1), with its money as the exact text of the answer. */
export interface TransactionRow {
  readonly id?: string | undefined;
  readonly transactionTime?: string | undefined;
  readonly status?: string | undefined;
  readonly merchantId?: number | undefined;
  readonly currencyCode?: string | undefined;
  readonly amount?: string | undefined;
  readonly serviceFee?: string | undefined;
  readonly amountRefunded?: string | undefined;
  /** Values of the fields that may carry our reference. */
  readonly references: Readonly<Record<string, string>>;
}

/** What an attempt expects a row to say. */
export interface ExpectedPayment {
  readonly orderId: number;
  readonly merchantReference: string;
  readonly providerMerchantId: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly decimals: number;
  /** Milliseconds since 1970. */
  readonly attemptedAt: number;
  /** The transaction that has paid the checkout already. */
  readonly paidBy?: string | undefined;
}

export type Verdict =
  /** Not about this attempt, or not proof of anything. */
  | { readonly kind: 'none'; readonly reason: string }
  /** About this attempt, and wrong: a person must look. */
  | { readonly kind: 'mismatch'; readonly code: AttentionCode }
  | { readonly kind: 'paid'; readonly refund: 'none' | 'partial' | 'full' };

/** The values under which a row could name an attempt. */
export function referencesOf(
  row: TransactionRow,
  settings: Pick<EvidenceSettings, 'matchFields'>,
): string[] {
  return settings.matchFields.flatMap((field) => {
    const value = row.references[field];
    return value === undefined ? [] : [value];
  });
}

/** A date and a time of day, and nothing about where. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/**
 * When a row says that it happened, in milliseconds since 1970; undefined when that cannot be read.
 * `transactionTime` is in UTC (spec 2.1), so a text without a zone is too, wherever the server is.
 */
export function timeOf({ transactionTime = '' }: TransactionRow): number | undefined {
  const time = Date.parse(
    WITHOUT_ZONE.test(transactionTime) ? `${transactionTime}Z` : transactionTime,
  );
  return Number.isNaN(time) ? undefined : time;
}

export function judge(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): Verdict {
  const reason = whyNot(row, expected, settings);
  if (reason !== undefined) return { kind: 'none', reason };
  if (row.currencyCode === undefined) return { kind: 'mismatch', code: 'currency_missing' };
  if (row.currencyCode !== expected.currency)
    return { kind: 'mismatch', code: 'currency_mismatch' };
  if (isRefundBesidePayment(row, expected, settings)) {
    const refunded = refundedMinor(row.amount, expected.decimals) ?? 0;
    return { kind: 'paid', refund: refunded < expected.amountMinor ? 'partial' : 'full' };
  }
  const paid = paidMinor(row, expected.decimals, settings);
  if (paid !== expected.amountMinor) return { kind: 'mismatch', code: 'amount_mismatch' };
  return { kind: 'paid', refund: refundOf(row, expected, settings) };
}

/** How much of a row's payment has been given back. */
export function refundOf(
  row: TransactionRow,
  expected: Pick<ExpectedPayment, 'amountMinor' | 'decimals'>,
  settings: EvidenceSettings,
): 'none' | 'partial' | 'full' {
  const refunded = refundedMinor(row.amountRefunded, expected.decimals);
  if (refunded !== undefined && refunded > 0) {
    return refunded < expected.amountMinor ? 'partial' : 'full';
  }
  return settings.refundedStatuses.includes(row.status ?? '') ? 'full' : 'none';
}

/** A refund may come as a row of its own, beside the payment's row and smaller than it. */
function isRefundBesidePayment(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): boolean {
  return (
    expected.paidBy !== undefined &&
    expected.paidBy !== row.id &&
    settings.refundedStatuses.includes(row.status ?? '')
  );
}

function whyNot(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): string | undefined {
  const names = [String(expected.orderId), expected.merchantReference];
  if (!referencesOf(row, settings).some((value) => names.includes(value))) {
    return 'no match field carries this attempt’s order_id or MerchantReference';
  }
  if (row.id === undefined || row.id === '') return 'the row has no id';
  if (row.merchantId !== undefined && row.merchantId !== expected.providerMerchantId) {
    return 'the row is of another merchant';
  }
  const status = row.status ?? '';
  if (!settings.paidStatuses.includes(status) && !settings.refundedStatuses.includes(status)) {
    return row.status === undefined
      ? 'the row has no status'
      : 'the status is not in the paid list';
  }
  const time = timeOf(row);
  if (time === undefined) return 'the row has no transactionTime that can be read';
  if (time < expected.attemptedAt - settings.skewSeconds * 1000) {
    return 'the transaction is older than the attempt';
  }
  return undefined;
}

function paidMinor(
  row: TransactionRow,
  decimals: number,
  settings: EvidenceSettings,
): number | undefined {
  const amount = minorOf(row.amount, decimals);
  if (amount === undefined || settings.serviceFee === 'excluded') return amount;
  const fee = minorOf(row.serviceFee, decimals);
  return fee === undefined ? undefined : amount - fee;
}

function minorOf(decimal: string | undefined, decimals: number): number | undefined {
  return decimal === undefined ? undefined : parseMinor(decimal, decimals);
}

function refundedMinor(decimal: string | undefined, decimals: number): number | undefined {
  return decimal === undefined ? undefined : parseRefundMinor(decimal, decimals);
}
