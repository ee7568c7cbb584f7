import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, loggedRequestOf, resellerOfCall } from '../http/accept-call.js';
import { invalidBody, parseBody, type FieldError } from '../http/errors.js';
import { decimalsOf, toMinor } from '../money.js';
import { integer, openWord, requestBody, text, webAddress } from '../schemas.js';
import type { Inventor } from '../random.js';
import type { AddressCheck } from '../scenario.js';
import type { Merchant } from '../settings.js';
import { workOutSplit } from '../split-fee.js';
import { requireMerchant } from './merchants.js';

const SECTION = 'section 4.6';

const splitItem = z.strictObject(
  {
    partner_merchant_id: integer,
    type_id: integer,
    value: z.number('expected a number').positive('expected a number above 0'),
    value_type: openWord('amount'),
  },
  'expected an object with partner_merchant_id, type_id, value and value_type',
);

/** The 22 fields of spec 4.6. Which are required is not shown: here only what a payment needs. */
export const createSessionRequest = requestBody({
  host: webAddress.optional(),
  merchant_id: integer,
  order_id: integer,
  customer_id: text.optional(),
  provider: text.meta({ description: 'short code' }).optional(),
  email: text.optional(),
  phoneNumber: text.optional(),
  name: text.optional(),
  Amount: z
    .string('expected a decimal amount as a string, for example "12.34"')
    .meta({ description: 'decimal amount' }),
  AvsHouseNumber: text.optional(),
  AvsPostcode: text.optional(),
  MerchantReference: text.optional(),
  RedirectUrl: webAddress.optional(),
  CancelUrl: webAddress.optional(),
  WebhookUrl: webAddress.optional(),
  backurl: webAddress.optional(),
  firstname: text.optional(),
  lastname: text.optional(),
  flat: text.optional(),
  address1: text.optional(),
  address2: text.optional(),
  SplitFee: z.array(splitItem, 'expected an array of split objects').optional(),
});

export type CreateSessionRequest = z.output<typeof createSessionRequest>;

/** The reply (spec 2.4). */
export const createSessionReply = z.object({ session_id: text });

/** A checkout session of spec 2.4 and what has become of it. */
export interface CheckoutSession {
  /** `session_id`: 128 random bits in hex. */
  readonly id: string;
  /** Milliseconds in the sandbox's time. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly merchant: Merchant;
  readonly request: CreateSessionRequest;
  state: 'open' | 'paid' | 'expired';
  /** Set while a card waits for its 3-D Secure code, or for an answer that is given elsewhere. */
  challenge?: { readonly card: PayingCard; readonly isElsewhere: boolean };
  /** Why the last card was declined, to show with the form. */
  lastRefusal?: string;
  /** Name of the scenario that declined the last card. */
  declineReason?: string;
  /** What the bank found of the address. */
  addressCheck?: AddressCheck;
  /** The transactions that paid it. */
  readonly transactionIds: string[];
  /** Whether its webhook about the end was sent. */
  isExpiryNotified?: boolean;
  /** Whether an approval goes to `RedirectUrl`. */
  redirects: boolean;
}

/** All that is kept of a card: never the number, never the security code. */
export interface PayingCard {
  readonly last4Digits: string;
  readonly holder: string;
}

/** The checkout sessions, in memory. */
export class SessionStore {
  readonly #inventor: Inventor;
  #sessions = new Map<string, CheckoutSession>();

  constructor(inventor: Inventor) {
    this.#inventor = inventor;
  }

  add(session: Pick<CheckoutSession, 'merchant' | 'request' | 'createdAt' | 'expiresAt'>) {
    const id = this.#inventor.bytes(16).toString('hex');
    this.#sessions.set(id, { ...session, id, state: 'open', transactionIds: [], redirects: true });
    return id;
  }

  /** Finds a session. An open one past its time expires now. */
  find(id: string, now: number): CheckoutSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.state === 'open' && now >= session.expiresAt) session.state = 'expired';
    return session;
  }

  list(now: number): CheckoutSession[] {
    return [...this.#sessions.keys()].flatMap((id) => this.find(id, now) ?? []);
  }

  clear(): void {
    this.#sessions.clear();
  }
}

/**
 * `POST /create-session` (spec 4.6). The spec shows no idempotency, so this plays the worst case:
 * the same `order_id` sent twice opens two sessions, and both can be paid.
 */
export function checkoutSessionRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    '/create-session',
    ...acceptCall(context, 'create-session'),
    async (httpRequest, response) => {
      const entry = loggedRequestOf(response);
      const checked = checkRequest(context, httpRequest.body, resellerOfCall(response));
      const { request, merchant } = checked;
      entry.orderId = request.order_id;
      entry.merchantId = merchant.id;
      await answerCall(context, 'create-session', response, () => {
        const id = addSession(context, checked);
        entry.sessionId = id;
        return { session_id: id };
      });
    },
  );
}

type CheckedRequest = Pick<CheckoutSession, 'request' | 'merchant'>;

/**
 * Refuses what the operation refuses.
 *
 * @param resellerId whose merchants the caller knows; undefined: all
 */
export function checkRequest(
  context: SandboxContext,
  body: unknown,
  resellerId?: number,
): CheckedRequest {
  const request = parseRequest(body, context);
  const merchant = requireMerchant(context, request.merchant_id, 'merchant_id', resellerId);
  checkMoney(request, decimalsOf(merchant.currency));
  return { request, merchant };
}

/** @returns the id of the new session */
export function addSession(
  { settings, sessions, clock, notifier }: SandboxContext,
  checked: CheckedRequest,
): string {
  const createdAt = clock.now();
  const lifetime = settings.sessionLifetimeSeconds;
  const id = sessions.add({ ...checked, createdAt, expiresAt: createdAt + lifetime * 1000 });
  void clock.pause(lifetime).then(() => {
    const session = sessions.find(id, clock.now());
    if (session?.state === 'expired') notifier.notify(session, 'expired');
  });
  return id;
}

function parseRequest(body: unknown, { settings }: SandboxContext): CreateSessionRequest {
  const isStrict = settings.unknownFields === 'refuse';
  const schema = isStrict ? createSessionRequest : createSessionRequest.strip();
  const request = parseBody(schema, body, SECTION);
  const missing = settings.requiredFields.filter((field) => request[field] === undefined);
  refuse(missing.map((field) => ({ field, message: 'is required by this sandbox' })));
  return request;
}

function checkMoney(request: CreateSessionRequest, decimals: number): void {
  const amount = toMinor(request.Amount, decimals) ?? 0n;
  if (amount <= 0n) {
    const message = `expected a positive decimal with at most ${decimals} decimals, for example "12.34"`;
    refuse([{ field: 'Amount', message }]);
  }
  refuse(
    (request.SplitFee ?? []).flatMap(({ value, value_type: type }, index) =>
      type === 'amount' && toMinor(String(value), decimals) === undefined
        ? {
            field: `SplitFee.${index}.value`,
            message: `expected an amount with at most ${decimals} decimals`,
          }
        : [],
    ),
  );
  if (splitTotal(request, decimals) > amount) {
    refuse([{ field: 'SplitFee', message: 'the values add up to more than Amount' }]);
  }
}

/** The sum of the split items that are amounts or percentages, in minor units. */
export function splitTotal(request: CreateSessionRequest, decimals: number): bigint {
  const amount = toMinor(request.Amount, decimals) ?? 0n;
  const { total } = workOutSplit(amount, request.SplitFee ?? [], decimals);
  return toMinor(total, decimals) ?? 0n;
}

function refuse(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw invalidBody(SECTION, ...fields);
}
