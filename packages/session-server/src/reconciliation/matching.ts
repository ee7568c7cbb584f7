/**
 * Whether a row of the provider's list proves a payment: pure rules, each with its reason in words.
 *
 * A missing field proves nothing. What the spec leaves open (which field carries our reference,
 * whether the service fee is inside the amount, which statuses mean paid) comes from
 * `EvidenceSettings`.
 */
import { MERCHANT_REFERENCE, namesOf } from '../checkouts/attempt-ids.js';
import { parseMinor, parseRefundMinor } from '../money.js';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { AttentionCode, Checkout } from '../checkouts/state-machine.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import type { TransactionRow } from '../provider/gateway.js';

/** What a row must say to pay an attempt. */
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

export function expectedPaymentOf(attempt: Attempt, checkout: Checkout): ExpectedPayment {
  return {
    orderId: attempt.orderId,
    merchantReference: attempt.merchantReference,
    providerMerchantId: attempt.providerMerchantId,
    attemptedAt: attempt.createdAt,
    amountMinor: checkout.amountMinor,
    currency: checkout.currency,
    decimals: checkout.decimals,
    paidBy: checkout.paidBy,
  };
}

export type MatchResult =
  /** Not about this attempt, or not proof of anything. */
  | { readonly kind: 'none'; readonly reason: string }
  /** About this attempt, and wrong: a person must check. */
  | { readonly kind: 'mismatch'; readonly code: AttentionCode }
  | { readonly kind: 'paid'; readonly refund: 'none' | 'partial' | 'full' };

/** The values with which a row may name an attempt. */
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
 * The time of a transaction in milliseconds since 1970; undefined when it cannot be read.
 * `transactionTime` is ISO 8601 in UTC (spec 2.1), so a text without a zone is in UTC too. Other
 * formats are not read: `Date.parse` would assume the time zone of the server.
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
  // Not shown: whether the amount of a payment changes with its refund. It matched before.
  if (row.id === expected.paidBy && refund !== 'none') return { kind: 'paid', refund };
  if (paidMinor(row, expected.decimals, settings) === expected.amountMinor) {
    return { kind: 'paid', refund };
  }
  return isRefunded(row, settings) && !isPartlyRefunded(row, expected)
    ? { kind: 'none', reason: 'money was refunded, and no row shows the payment of the price' }
    : { kind: 'mismatch', code: 'amount_mismatch' };
}

/** How much of a row's payment has been refunded. */
export function refundOf(
  row: TransactionRow,
  { amountMinor, decimals }: Pick<ExpectedPayment, 'amountMinor' | 'decimals'>,
  settings: EvidenceSettings,
): 'none' | 'partial' | 'full' {
  const refunded = refundedMinor(row.amountRefunded, decimals) ?? 0;
  if (refunded > 0) return refunded < amountMinor ? 'partial' : 'full';
  if (!isRefunded(row, settings)) return 'none';
  // Less than the price means a part, whether it is what was refunded or what is left.
  const amount = refundedMinor(row.amount, decimals) ?? 0;
  return amount > 0 && amount < amountMinor ? 'partial' : 'full';
}

/** A refund may come as a row of its own, beside the payment's row and smaller than it. */
function isRefundBesidePayment(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): boolean {
  return expected.paidBy !== undefined && expected.paidBy !== row.id && isRefunded(row, settings);
}

function isRefunded(row: TransactionRow, settings: EvidenceSettings): boolean {
  return settings.refundedStatuses.includes(row.status ?? '');
}

/** Whether a row says that less was refunded than was paid. */
function isPartlyRefunded(row: TransactionRow, { decimals }: ExpectedPayment): boolean {
  const refunded = refundedMinor(row.amountRefunded, decimals) ?? 0;
  return refunded > 0 && refunded < (refundedMinor(row.amount, decimals) ?? 0);
}

function whyNot(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): string | undefined {
  const names = namesOf(expected);
  const references = referencesOf(row, settings);
  if (!references.some((value) => names.includes(value))) {
    return 'no match field carries this attempt’s order_id or MerchantReference';
  }
  // Another server at this merchant may have given out the same order_id.
  if (references.some((value) => MERCHANT_REFERENCE.test(value) && !names.includes(value))) {
    return 'another match field carries the MerchantReference of another attempt';
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
  const read = isRefunded(row, settings) ? refundedMinor : minorOf;
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
