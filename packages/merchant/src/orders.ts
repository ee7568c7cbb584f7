import type { Webhook } from 'standardwebhooks';
import type { ApiClient, RequestOptions } from './api-client.js';
import {
  checkNames,
  invalidArgument,
  isPayCheckoutError,
  orderUnknown,
  PayCheckoutError,
} from './errors.js';
import { handlerOf, type RequestHandler } from './incoming.js';
import { checkKeyOf, checkMerchant, openSigned, refuse, required } from './signed-request.js';
import type { LineItem, MerchantOrder, OrderState, Price } from './types.js';

/** What a shop may not know: null and undefined are the same. */
type Known = string | null | undefined;

/** Who pays: more detail helps the payment to be accepted. */
export interface Customer {
  readonly id?: Known;
  readonly email?: Known;
  readonly phone?: Known;
  readonly name?: Known;
  readonly firstName?: Known;
  readonly lastName?: Known;
}

/** The billing address; house number and flat are derived from the lines when they are missing. */
export interface Address {
  readonly houseNumber?: Known;
  readonly postcode?: Known;
  readonly flat?: Known;
  readonly address1?: Known;
  readonly address2?: Known;
}

/** A share of the order: fixed, or a percentage of the amount. Decimal text; see `docs/split-fees.md`. */
export type SplitRule = {
  readonly partnerMerchantId: number;
  readonly typeId: number;
} & (
  | { readonly fixed: string }
  | {
      readonly percent: string;
      readonly min?: string | undefined;
      readonly cap?: string | undefined;
    }
);

/** What an order costs, and what helps to pay it. */
export interface OrderDetails extends Price {
  readonly customer?: Customer | null | undefined;
  readonly address?: Address | null | undefined;
  /** The page that shoppers return to: on one of the shop's origins, with `{checkout}` in it. */
  readonly returnUrl?: Known;
  readonly split?: readonly SplitRule[] | null | undefined;
  /** What the shopper is shown that the order consists of: at most 100 lines, whose amounts add up to the order's. */
  readonly lineItems?:
    | readonly (Omit<LineItem, 'quantity'> & {
        /** Default 1. */
        readonly quantity?: number | undefined;
      })[]
    | null
    | undefined;
}

/** The whole order as it is now: what is left out is not known. */
export interface OrderInput extends OrderDetails {
  /** At most 500 characters. */
  readonly description?: Known;
  /**
   * Your own notes, which come back in events and replies and which no shopper sees: at most 20, with names of up to 40
   * letters, digits, `.`, `_` and `-`, and values of up to 500 characters.
   */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** Language of the hosted payment page, such as `de` or `pt-BR`. Default: the browser's. */
  readonly locale?: Known;
  /** How long token and link can be used. Default 30 days, at most 365. */
  readonly expiresInSeconds?: number | undefined;
}

/** An order that can be paid. */
export interface PayableOrder {
  readonly merchant: string;
  readonly order: string;
  /** For the tag: `order-token`. A fresh one each time. */
  readonly orderToken: string;
  /** The hosted payment page of the order: a link for e-mails and QR codes. */
  readonly payUrl: string;
  /** When token and link expire: ISO 8601. */
  readonly expiresAt: string;
  readonly state: Exclude<OrderState, 'paid'>;
}

/** An order that is paid: it has no token, and keeps the price at which it was paid. */
export interface PaidOrder {
  readonly order: string;
  readonly orderToken?: undefined;
  readonly payUrl?: undefined;
  readonly expiresAt?: undefined;
  readonly state: 'paid';
}

/** The answer to the order lookup. */
export interface LookupAnswer extends OrderDetails {
  readonly status: 'payable' | 'paid' | 'void';
  /** Any text; events repeat it. */
  readonly version?: Known;
}

export interface OrderListOptions extends RequestOptions {
  readonly state?: OrderState | undefined;
  readonly updatedAfter?: Date | string | undefined;
  readonly updatedBefore?: Date | string | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page of orders. */
export interface OrderPage {
  readonly orders: readonly MerchantOrder[];
  /** null: this was the last page. */
  readonly nextCursor: string | null;
}

const ORDER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The orders of a merchant at the session server. */
export class Orders {
  readonly #api: ApiClient;
  readonly #merchant: string;
  readonly #webhook: Webhook | undefined;

