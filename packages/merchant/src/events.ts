import type { Webhook } from 'standardwebhooks';
import type { ApiClient, RequestOptions } from './api-client.js';
import { checkNames, invalidArgument, orderUnknown, PayCheckoutError } from './errors.js';
import { handlerOf, type IncomingRequest, type RequestHandler } from './incoming.js';
import type { Orders } from './orders.js';
import { checkKeyOf, checkMerchant, openSigned, refuse, required } from './signed-request.js';
import type { MerchantOrder, PayEvent, Price } from './types.js';

/** An event in the feed. */
export interface FeedEvent extends PayEvent {
  /** Where the feed goes on after this event. */
  readonly cursor: string;
}

/** A page of the feed of events. */
export interface EventPage {
  readonly merchant: string;
  /** Oldest first. */
  readonly events: readonly FeedEvent[];
  /** Where the feed goes on after this page. */
  readonly cursor: string;
  readonly hasMore: boolean;
}

export interface EventListOptions extends RequestOptions {
  /** A cursor of the feed. Default: its beginning. */
  readonly after?: string | undefined;
  /** Events of a page. Default: the session server's. */
  readonly limit?: number | undefined;
}

type Awaitable<T> = T | Promise<T>;

/** What a shop does with the truth about an order, and the event that brought it up. */
export type EventCallback = (order: MerchantOrder, event: PayEvent) => Awaitable<unknown>;

export interface EventHandlerOptions {
  /** What the order costs by the shop's own records; undefined when the shop has no such order. */
  readonly expectedAmount: (order: string) => Awaitable<Price | undefined>;
  /**
   * The order is paid, for certain, at the expected price; nothing is refunded, and nothing needs a person
   * to check. Called again when an event is delivered again: mark the order paid once.
   */
  readonly onPaid: EventCallback;
  /** The order is paid at the expected price, and some or all of it is given back. */
  readonly onRefunded?: EventCallback;
  /**
   * A person must check before anything is shipped. The order may be paid or not, at any price. Default: a
   * line on the console.
   */
  readonly onAttention?: EventCallback;
  /** The order is not paid: open, cancelled, expired and so on. Only `certain` states are final. */
  readonly onUnpaid?: EventCallback;
  /**
   * Why a request was not acknowledged; an event will be delivered again. Anyone can send what is not signed, so
   * `signature_missing` and `bad_signature` may not be about an event. Default: a line on the console.
   */
  readonly onError?: (error: unknown) => unknown;
}

const CALLBACKS = [
  'expectedAmount',
  'onPaid',
  'onRefunded',
  'onAttention',
  'onUnpaid',
  'onError',
] as const;

/** A test of the receiver alone: it is about no order. */
const TEST_EVENT = 'test';

/** Events of the session server: verified, handled, and read from the feed. */
export class Events {
  readonly #api: ApiClient;
  readonly #orders: Orders;
  readonly #merchant: string;
  readonly #webhook: Webhook | undefined;

  constructor(api: ApiClient, orders: Orders, merchant: string, webhook: Webhook | undefined) {
    this.#api = api;
    this.#orders = orders;
    this.#merchant = merchant;
    this.#webhook = webhook;
  }

