import { randomBytes } from 'node:crypto';
import type { CheckoutSession, PayingCard } from '../checkout-session.js';
import { decimalsOf, fromMinor, toJsonNumber, toMinor } from '../money.js';
import { splitTotal } from './create-session-request.js';

/** Fields of spec 2.1 that are money: decimal text here, exact JSON numbers on the wire. */
export const MONEY_FIELDS = [
  'amount',
  'service_fee',
  'net',
  'deductions',
  'amountRefunded',
] as const;

/**
 * A transaction of spec 2.1. Only `id` and `transactionTime` are always there, because which fields
 * are is not shown; further properties are allowed.
 */
export interface TransactionRow {
  readonly id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly transactionTime: string;
  readonly source?: string;
  readonly orderRef?: string;
  readonly amount?: string;
  readonly currencyCode?: string;
  /** `SUCCESS` or `REFUNDED`; kept open. */
  readonly status?: string;
  readonly merchantId?: number;
  readonly merchantName?: string;
  readonly paymentMethod?: string;
  readonly transactionModeId?: number;
  readonly internalReference?: string;
  readonly pspReference?: string;
  readonly last4Digits?: string;
  readonly shopperId?: string;
  readonly service_fee?: string;
  readonly firstname?: string;
  readonly lastname?: string;
  readonly resellerOrderId?: string;
  readonly customerType?: string;
  readonly net?: string;
  readonly deductions?: string;
  readonly amountRefunded?: string;
  readonly [further: string]: unknown;
}

/** Invents an identifier: `txn_` and 64 random bits. */
export function inventId(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}

/** The row of a session that was paid: its own data where it has any, invented data elsewhere. */
export function makeTransactionRow(
  session: CheckoutSession,
  card: PayingCard,
  transactionTime: string,
): TransactionRow {
  const { request, merchant } = session;
  const decimals = decimalsOf(merchant.currency);
  const amount = toMinor(request.Amount, decimals) ?? 0n;
  const deductions = splitTotal(request, decimals);
  const [first = '', ...others] = (request.name ?? card.holder).split(' ');
  const zero = fromMinor(0n, decimals);
  return {
    id: inventId('txn'),
    source: 'payments',
    transactionTime,
    ...(request.MerchantReference === undefined ? {} : { orderRef: request.MerchantReference }),
    amount: request.Amount,
    currencyCode: merchant.currency,
    status: 'SUCCESS',
    merchantId: merchant.id,
    merchantName: merchant.name,
    paymentMethod: 'New Card',
    transactionModeId: 1,
    internalReference: inventId('int'),
    pspReference: inventId('psp'),
    last4Digits: card.last4Digits,
    shopperId: request.customer_id ?? inventId('shopper'),
    service_fee: zero,
    firstname: request.firstname ?? first,
    lastname: request.lastname ?? others.join(' '),
    resellerOrderId: String(request.order_id),
    customerType: 'guest',
    net: fromMinor(amount - deductions, decimals),
    deductions: fromMinor(deductions, decimals),
    amountRefunded: zero,
  };
}

/** The row as the list writes it: money as JSON numbers with exactly the digits of the text. */
export function toWireRow(
  row: TransactionRow,
  omittedFields: readonly string[],
): Record<string, unknown> {
  const wire: Record<string, unknown> = { ...row };
  for (const field of omittedFields) Reflect.deleteProperty(wire, field);
  for (const field of MONEY_FIELDS) {
    const value = wire[field];
    if (typeof value === 'string') wire[field] = toJsonNumber(value);
  }
  return wire;
}
