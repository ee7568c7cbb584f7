/**
 * Which fields of spec 2.1 a row shows. There are a full and a reduced variant; the rule for
 * choosing between them, and the exact fields of each, are not shown.
 */
export const TRANSACTION_VARIANTS = ['every-field', 'full', 'reduced', 'mixed'] as const;

/** One of {@link TRANSACTION_VARIANTS}. `mixed`: each row is full or reduced, always the same way. */
export type TransactionVariant = (typeof TRANSACTION_VARIANTS)[number];

/** What the full variant, with card and shopper fields, leaves out. */
const NOT_IN_FULL = ['net', 'deductions', 'amountRefunded'] as const;

/** The card and shopper fields, which the reduced variant leaves out. */
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
    case 'mixed':
      return isReduced(id) ? NOT_IN_REDUCED : NOT_IN_FULL;
  }
}

function isReduced(id: string): boolean {
  return Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % 2 === 1;
}
