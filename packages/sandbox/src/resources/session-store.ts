import { z } from 'zod';
import type { Merchant } from '../accounts.js';
import { toMinor } from '../money.js';
import type { Inventor } from '../random.js';
import type { AddressCheck } from '../scenario.js';
import { integer, openWord, requestBody, text, webAddress } from '../schemas.js';
import { workOutSplit } from '../split-fee.js';

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
  /** Default: `New Card`. */
  readonly paymentMethod?: 'Google Pay';
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

/** The sum of the split items that are amounts or percentages, in minor units. */
export function splitTotal(request: CreateSessionRequest, decimals: number): bigint {
  const amount = toMinor(request.Amount, decimals) ?? 0n;
  const { total } = workOutSplit(amount, request.SplitFee ?? [], decimals);
  return toMinor(total, decimals) ?? 0n;
}
