import { z } from 'zod';
import { FAULT_KINDS } from '../faults/fault-order.js';
import { MAXIMUM_COUNT } from '../generated/history-options.js';
import { isDecimal } from '../money.js';
import { OPERATIONS } from '../operation.js';
import { MONEY_FIELDS } from '../resources/transaction-row.js';
import { TRANSACTION_VARIANTS } from '../resources/transaction-variant.js';
import { STANDARD_WEBHOOKS, webhookSigningSchema } from '../webhooks/webhook-signing.js';

const text = z.string('expected a string');
const integer = z.int('expected an integer');
const seconds = z.number('expected a number of seconds').min(0, 'expected at least 0 seconds');
/** Timers cannot be longer (2^31 − 1 ms): they would end at once. */
const LONGEST_PAUSE = 2_147_483;
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
export const faultBody = z
  .strictObject({
    operation: z.enum(OPERATIONS, `expected ${OPERATIONS.join(', ')}`),
    fault: z.enum(FAULT_KINDS, `expected ${FAULT_KINDS.join(', ')}`),
    status: integer.min(200, 'expected 200 to 599').max(599, 'expected 200 to 599').optional(),
    retryAfterSeconds: integer.min(0, 'expected at least 0').optional(),
    retryAfterAs: z.enum(['seconds', 'date'], 'expected seconds or date').optional(),
    location: text.optional(),
    seconds: seconds.max(LONGEST_PAUSE, `expected at most ${LONGEST_PAUSE}`).optional(),
    times: integer.min(1, 'expected at least 1').optional(),
  })
  .refine(({ fault, status }) => fault !== 'error' || status === undefined || status >= 400, {
    path: ['status'],
    error: 'expected 400 to 599 for an error',
  });

/** Body of `POST /_sandbox/history`. */
export const historyBody = z.strictObject({
  count: integer
    .min(0, 'expected at least 0')
    .max(MAXIMUM_COUNT, `expected at most ${MAXIMUM_COUNT}`),
  seed: text.optional(),
  until: z.iso.datetime('expected an ISO 8601 timestamp in UTC').optional(),
  days: integer.min(1, 'expected at least 1').max(3650, 'expected at most 3650').optional(),
});

/** Body of `POST /_sandbox/variant`. */
export const variantBody = z.strictObject({
  variant: z.enum(TRANSACTION_VARIANTS, `expected ${TRANSACTION_VARIANTS.join(', ')}`),
});

/** Body of `POST /_sandbox/webhook-signing`. */
export const signingBody = z.strictObject({
  scheme: z.union(
    [
      z.null(),
      z.literal('standard-webhooks').transform(() => webhookSigningSchema.parse(STANDARD_WEBHOOKS)),
      webhookSigningSchema,
    ],
    'expected null, "standard-webhooks", or a scheme such as {"header": "x-signature"}',
  ),
});

/** Body of `POST /_sandbox/clock`; whether the clock goes so far, it says itself. */
export const clockBody = z.union(
  [z.strictObject({ advanceSeconds: z.number() }), z.strictObject({ now: z.iso.datetime() })],
  'expected {"advanceSeconds": 60} or {"now": "2026-01-31T12:00:00.000Z"}',
);