  constructor(api: ApiClient, merchant: string, webhook: Webhook | undefined) {
    this.#api = api;
    this.#merchant = merchant;
    this.#webhook = webhook;
  }

  /**
   * Prices an order, and gives its token for the page. Call it whenever the page is shown: the same price is
   * the same checkout with a fresh token. A paid order has `state: 'paid'` and no token.
   *
   * @throws {PayCheckoutError} `invalid_request`, with `field`
   */
  async put(
    order: string,
    input: OrderInput,
    { signal }: RequestOptions = {},
  ): Promise<PayableOrder | PaidOrder> {
    if (typeof input !== 'object' || input === null) {
      throw invalidArgument(
        'amount',
        "an order such as { amount: '9.99', currency: 'GBP' }; it is missing",
      );
    }
    const request = this.#api.request('PUT', pathOf(order), { body: input, signal });
    const answer = (await request.catch((error: unknown) => {
      if (isPayCheckoutError(error, 'order_already_paid')) return { order, state: 'paid' };
      throw error;
    })) as PayableOrder | PaidOrder;
    if (answer.state !== 'paid') checkKeyOf(answer.merchant, this.#merchant);
    return answer;
  }

  /**
   * The truth about an order, from the provider's list of transactions.
   *
   * @throws {PayCheckoutError} `order_not_found`
   */
  async get(order: string, { signal }: RequestOptions = {}): Promise<MerchantOrder> {
    const answer = await this.#api.request('GET', pathOf(order), { signal });
    const found = Object(answer) as MerchantOrder;
    checkKeyOf(found.merchant, this.#merchant);
    if (found.order === order) return found;
    const message = `Order ${order} was asked for, and the answer is about ${found.order}.`;
    throw new PayCheckoutError('unexpected_answer', message);
  }

  /** One page of the orders in a state, or that changed in a time. */
  async list(options: OrderListOptions = {}): Promise<OrderPage> {
    checkNames(options, ['state', 'updatedAfter', 'updatedBefore', 'cursor', 'limit', 'signal']);
    const { state, updatedAfter, updatedBefore, cursor, limit, signal } = options;
    const query = {
      state,
      updatedAfter: timeOf(updatedAfter),
      updatedBefore: timeOf(updatedBefore),
      cursor,
      limit,
    };
    return (await this.#api.request('GET', '/v1/merchant/orders', { query, signal })) as OrderPage;
  }

  /** Makes an order no longer payable. A session that is open may still be paid: then it has `attention`. */
  async void(order: string, { signal }: RequestOptions = {}): Promise<void> {
    await this.#api.request('DELETE', pathOf(order), { signal });
  }

  /**
   * Answers the order lookup, as Express middleware and as a fetch handler: for a merchant entry with
   * `orderLookup`, where prices live in the shop. Not needed with `put`.
   *
   * @param lookUp the order as it is priced now; undefined when the shop has no such order
   */
  lookupHandler(
    lookUp: (order: string) => LookupAnswer | undefined | Promise<LookupAnswer | undefined>,
    options: { readonly onError?: (error: unknown) => unknown } = {},
  ): RequestHandler {
    const webhook = required(this.#webhook);
    if (typeof lookUp !== 'function') throw invalidArgument('lookUp', 'a function');
    checkNames(options, ['onError']);
    return handlerOf(async (request) => {
      try {
        const { json } = await openSigned(request, webhook);
        const { merchant, order } = Object(json) as { merchant?: unknown; order?: unknown };
        checkMerchant(merchant, this.#merchant);
        const found = await lookUp(String(order));
        // Not reported: a shopper may ask for any order.
        if (found === undefined) return await refuse(orderUnknown(String(order)), () => undefined);
        return { status: 200, body: { ...found, order } };
      } catch (error) {
        return refuse(error, options.onError);
      }
    });
  }
}

/** @throws {PayCheckoutError} `invalid_argument`: a name of another form would lead to another route */
export function checkOrder(order: string): string {
  if (typeof order === 'string' && ORDER.test(order)) return order;
  throw invalidArgument(
    'order',
    'up to 64 letters, digits, ".", "_" and "-"; a letter or digit first',
  );
}

function pathOf(order: string): string {
  return `/v1/merchant/orders/${checkOrder(order)}`;
}

function timeOf(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
