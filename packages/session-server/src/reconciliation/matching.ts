/**
 * Whether a row of the provider's list proves a payment: pure rules, each one a reason in words.
 *
 * A missing field is never evidence. What the spec leaves open (which field carries our reference,
 * whether the service fee is inside the amount, which statuses mean paid) comes from
 * `EvidenceSettings`.
 */
import type { AttentionCode } from '../checkouts/state-machine.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import { parseMinor, parseRefundMinor } from '../checkouts/money.js';

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

export type MatchResult =
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

/** A date of ISO 8601, with or without a time of day, and that with or without a zone. */
const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:Z|([+-]\d\d):?(\d\d))?)?$/i;

/**
 * When a row says that it happened, in milliseconds since 1970; undefined when that cannot be read.
 * `transactionTime` is ISO 8601 in UTC (spec 2.1), so a text without a zone is in UTC too. A text of
 * another shape is not read at all: it would be in the zone of the server, wherever that is.
 */
export function timeOf({
  transactionTime = '',
}: Pick<TransactionRow, 'transactionTime'>): number | undefined {
  const [, date, clock = '00:00', hours, minutes = ''] = ISO_TIME.exec(transactionTime) ?? [];
  if (date === undefined) return undefined;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const time = Date.parse(`${date}T${clock}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}

export function matchTransaction(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): MatchResult {
  const reason = whyNot(row, expected, settings);
  if (reason !== undefined) return { kind: 'none', reason };
  if (row.currencyCode === undefined) return { kind: 'mismatch', code: 'currency_missing' };
  if (row.currencyCode !== expected.currency)
    return { kind: 'mismatch', code: 'currency_mismatch' };
  if (isRefundBesidePayment(row, expected, settings)) {
    const refunded = refundedMinor(row.amount, expected.decimals) ?? 0;
    return { kind: 'paid', refund: refunded < expected.amountMinor ? 'partial' : 'full' };
  }
  const refund = refundOf(row, expected, settings);
  // Whether the amount of a payment stays when it is given back is not shown: it was right before.
  if (row.id === expected.paidBy && refund !== 'none') return { kind: 'paid', refund };
  if (paidMinor(row, expected.decimals, settings) === expected.amountMinor) {
    return { kind: 'paid', refund };
  }
  return isGivenBack(row, settings) && !leavesMoney(row, expected)
    ? { kind: 'none', reason: 'money was given back, and no row shows the payment of the price' }
    : { kind: 'mismatch', code: 'amount_mismatch' };
}

/** How much of a row's payment has been given back. */
export function refundOf(
  row: TransactionRow,
  { amountMinor, decimals }: Pick<ExpectedPayment, 'amountMinor' | 'decimals'>,
  settings: EvidenceSettings,
): 'none' | 'partial' | 'full' {
  const refunded = refundedMinor(row.amountRefunded, decimals) ?? 0;
  if (refunded > 0) return refunded < amountMinor ? 'partial' : 'full';
  if (!isGivenBack(row, settings)) return 'none';
  // Less than the price, whether it is what was given back or what is left: a part.
  const amount = refundedMinor(row.amount, decimals) ?? 0;
  return amount > 0 && amount < amountMinor ? 'partial' : 'full';
}

/** A refund may come as a row of its own, beside the payment's row and smaller than it. */
function isRefundBesidePayment(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): boolean {
  return expected.paidBy !== undefined && expected.paidBy !== row.id && isGivenBack(row, settings);
}

function isGivenBack(row: TransactionRow, settings: EvidenceSettings): boolean {
  return settings.refundedStatuses.includes(row.status ?? '');
}

/** Whether a row says itself that less was given back than was taken. */
function leavesMoney(row: TransactionRow, { decimals }: ExpectedPayment): boolean {
  const refunded = refundedMinor(row.amountRefunded, decimals) ?? 0;
  return refunded > 0 && refunded < (refundedMinor(row.amount, decimals) ?? 0);
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
  const read = isGivenBack(row, settings) ? refundedMinor : minorOf;
  const amount = read(row.amount, decimals);
  if (amount === undefined || settings.serviceFee === 'excluded') return amount;
  const fee = read(row.serviceFee, decimals);
  return fee === undefined ? undefined : amount - fee;
}

function minorOf(decimal: string | undefined, decimals: number): number | undefined {
  return decimal === undefined ? undefined : parseMinor(decimal, decimals);
}

function refundedMinor(decimal: string | undefined, decimals: number): number | undefined {
  return decimal === undefined ? undefined : parseRefundMinor(decimal, decimals);
}
