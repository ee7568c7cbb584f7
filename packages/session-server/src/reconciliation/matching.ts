/**
 * Whether a row of the provider's list proves a payment: pure rules, each with a code.
 *
 * A missing field proves nothing. What the spec leaves open (which field carries our reference,
 * whether the service fee is inside the amount, which statuses mean paid) comes from
 * `EvidenceSettings`.
 */
import { MERCHANT_REFERENCE, namesOf } from '../checkouts/attempt-ids.js';
import { parseMinor, parseRefundMinor } from '../money.js';
import type { PaymentFacts } from '../contract.js';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { AttentionCode, Checkout } from '../checkouts/state-machine.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import type { TransactionRow } from '../provider/gateway.js';

/** Longer than any reference that we know of. */
const MAX_FACT_CHARS = 200;

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
}

/** The price of a checkout, which never changes. */
export type PricedCheckout = Pick<Checkout, 'amountMinor' | 'currency' | 'decimals'>;

export function expectedPaymentOf(attempt: Attempt, checkout: PricedCheckout): ExpectedPayment {
  return {
    orderId: attempt.orderId,
    merchantReference: attempt.merchantReference,
    providerMerchantId: attempt.providerMerchantId,
    attemptedAt: attempt.createdAt,
    amountMinor: checkout.amountMinor,
    currency: checkout.currency,
    decimals: checkout.decimals,
  };
}

/** The money of a row that is about an attempt, in minor units of the order's currency. */
export interface RowMoney {
  /** Whether its status means refunded. */
  readonly isRefundRow: boolean;
  /** What was taken, or what the row of a refund gives as its amount. */
  readonly takenMinor: number;
  readonly refundedMinor: number;
  /** The value of the field that a refund shares with its payment. */
  readonly reference?: string | undefined;
}

/**
 * Why a row proves nothing about an attempt. The order log stores these codes, so none is ever renamed;
 * `@pay-checkout/operator` has a sentence for each.
 */
export type MatchReason =
  | 'no_reference'
  | 'other_reference'
  | 'no_id'
  | 'other_merchant'
  | 'no_status'
  | 'unlisted_status'
  | 'unreadable_time'
  | 'too_old';

export type MatchResult =
  /**
   * Not about this attempt, or not proof of anything; `status` where the reason is a status that is
   * not configured.
   */
  | { readonly kind: 'none'; readonly reason: MatchReason; readonly status?: string | undefined }
  /** About this attempt, but wrong: needs attention. */
  | {
      readonly kind: 'mismatch';
      readonly code: AttentionCode;
      /** Undefined when it cannot be added to the money of the order. */
      readonly money?: RowMoney | undefined;
    }
  /** Money was refunded, and the row does not show a payment of the price. */
  | { readonly kind: 'refunded'; readonly money: RowMoney }
  | { readonly kind: 'paid'; readonly money: RowMoney }
  /** Its status means that the payment failed. */
  | { readonly kind: 'failed' };

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

/** What a row shows of its payment that the merchant may want to know: no names. */
export function paymentFactsOf(
  row: TransactionRow,
  { schemeField }: Pick<EvidenceSettings, 'schemeField'>,
): PaymentFacts {
  const { references, serviceFee, transactionTime } = row;
  const lastDigits = references['last4Digits'];
  const facts = {
    method: references['paymentMethod'],
    scheme: references[schemeField],
    // A whole number of a card is never kept.
    lastDigits: lastDigits !== undefined && /^\d{1,4}$/.test(lastDigits) ? lastDigits : undefined,
    fee: serviceFee,
    pspReference: references['pspReference'],
    internalReference: references['internalReference'],
    paidAt: transactionTime,
  };
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== undefined && value !== '' && value.length <= MAX_FACT_CHARS,
  );
  return Object.fromEntries(shown);
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

/** In UTC, like all times shown to operators; unchanged if it cannot be parsed. */
export function describeTime(row: Pick<TransactionRow, 'transactionTime'>): string {
  const time = timeOf(row);
  return time === undefined ? (row.transactionTime ?? 'no time') : new Date(time).toISOString();
}

export function matchTransaction(
  row: TransactionRow,
  expected: ExpectedPayment,
  settings: EvidenceSettings,
): MatchResult {
  const reason = whyNot(row, expected, settings);
  // Only the time is wrong: the provider's clock may be further behind than the setting says.
  if (reason === 'too_old' && isPayment(row, expected, settings)) {
    return { kind: 'mismatch', code: 'time_mismatch' };
  }
  if (reason !== undefined) {
    const status = reason === 'unlisted_status' ? row.status : undefined;
    return { kind: 'none', reason, ...(status && { status }) };
  }
  if (settings.failedStatuses.includes(row.status ?? '')) return { kind: 'failed' };
  if (row.currencyCode === undefined) return { kind: 'mismatch', code: 'currency_missing' };
  if (row.currencyCode !== expected.currency)
    return { kind: 'mismatch', code: 'currency_mismatch' };
  const takenMinor = paidMinor(row, expected.decimals, settings);
  const money = moneyOf(row, takenMinor, expected, settings);
  if (money && takenMinor === expected.amountMinor) return { kind: 'paid', money };
  return money?.isRefundRow && !isPartlyRefunded(row, expected)
    ? { kind: 'refunded', money }
    : { kind: 'mismatch', code: 'amount_mismatch', money };
}

/** Whether its status, currency and amount are those of a payment of the price. */
function isPayment(
  row: TransactionRow,
  { currency, amountMinor, decimals }: ExpectedPayment,
  settings: EvidenceSettings,
): boolean {
  return (
    settings.paidStatuses.includes(row.status ?? '') &&
    row.currencyCode === currency &&
    paidMinor(row, decimals, settings) === amountMinor
  );
}

/** Undefined when a payment does not show how much was taken. */
function moneyOf(
  row: TransactionRow,
  paid: number | undefined,
  { amountMinor, decimals }: ExpectedPayment,
  settings: EvidenceSettings,
): RowMoney | undefined {
  const isRefundRow = isRefunded(row, settings);
  if (paid === undefined && !isRefundRow) return undefined;
  const takenMinor = paid ?? refundedMinor(row.amount, decimals) ?? 0;
  // A refund without an amount counts as a full one.
  const ofStatus = isRefundRow ? takenMinor || amountMinor : 0;
  return {
    isRefundRow,
    takenMinor,
    refundedMinor: (refundedMinor(row.amountRefunded, decimals) ?? 0) || ofStatus,
    reference: row.references[settings.refundMatchField] || undefined,
  };
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
): MatchReason | undefined {
  const names = namesOf(expected);
  const references = referencesOf(row, settings);
  if (!references.some((value) => names.includes(value))) {
    return 'no_reference';
  }
  // Another server at this merchant may have allocated the same order_id.
  if (references.some((value) => MERCHANT_REFERENCE.test(value) && !names.includes(value))) {
    return 'other_reference';
  }
  if (row.id === undefined || row.id === '') return 'no_id';
  if (row.merchantId !== undefined && row.merchantId !== expected.providerMerchantId) {
    return 'other_merchant';
  }
  const { paidStatuses, refundedStatuses, failedStatuses } = settings;
  if (![...paidStatuses, ...refundedStatuses, ...failedStatuses].includes(row.status ?? '')) {
    return row.status === undefined ? 'no_status' : 'unlisted_status';
  }
  const time = timeOf(row);
  if (time === undefined) return 'unreadable_time';
  if (time < expected.attemptedAt - settings.skewSeconds * 1000) {
    return 'too_old';
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
