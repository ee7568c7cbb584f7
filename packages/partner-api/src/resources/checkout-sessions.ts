import { countSignificantDigits } from '../decimal.js';
import { checkCheckoutSession } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import {
  checkFields,
  isInteger,
  isListOf,
  isText,
  isAddress,
  type FieldCheck,
  type FieldChecks,
} from '../http/check-fields.js';
import { OPERATIONS } from '../http/operation-facts.js';
import { expectObject, expectText, type CallOptions, type Operation } from '../http/operation.js';

/** One share of a payment (spec 4.6). */
export interface SplitFee {
  partner_merchant_id: number;
  type_id: number;
  value: number;
  /** `amount` is the value shown; the others are not. */
  value_type: 'amount' | (string & {});
}

/**
 * Request of spec 4.6, spelt as there. Which fields the provider needs is not shown; only the two
 * that name the payment are required here. Leave out what is not known.
 */
export interface CreateCheckoutSessionParams {
  /** Address. */
  host?: string | undefined;
  merchant_id: number;
  order_id: number;
  customer_id?: string | undefined;
  /** Short code. */
  provider?: string | undefined;
  email?: string | undefined;
  phoneNumber?: string | undefined;
  name?: string | undefined;
  /** Decimal text, for example `'12.34'`. */
  Amount?: string | undefined;
  AvsHouseNumber?: string | undefined;
  AvsPostcode?: string | undefined;
  MerchantReference?: string | undefined;
  RedirectUrl?: string | undefined;
  CancelUrl?: string | undefined;
  WebhookUrl?: string | undefined;
  backurl?: string | undefined;
  firstname?: string | undefined;
  lastname?: string | undefined;
  flat?: string | undefined;
  address1?: string | undefined;
  address2?: string | undefined;
  SplitFee?: readonly SplitFee[] | undefined;
}

/** Answer of spec 4.6 and 2.4. Fields that the spec does not list are kept. */
export interface CheckoutSession {
  /** What the client SDK's `configure()` takes. */
  session_id: string;
  [field: string]: unknown;
}

/** Options of {@link CheckoutSessions.create}. `maxRetries: 0` forbids even the safe repetition. */
export type CreateCheckoutSessionOptions = CallOptions;

const CHECKS: FieldChecks<CreateCheckoutSessionParams> = {
  host: isAddress,
  merchant_id: isInteger,
  order_id: isInteger,
  customer_id: isText,
  provider: isText,
  email: isText,
  phoneNumber: isText,
  name: isText,
  Amount: isDecimalText,
  AvsHouseNumber: isText,
  AvsPostcode: isText,
  MerchantReference: isText,
  RedirectUrl: isAddress,
  CancelUrl: isAddress,
  WebhookUrl: isAddress,
  backurl: isAddress,
  firstname: isText,
  lastname: isText,
  flat: isText,
  address1: isText,
  address2: isText,
  SplitFee: isListOf(isSplitFee),
};

const CREATE: Operation<CheckoutSession> = {
  ...OPERATIONS.createCheckoutSession,
  readReply: readSession,
  checkReply: checkCheckoutSession,
  advice: {
    unknown:
      'A session may exist that nobody was told of. Nobody can pay it without its id, so another ' +
      'one may be created, with a reference of its own.',
  },
};

/** Checkout sessions for the client SDK (spec 4.6). */
export class CheckoutSessions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates a session. Each request that arrives creates another one, and the spec shows no key
   * against that: so it is repeated once at most, and only when no byte of it was sent. When the
   * error says `outcome: 'unknown'`, a session may exist that nobody was told of.
   */
  async create(
    params: CreateCheckoutSessionParams,
    options?: CreateCheckoutSessionOptions,
  ): Promise<CheckoutSession> {
    const fields = checkFields(CREATE.name, params, CHECKS, ['merchant_id', 'order_id']);
    return this.#caller.call(CREATE, { fields }, options);
  }
}

function readSession(body: unknown): CheckoutSession {
  const session = expectObject(body, 'body');
  expectText(session['session_id'], 'session_id');
  return session as CheckoutSession;
}

function isDecimalText(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
    ? undefined
    : "must be a decimal text such as '12.34' (not a number)";
}

function isSplitFee(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'must be an object';
  for (const [name, check] of SPLIT_CHECKS) {
    const advice = check((value as Record<string, unknown>)[name]);
    if (advice !== undefined) return `has a wrong ${name}, which ${advice}`;
  }
  return undefined;
}

const SPLIT_CHECKS = Object.entries({
  partner_merchant_id: isInteger,
  type_id: isInteger,
  value: isExactNumber,
  value_type: isText,
} satisfies Record<keyof SplitFee, FieldCheck>);

function isExactNumber(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  // 0.1 + 0.2 has 17 digits: such a share was reckoned in binary and must be rounded first.
  const text = String(value);
  return !text.includes('e') && countSignificantDigits(text) <= 15
    ? undefined
    : 'must be a rounded decimal; reckon shares in whole minor units';
}
