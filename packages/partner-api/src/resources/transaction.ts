import * as z from 'zod';

import { notShown, openEnum } from '../schemas.js';

export const Transaction = z
  .object({
    id: z.string(),
    source: openEnum(['payments']),
    transactionTime: z.string().meta({ description: 'ISO 8601, UTC, with milliseconds.' }),
    orderRef: z.string(),
    amount: z.number(),
    currencyCode: z.string(),
    status: openEnum(['SUCCESS', 'REFUNDED'], 'All values.'),
    merchantId: z.int(),
    merchantName: z.string(),
    paymentMethod: openEnum(['New Card', 'Saved Card', 'Apple Pay', 'Google Pay']),
    transactionModeId: z.int().meta({ examples: [1, 2] }),
    internalReference: z.string(),
    pspReference: z.string(),
    last4Digits: z.string(),
    shopperId: z.string(),
    service_fee: z.number(),
    firstname: z.string(),
    lastname: z.string(),
    resellerOrderId: z.string(),
    customerType: z.string(),
    net: z.number(),
    deductions: z.number(),
    amountRefunded: z.number(),
  })
  .partial()
  .meta({
    id: 'Transaction',
    description: 'Section 2.1. Further properties may come.',
    ...notShown('Which fields are present in which variant.'),
  });

/**
 * A transaction as the provider sends it (spec 2.1). Which fields are present is not shown, so each
 * may be missing; properties that the spec does not list are kept. For money use `decimalOf`: a
 * `number` cannot hold every decimal.
 */
export type Transaction = z.infer<typeof Transaction>;

/** Reply of spec 4.1. */
export const TransactionListReply = z.object({
  data: z.object({ transactions: z.array(Transaction), timezone: z.string().optional() }),
  pagination: z.object({
    hasMore: z.boolean(),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'Opaque.', ...notShown('Its lifetime.') }),
  }),
});

/**
 * One page of spec 4.1, newest transaction first. Fields that the spec does not list are kept. A row
 * that is no object is left out: `unreadableRowsOf(page)` says where it stood. A page may come
 * without `pagination`: `endOfPage(page)` says whether more follows.
 */
export type TransactionPage = Pick<z.infer<typeof TransactionListReply>, 'data'> &
  Partial<Pick<z.infer<typeof TransactionListReply>, 'pagination'>>;
