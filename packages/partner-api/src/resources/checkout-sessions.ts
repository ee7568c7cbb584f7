import * as z from 'zod';
import { countSignificantDigits, EXACT_DIGITS } from '../decimal.js';
import { type Call, type Caller, startCall } from '../http/request.js';
import type { CallOptions, Operation } from '../http/operation.js';
import {
  address,
  checkRequest,
  FIELDS_NOT_SHOWN,
  must,
  notShown,
  requestObject,
  text,
  webAddress,
  wholeNumber,
} from '../schemas.js';

const SplitFee = z
  .object({
    partner_merchant_id: wholeNumber,
    type_id: wholeNumber,
    // 0.1 + 0.2 has 17 digits: such a share was computed in binary and must be rounded first.
    value: z
      .number(must('must be a number'))
      .refine(
        (value) =>
          !String(value).includes('e') && countSignificantDigits(String(value)) <= EXACT_DIGITS,
        'must be a rounded decimal; compute shares in whole minor units',
      ),
    value_type: text.meta({ examples: ['amount'], ...notShown('Other values.') }),
  })
  .meta({ id: 'SplitFee' });

/** One share of a payment (spec 4.6). */
export type SplitFee = z.infer<typeof SplitFee>;

const Request = requestObject({
  host: address.optional().describe('address of the shop'),
  merchant_id: wholeNumber.describe('the merchant'),
  order_id: wholeNumber.describe('the order'),
  customer_id: text.optional().describe('the customer'),
  provider: text.optional().describe('short code'),
  email: text.optional().describe('of the shopper'),
  phoneNumber: text.optional().describe('of the shopper'),
  name: text.optional().describe('of the shopper'),
  Amount: z
    .string(must("must be a decimal text such as '12.34' (not a number)"))
    .refine((value) => /^\d+(\.\d+)?$/.test(value), "must be a decimal text such as '12.34'")
    .optional()
    .describe('decimal amount, such as 12.34'),
  AvsHouseNumber: text.optional().describe('for the address check'),
  AvsPostcode: text.optional().describe('for the address check'),
  MerchantReference: text.optional().describe('your reference'),
  RedirectUrl: address.optional().describe('where the shopper goes after paying'),
  CancelUrl: address.optional().describe('where the shopper goes after giving up'),
  WebhookUrl: webAddress.optional().describe('where webhooks go'),
  backurl: address.optional().describe('where Back leads'),
  firstname: text.optional().describe('of the shopper'),
  lastname: text.optional().describe('of the shopper'),
  flat: text.optional().describe('of the address'),
  address1: text.optional().describe('of the address'),
  address2: text.optional().describe('of the address'),
  SplitFee: z.array(SplitFee, must('must be a list (an array)')).readonly().optional(),
}).meta(FIELDS_NOT_SHOWN);

/**
 * Request of spec 4.6, spelt as there. Which fields the provider needs is not shown; only the two
 * that name the payment are required here. Leave out what is not known.
 */
export type CreateCheckoutSessionParams = z.infer<typeof Request>;

/** The names of the fields of spec 4.6. */
export const CHECKOUT_SESSION_FIELDS: readonly string[] = Object.keys(Request.shape);

export const Reply = z.object({ session_id: z.string().min(1) });

/** Answer of spec 4.6 and 2.4; `session_id` is what the client SDK's `configure()` takes. */
export type CheckoutSession = z.infer<typeof Reply>;

export const CREATE_CHECKOUT_SESSION = {
  name: 'checkoutSessions.create',
  summary: 'Create a checkout session for the client SDK.',
  section: '4.6',
  method: 'POST',
  base: 'api',
  path: ['create-session'],
  key: 'apiKey',
  effect: 'create',
  request: Request,
  reply: Reply,
  needs: ['session_id'],
  advice: {
    unknown:
      'A session may exist whose id was lost. It cannot be paid without its id, so another one may ' +
      'be created, with a reference of its own.',
  },
} satisfies Operation<typeof Reply>;

/** Checkout sessions for the client SDK (spec 4.6). */
export class CheckoutSessions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates a session. Each request that arrives creates another one, and the spec shows no key
   * against that: so it is repeated once at most, and only when no byte of it was sent. When the
   * error says `outcome: 'unknown'`, a session may exist whose id was lost. `maxRetries: 0` forbids
   * even the safe repetition.
   */
  create(params: CreateCheckoutSessionParams, options?: CallOptions): Call<CheckoutSession> {
    return startCall(async (note) => {
      checkRequest(CREATE_CHECKOUT_SESSION.name, Request, params);
      return this.#caller.call(CREATE_CHECKOUT_SESSION, { fields: params }, options, note);
    });
  }
}
