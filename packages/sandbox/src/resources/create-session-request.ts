import { z } from 'zod';
import { ApiError, type FieldError } from '../api/api-error.js';
import { parseBody } from '../api/json-body.js';
import type { Merchant } from '../merchant.js';
import { decimalsOf, toMinor } from '../money.js';
import { isWebAddress } from './web-address.js';

const SECTION = 'section 4.6';

const text = z.string('expected a string');
const integer = z.int('expected an integer');
const url = text.refine(isWebAddress, 'expected an absolute http or https URL');

const splitItem = z.strictObject(
  {
    partner_merchant_id: integer,
    type_id: integer,
    value: z.number('expected a number').positive('expected a number above 0'),
    value_type: text,
  },
  'expected an object with partner_merchant_id, type_id, value and value_type',
);

/** The 22 fields of spec 4.6. Which ones are required is not shown: these three, by necessity. */
export const createSessionBody = z.strictObject(
  {
    host: url.optional(),
    merchant_id: integer,
    order_id: integer,
    customer_id: text.optional(),
    provider: text.optional(),
    email: text.optional(),
    phoneNumber: text.optional(),
    name: text.optional(),
    Amount: z.string('expected a decimal amount as a string, for example "12.34"'),
    AvsHouseNumber: text.optional(),
    AvsPostcode: text.optional(),
    MerchantReference: text.optional(),
    RedirectUrl: url.optional(),
    CancelUrl: url.optional(),
    WebhookUrl: url.optional(),
    backurl: url.optional(),
    firstname: text.optional(),
    lastname: text.optional(),
    flat: text.optional(),
    address1: text.optional(),
    address2: text.optional(),
    SplitFee: z.array(splitItem, 'expected an array of split objects').optional(),
  },
  'expected an object',
);

/** A checked body of `POST /create-session` (spec 4.6). */
export type CreateSessionRequest = z.output<typeof createSessionBody>;

/** What the spec leaves open about the fields of `POST /create-session`. */
export interface CreateSessionRules {
  /** Fields required beyond `merchant_id`, `order_id` and `Amount`. */
  readonly requiredFields: readonly (keyof CreateSessionRequest)[];
  /** Whether a field that spec 4.6 does not list is refused by name, or ignored. */
  readonly unknownFields: 'refuse' | 'ignore';
}

/** Checks a body of `POST /create-session`, and finds the merchant that it names. */
export function parseCreateSession(
  body: unknown,
  merchants: readonly Merchant[],
  rules: CreateSessionRules,
): { request: CreateSessionRequest; merchant: Merchant } {
  const schema = rules.unknownFields === 'refuse' ? createSessionBody : createSessionBody.strip();
  const request = parseBody(schema, body, SECTION);
  const missing = rules.requiredFields.filter((field) => request[field] === undefined);
  if (missing.length > 0) {
    refuse(missing.map((field) => ({ field, message: 'is required by this sandbox' })));
  }
  const merchant = merchants.find(({ id }) => id === request.merchant_id);
  if (merchant === undefined) {
    throw new ApiError(404, 'This sandbox has no merchant with that merchant_id.', {
      fields: [{ field: 'merchant_id', message: 'is not a known merchant' }],
    });
  }
  checkMoney(request, decimalsOf(merchant.currency));
  return { request, merchant };
}

/** The sum of the split items that are amounts, in minor units. Other value types are not shown. */
export function splitTotal(request: CreateSessionRequest, decimals: number): bigint {
  return (request.SplitFee ?? [])
    .filter((item) => item.value_type === 'amount')
    .reduce((total, item) => total + (toMinor(String(item.value), decimals) ?? 0n), 0n);
}

function checkMoney(request: CreateSessionRequest, decimals: number): void {
  const amount = toMinor(request.Amount, decimals);
  if (amount === undefined || amount <= 0n) {
    refuse([
      {
        field: 'Amount',
        message: `expected a positive decimal with at most ${decimals} decimals, for example "12.34"`,
      },
    ]);
  }
  const badValues = (request.SplitFee ?? []).flatMap((item, index): FieldError[] =>
    item.value_type === 'amount' && toMinor(String(item.value), decimals) === undefined
      ? [
          {
            field: `SplitFee.${index}.value`,
            message: `expected an amount with at most ${decimals} decimals`,
          },
        ]
      : [],
  );
  if (badValues.length > 0) refuse(badValues);
  if (amount !== undefined && splitTotal(request, decimals) > amount) {
    refuse([{ field: 'SplitFee', message: 'the values add up to more than Amount' }]);
  }
}

function refuse(fields: readonly FieldError[]): never {
  throw new ApiError(400, `The body is not what the interface describes (${SECTION}).`, { fields });
}
