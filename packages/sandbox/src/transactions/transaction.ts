import { z } from 'zod';
import { toJsonNumber } from '../money.js';
import { integer, notShown, openWord, text } from '../schemas.js';

/** Fields of spec 2.1 that are money. */
export const MONEY_FIELDS = [
  'amount',
  'service_fee',
  'net',
  'deductions',
  'amountRefunded',
] as const;

/** Decimal text here, an exact JSON number on the wire. */
const money = text.meta({ type: 'number' }).optional();

/**
 * A transaction of spec 2.1. Which fields are always there is not shown, so only `id` and
 * `transactionTime` are. Further properties are allowed.
 */
export const transaction = z
  .looseObject({
    id: text,
    source: openWord('payments').optional(),
    transactionTime: text.meta({
      description: 'ISO 8601 UTC with milliseconds',
      format: 'date-time',
    }),
    orderRef: text.optional(),
    amount: money,
    currencyCode: text.meta({ description: 'three letters' }).optional(),
    status: openWord('SUCCESS', 'REFUNDED').optional(),
    merchantId: integer.optional(),
    merchantName: text.optional(),
    paymentMethod: openWord('New Card', 'Saved Card', 'Apple Pay', 'Google Pay').optional(),
    transactionModeId: integer
      .meta({ examples: [1, 2], ...notShown('complete set of values') })
      .optional(),
    internalReference: text.optional(),
    pspReference: text.optional(),
    last4Digits: text.optional(),
    shopperId: text.optional(),
    service_fee: money,
    firstname: text.optional(),
    lastname: text.optional(),
    resellerOrderId: text.optional(),
    customerType: openWord().optional(),
    net: money,
    deductions: money,
    amountRefunded: money,
  })
  .meta(
    notShown(['required or optional flags', 'which fields the full and the reduced variant have']),
  );

export type TransactionRow = Readonly<z.output<typeof transaction>>;

/** What the list filters by, without the rest of the row. */
export interface TransactionTraits {
  readonly time: number;
  readonly merchantId: number | undefined;
  readonly status: string | undefined;
}

/** The row as the list writes it: money as JSON numbers with exactly the digits of the text. */
export function toWireRow(
  row: TransactionRow,
  omittedFields: readonly string[] = [],
): Record<string, unknown> {
  const wire: Record<string, unknown> = { ...row };
  for (const field of omittedFields) Reflect.deleteProperty(wire, field);
  for (const field of MONEY_FIELDS) {
    const value = wire[field];
    if (typeof value === 'string') wire[field] = toJsonNumber(value);
  }
  return wire;
}

/**
 * Which fields of spec 2.1 a row has. There are a full and a reduced variant. Their exact fields and
 * the rule for choosing between them are not shown. `mixed`: an id always has the same variant.
 */
export const TRANSACTION_VARIANTS = ['every-field', 'full', 'reduced', 'mixed'] as const;

export type TransactionVariant = (typeof TRANSACTION_VARIANTS)[number];

const NOT_IN_FULL = ['net', 'deductions', 'amountRefunded'] as const;

/** The card and shopper fields. */
const NOT_IN_REDUCED = [
  'paymentMethod',
  'transactionModeId',
  'internalReference',
  'pspReference',
  'last4Digits',
  'shopperId',
  'firstname',
  'lastname',
  'customerType',
] as const;

/** The fields that a row of a variant leaves out. */
export function omittedFieldsOf(variant: TransactionVariant, id: string): readonly string[] {
  switch (variant) {
    case 'every-field':
      return [];
    case 'full':
      return NOT_IN_FULL;
    case 'reduced':
      return NOT_IN_REDUCED;
    case 'mixed': {
      const isReduced = Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % 2 === 1;
      return isReduced ? NOT_IN_REDUCED : NOT_IN_FULL;
    }
  }
}