  /**
   * The event in a request, once its Standard Webhooks signature over the raw body is good (at most five
   * minutes old) and it is for this merchant. It may be late: ask for the order before you act on it.
   *
   * @throws {PayCheckoutError} `signature_missing`, `timestamp_outside_tolerance`, `bad_signature`, `raw_body_gone`,
   * `body_too_large`, `not_json`, `wrong_merchant`
   */
  async verify(request: IncomingRequest): Promise<PayEvent> {
    const { id, json } = await openSigned(request, required(this.#webhook));
    const event = Object(json) as Omit<PayEvent, 'id'>;
    checkMerchant(event.data?.merchant, this.#merchant);
    return { ...event, id };
  }

  /** One page of the feed: every event of this merchant, in the order in which they were stored. */
  async list(options: EventListOptions = {}): Promise<EventPage> {
    checkNames(options, ['after', 'limit', 'signal']);
    const { signal, ...query } = options;
    const answer = await this.#api.request('GET', '/v1/merchant/events', { query, signal });
    const page = Object(answer) as EventPage;
    checkKeyOf(page.merchant, this.#merchant);
    return page;
  }

  /** The events from a cursor to the end of the feed. */
  async *iterate(options: EventListOptions = {}): AsyncGenerator<FeedEvent, void, undefined> {
    let { after } = options;
    for (;;) {
      const page = await this.list({ ...options, after });
      yield* page.events;
      after = page.cursor;
      if (!page.hasMore) return;
    }
  }

  /**
   * Receives events, as Express middleware and as a fetch handler. It verifies the event, asks the session
   * server for the order, compares its price with `expectedAmount`, calls exactly one callback, and answers
   * 2xx only after that. Everything else is not acknowledged, so that the event is delivered again. A test event
   * of the merchant's dashboard is acknowledged once it is verified.
   *
   * @example
   * app.post('/events', pay.events.handler({ expectedAmount, onPaid: (order) => markPaid(order.order) }));
   */
  handler(options: EventHandlerOptions): RequestHandler {
    required(this.#webhook);
    checkHandlerOptions(options);
    return handlerOf(async (request) => {
      try {
        const event = await this.verify(request);
        if (event.type !== TEST_EVENT) await this.handle(event, options);
        return { status: 204 };
      } catch (error) {
        return refuse(error, options.onError);
      }
    });
  }

  /**
   * Does what {@link handler} does with an event of the feed. Resolves once the work is done: then store its
   * cursor.
   *
   * @throws {PayCheckoutError} `order_unknown`, `amount_differs`, and whatever a callback throws
   */
  async handle(event: PayEvent, options: EventHandlerOptions): Promise<void> {
    checkHandlerOptions(options);
    const { onPaid, onRefunded, onAttention = reportAttention, onUnpaid } = options;
    const order = await this.#orders.get(event.data.order);
    if (order.attention.length > 0) {
      await onAttention(order, event);
    } else if (order.state !== 'paid' || !order.certain) {
      await onUnpaid?.(order, event);
    } else {
      await checkPrice(order, options.expectedAmount);
      if (order.refund === 'none') await onPaid(order, event);
      else await onRefunded?.(order, event);
    }
  }
}

/** @throws {PayCheckoutError} `invalid_argument`: at once, not with the first payment */
function checkHandlerOptions(options: EventHandlerOptions): void {
  checkNames(options, CALLBACKS);
  for (const name of CALLBACKS) {
    const isRequired = name === 'expectedAmount' || name === 'onPaid';
    if (options[name] === undefined && !isRequired) continue;
    if (typeof options[name] !== 'function') throw invalidArgument(name, 'a function');
  }
}

async function checkPrice(
  order: MerchantOrder,
  expectedAmount: EventHandlerOptions['expectedAmount'],
): Promise<void> {
  const expected = await expectedAmount(order.order);
  if (expected === undefined) throw orderUnknown(order.order);
  const amount = readAmount(expected.amount);
  if (amount === undefined) {
    throw invalidArgument('expectedAmount(…).amount', `decimal text such as '12.34'`);
  }
  if (amount === readAmount(order.amount) && expected.currency === order.currency) return;
  throw new PayCheckoutError(
    'amount_differs',
    `Order ${order.order} is paid with ${order.amount} ${order.currency}, and the shop expected ` +
      `${expected.amount} ${expected.currency}: do not ship it.`,
  );
}

/** The same text for the same amount: `'12.30'` and `'12.3'`. */
function readAmount(text: unknown): string | undefined {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(String(text)) ?? [];
  if (typeof text !== 'string' || whole === undefined) return undefined;
  return `${BigInt(whole)}.${fraction.replace(/0+$/, '')}`;
}

function reportAttention({ order, attention }: MerchantOrder): void {
  console.warn(`pay-checkout: order ${order} needs attention: ${attention.join(', ')}`);
}
