import { z } from 'zod';
import { isDecimal } from '../money.js';
import { MONEY_FIELDS } from '../resources/transaction-row.js';

const text = z.string('expected a string');
const integer = z.int('expected an integer');
const seconds = z.number('expected a number of seconds').min(0, 'expected at least 0 seconds');
const decimal = z
  .union([text, z.number()], 'expected a decimal, as a string or a number')
  .transform(String)
  .refine(isDecimal, 'expected a plain decimal, for example "12.34"');

/** Body of `POST /_sandbox/transactions`. */
export const addedRowBody = z.strictObject({
  row: z
    .looseObject({
      id: text.optional(),
      transactionTime: z.iso
        .datetime('expected an ISO 8601 timestamp in UTC')
        .transform((time) => new Date(time).toISOString())
        .optional(),
      merchantId: integer.optional(),
      status: text.optional(),
      currencyCode: text.regex(/^[A-Z]{3}$/, 'expected three capital letters').optional(),
      ...Object.fromEntries(MONEY_FIELDS.map((field) => [field, decimal.optional()])),
    })
    .default({}),
  omit: z.array(text).optional(),
  visibleInSeconds: seconds.optional(),
});

/** Body of `POST /_sandbox/transactions/{id}/refund`. */
export const refundBody = z
  .strictObject({
    amount: decimal.optional(),
    as: z.enum(['change', 'add'], 'expected change or add').optional(),
    status: text.optional(),
  })
  .default({});

/** Body of `POST /_sandbox/transactions/{id}/visibility` and of `POST /_sandbox/listing-delay`. */
export const secondsBody = z.strictObject({ seconds });

/** Body of `POST /_sandbox/faults`. */
export const faultBody = z.strictObject({
  operation: z.enum(
    ['create-session', 'transactions-list'],
    'expected create-session or transactions-list',
  ),
  fault: z.enum(
    ['hold', 'drop-after-commit', 'error'],
    'expected hold, drop-after-commit or error',
  ),
  status: integer.min(400, 'expected 400 to 599').max(599, 'expected 400 to 599').optional(),
  retryAfterSeconds: integer.min(0, 'expected at least 0').optional(),
  times: integer.min(1, 'expected at least 1').optional(),
});

/** Body of `POST /_sandbox/clock`. */
export const clockBody = z.union(
  [z.strictObject({ advanceSeconds: z.number() }), z.strictObject({ now: z.iso.datetime() })],
  'expected {"advanceSeconds": 60} or {"now": "2026-01-31T12:00:00.000Z"}',
);
