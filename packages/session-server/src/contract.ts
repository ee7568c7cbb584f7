/**
 * What the page and the session server say to each other: plain types with no imports, so that the
 * element can use them without pulling in a line of the server.
 *
 * The schemas that check these shapes are in `contract-schemas.ts`.
 */

/** The state of a checkout as the server knows it. The lawful moves are in `checkouts/state-machine.ts`. */
export type CheckoutState =
  | 'open'
  | 'returned'
  | 'paid'
  | 'failed'
  | 'cancelled'
  | 'left'
  | 'expired'
  | 'unconfirmed';

/** How much of a paid checkout has been given back, as far as the provider's list shows. */
export type RefundState = 'none' | 'partial' | 'full';

/** Which of the provider's environments is in use. It has no default anywhere. */
export type Environment = 'sandbox' | 'production';

/** `GET /v1/pay-checkout.json`: the element's script for pages that pin it. */
export interface AssetsReply {
  /** Path of the element's script. */
  readonly script: string;
  /** Subresource Integrity of the script. */
  readonly integrity: string;
}

/** What a page may report about a checkout. Each is a hint: it triggers a poll, it proves nothing. */
export type HintKind =
  | 'shown'
  | 'submitted'
  | 'declined'
  | 'cancelled'
  | 'refused'
  /** The SDK says that the session is over: nothing more can be paid in it. */
  | 'expired'
  | 'error';

/** Which of the three addresses of spec 4.6 (`RedirectUrl`, `CancelUrl`, `backurl`) was visited. */
export type ReturnKind = 'return' | 'cancel' | 'back';

/** An address field that a shopper can be asked for, by its name in the order lookup. */
export type AvsField = 'houseNumber' | 'postcode' | 'flat' | 'address1' | 'address2';

/** What a shopper typed: for `AvsHouseNumber`, `AvsPostcode`, `flat` and the lines of spec 4.6. */
export interface AvsInput extends Readonly<Partial<Record<AvsField, string | undefined>>> {
  readonly houseNumber: string;
  readonly postcode: string;
}

/**
 * How to load and call the provider's client SDK. The spec (2.4) shows one thing only: `session_id`
 * is passed to `configure()`. Everything here is therefore data, listed in `docs/assumptions.md`.
 */
export interface SdkDescription {
  /** Address of the SDK's script. */
  readonly url: string;
  /** Subresource Integrity of the script. */
  readonly integrity?: string;
  /** Dotted path from `window` to the object (or constructor) that has `configure()`: `'A.B'`. */
  readonly global: string;
  /** Whether the global is a constructor that must be called with `new` first. Default false. */
  readonly construct?: boolean;
  /** `configure({ session_id })` or `configure('…')`. */
  readonly argument: 'object' | 'string';
  /** How `configure()` learns where to draw: a CSS selector, the element, or not at all. */
  readonly container?: 'selector' | 'element';
  /** Whether `configure()` leaves the page automatically. Default false. */
  readonly navigates?: boolean;
  /** Names of callbacks accepted besides `session_id`, and the hint that each one stands for. */
  readonly callbacks?: Readonly<Record<string, HintKind>>;
  /** Name of the method of the handle to call next, with the container, when there is one. */
  readonly open?: string;
  /** Fields of what it answers last, and the hint that each value stands for. */
  readonly answers?: Readonly<Record<string, Readonly<Record<string, HintKind>>>>;
  /** Origins that a Content Security Policy must allow. */
  readonly origins: {
    readonly script: readonly string[];
    readonly frame: readonly string[];
    readonly connect: readonly string[];
    /** Style sheets, and the fonts that they load. Default none. */
    readonly style?: readonly string[];
    /** Pictures, for example of cards. Default none. */
    readonly image?: readonly string[];
    /** Where it posts forms to, for example for 3-D Secure, and where these are redirected to. Default none. */
    readonly form?: readonly string[];
  };
  /** Whether it adds styles of its own to the page. It allows no inline script. Default false. */
  readonly inlineStyle?: boolean;
}

/** Body of `POST /v1/checkouts`. It names an order; it never says a price or an address to go to. */
export interface CreateCheckoutRequest {
  readonly merchant: string;
  readonly order: string;
  /** `<order>.<exp>.<hmac>`, made by the shop's back end. */
  readonly orderToken?: string;
  readonly avs?: AvsInput;
  /** The `sessionId` that the SDK refused, to ask for another one. */
  readonly renew?: string;
  /** Asks what the order costs, and opens nothing: answered with a {@link PreviewReply}. */
  readonly preview?: true;
}

/**
 * 200 of `POST /v1/checkouts` with `preview`: what the order costs, and what is known of it. Nothing is
 * stored, and the provider is not asked.
 */
export interface PreviewReply extends Partial<
  Pick<CreateCheckoutReply, 'checkout' | 'state' | 'revision' | 'refund' | 'submitted'>
> {
  /** The name of the merchant entry. */
  readonly shop: string;
  /**
   * Of the checkout that is paid or may be being paid; otherwise what the order costs, where the shop is
   * asked for it as it was up to a few seconds ago. A checkout is priced when it is created.
   */
  readonly amount: string;
  readonly currency: string;
  readonly environment: Environment;
  /** What the order consists of, in this order. Only with an order token. */
  readonly lineItems?: readonly LineItem[];
}

/** A line of an order, as it was put. */
export interface LineItem {
  readonly name: string;
  readonly quantity: number;
  /** Decimal text of the whole line, not of one piece; a discount has a minus: `'-2.50'`. */
  readonly amount: string;
}

/** 200 of `POST /v1/checkouts`. */
export interface CreateCheckoutReply {
  readonly checkout: string;
  readonly state: CheckoutState;
  /** Counts the changes of this checkout; polls name the last one seen. */
  readonly revision: number;
  /** What `configure()` takes. Absent when nothing is to be paid now. */
  readonly sessionId?: string;
  readonly sdk?: SdkDescription;
  /** Decimal text, for example `'12.34'`. */
  readonly amount: string;
  /** ISO 4217 code. */
  readonly currency: string;
  readonly environment: Environment;
  /** What was refunded of a paid one. Default none. */
  readonly refund?: RefundState;
  /** As in {@link CheckoutStatus}. */
  readonly submitted?: true;
  /** Of the request that created the checkout: its events and log lines have it too. */
  readonly requestId?: string;
  /** As in {@link PreviewReply}. */
  readonly lineItems?: readonly LineItem[];
}

/** The other 200 of `POST /v1/checkouts`: nothing is open yet; ask the shopper, then open with it. */
export interface NeedsReply {
  readonly needs: readonly 'avs'[];
  /** What to ask for, in this order. Default: house number and postcode. */
  readonly fields?: readonly AvsField[];
  readonly amount: string;
  readonly currency: string;
  readonly environment: Environment;
  /** As in {@link PreviewReply}. */
  readonly lineItems?: readonly LineItem[];
}

/** 202 of `POST /v1/checkouts`: another request is creating it; ask again. */
export interface OpeningReply {
  readonly state: 'opening';
  readonly retryAfterSeconds: number;
}

/** One checkout in the answer of `GET /v1/checkouts`. */
export interface CheckoutStatus {
  readonly checkout: string;
  readonly merchant: string;
  readonly order: string;
  readonly state: CheckoutState;
  /** Whether evidence, and not only a hint, stands behind `state`. */
  readonly certain: boolean;
  readonly revision: number;
  readonly refund: RefundState;
  /** A page said that the shopper submitted a payment, and its outcome is not known: do not ask for another. */
  readonly submitted?: true;
  /** The checkout of the same order to follow instead: at another price, or the one that is paid. */
  readonly supersededBy?: string;
}

/** 200 of `GET /v1/checkouts?id={id}:{revision}&id=…&wait=25`. */
export interface CheckoutStatusReply {
  /** The checkouts that were asked for and are known, changed or not, in the order asked. */
  readonly checkouts: readonly CheckoutStatus[];
  /** Present when the server did not wait (too many waiters): pause this long before asking again. */
  readonly retryAfterSeconds?: number;
}

/** Body of `POST /v1/checkouts/{id}/hints`. */
export interface HintRequest {
  readonly kind: HintKind;
  /**
   * The session that the page shows. `cancelled` moves the state only with it: an id of a checkout
   * may have been shared, and a stranger's cancel must not close the form of a shopper who is paying.
   */
  readonly sessionId?: string;
}

/** 200 of `GET /v1/checkout-config?merchant=…`: what a page may load before anything is opened. */
export interface CheckoutConfigReply {
  readonly merchant: string;
  readonly environment: Environment;
  readonly sdk: SdkDescription;
}

/** Every error of the server: RFC 9457 problem JSON with a stable `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** snake_case, never renamed, listed in `docs/error-codes.md`. */
  readonly code: string;
  readonly requestId: string;
  /** For bad input: each field, and what was expected of it. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  /** Of `order_already_paid`, where the merchant's own back end asks: the state of the order. */
  readonly state?: OrderState;
  /** Of `POST /v1/checkouts`: no page was ever given a session of this order, so nothing was paid. */
  readonly unpaid?: true;
}

/**
 * Sent by the return page and the hosted page to the windows that may show them, whatever their origin.
 * It carries nothing.
 */
export interface HelloMessage {
  readonly type: 'pay-checkout:hello';
}

/** The element's reply, which shows its origin. Only there does the page name the checkout. */
export interface HelloReply {
  readonly type: 'pay-checkout:hello-ack';
}

/** Sent by the return page in reply to {@link HelloReply}, until acknowledged. */
export interface ReturnMessage {
  readonly type: 'pay-checkout:return';
  readonly checkout: string;
  readonly kind: ReturnKind;
}

/** The element's reply to a {@link ReturnMessage}, to the window and origin that it came from. */
export interface ReturnAcknowledgement {
  readonly type: 'pay-checkout:return-ack';
  readonly checkout: string;
}

/** Sent by the hosted page in reply to {@link HelloReply} when its checkout changed: the page polls. */
export interface ChangedMessage {
  readonly type: 'pay-checkout:changed';
  readonly checkout: string;
}

/** The payment of an order, as far as the provider's list shows it. */
export interface PaymentFacts {
  /** Such as `New Card` or `Apple Pay`. */
  readonly method?: string;
  readonly scheme?: string;
  /** The last digits of the card. */
  readonly lastDigits?: string;
  /** Decimal text. */
  readonly fee?: string;
  readonly pspReference?: string;
  readonly internalReference?: string;
  /** `transactionTime` of the row. */
  readonly paidAt?: string;
}

/** The state of an order: that of its checkout, or `void` once its merchant has voided it. */
export type OrderState = CheckoutState | 'void';

/** A share of an order: fixed, or a percentage of the amount. Decimal text; see `docs/split-fees.md`. */
export type OrderSplit = {
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

/** Who pays, as far as the shop knows: for the fields of spec 4.6. */
export interface OrderCustomer {
  readonly id?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
}

/** Body of `PUT /v1/merchant/orders/{order}`: the whole order as it is now. Null means not known. */
export interface PutOrderRequest {
  /** Decimal text above 0 in the currency of the merchant entry: `'12.34'`. */
  readonly amount: string;
  readonly currency: string;
  /** At most 500 characters. */
  readonly description?: string | null | undefined;
  /**
   * Your own notes about the order, in its events and in replies to your key; no shopper sees them. At most 20,
   * with names of up to 40 letters, digits, `.`, `_` and `-`, and values of up to 500 characters.
   */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** What the shopper is shown that the order consists of: at most 100, whose amounts add up to the order's. */
  readonly lineItems?:
    | readonly (Omit<LineItem, 'quantity'> & { readonly quantity?: number | undefined })[]
    | null
    | undefined;
  /** Language of the hosted payment page: a BCP 47 tag, such as `de` or `pt-BR`. Default: the browser's. */
  readonly locale?: string | null | undefined;
  readonly customer?: OrderCustomer | null | undefined;
  readonly address?:
    | Readonly<Partial<Record<AvsField, string | null | undefined>>>
    | null
    | undefined;
  /** The page that shoppers of this order return to, on one of the merchant's origins, with `{checkout}`. */
  readonly returnUrl?: string | null | undefined;
  readonly split?: readonly OrderSplit[] | null | undefined;
  /** How long token and link may create a checkout. Default 30 days, at most 365. */
  readonly expiresInSeconds?: number | undefined;
}

/** 200 of `PUT /v1/merchant/orders/{order}`, 201 when the order is new. */
export interface PutOrderReply {
  /** Whose key was sent. */
  readonly merchant: string;
  readonly order: string;
  /** For the tag: `order-token`. A fresh one in each reply. */
  readonly orderToken: string;
  /** The hosted payment page of the order: a link for e-mails and QR codes. */
  readonly payUrl: string;
  /** When token and link expire: ISO 8601, UTC. */
  readonly expiresAt: string;
  readonly state: OrderState;
}

/** 200 of `DELETE /v1/merchant/orders/{order}`. */
export interface VoidOrderReply {
  readonly order: string;
  readonly state: OrderState;
}

/** 200 of `GET /v1/merchant/orders/{order}`: the truth, with its evidence. */
export interface MerchantOrder {
  readonly merchant: string;
  readonly order: string;
  /**
   * `void` when its merchant made it so and it is not paid. Otherwise of the paid checkout; else of one whose
   * payment is pending; else of the price that was put, or was asked for last; `open` before its first checkout.
   */
  readonly state: OrderState;
  readonly certain: boolean;
  /** Of that checkout, as are refund, transaction and payment; before it, as it was put. Decimal text. */
  readonly amount: string;
  readonly currency: string;
  readonly refund: RefundState;
  readonly amountRefunded: string;
  /** Of all its checkouts. */
  readonly attention: readonly string[];
  /** Id of the transaction that paid it. */
  readonly transaction?: string;
  readonly payment?: PaymentFacts;
  /** As they were put, until they are erased. */
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly lineItems?: readonly LineItem[];
  readonly locale?: string;
  /** When it was first put or opened, and when it last changed: ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Every version of the order that was opened, oldest first. */
  readonly checkouts: readonly {
    readonly checkout: string;
    readonly state: CheckoutState;
    readonly certain: boolean;
    readonly amount: string;
    readonly currency: string;
    readonly refund: RefundState;
    /** Why a person should check before shipping; see `docs/events.md`. */
    readonly attention: readonly string[];
    readonly createdAt: string;
    /** Each `/create-session`: the names under which the provider knows it. */
    readonly attempts: readonly {
      readonly orderId: number;
      readonly merchantReference: string;
      readonly status: string;
      readonly createdAt: string;
    }[];
    /** The provider's transactions that pay it or refund it. */
    readonly transactions: readonly {
      readonly id: string;
      readonly orderId: number;
      readonly status: string;
      readonly amount: string;
      readonly currency: string;
      readonly transactionTime: string;
    }[];
  }[];
}

/** 200 of `GET /v1/merchant/orders`: orders by the time at which they were made, newest first. */
export interface MerchantOrderList {
  /** May be fewer than `limit`, even none, before the last page. */
  readonly orders: readonly MerchantOrder[];
  /** For `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** What an event says: the whole checkout after the change; see `docs/events.md`. */
export interface MerchantEventData {
  readonly merchant: string;
  readonly order: string;
  readonly version?: string;
  readonly checkout: string;
  /** `x-request-id` of the request that created the checkout. */
  readonly requestId?: string;
  readonly state: CheckoutState;
  readonly certain: boolean;
  /** Counts the events of this checkout. */
  readonly sequence: number;
  readonly amount: string;
  readonly currency: string;
  readonly refund: RefundState;
  readonly amountRefunded: string;
  readonly attention: readonly string[];
  readonly transaction?: string;
  readonly payment?: PaymentFacts;
  /** Of the order, as it is put when the event is delivered or read. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An event in the feed: what is signed and sent, with its id and its place. */
export interface MerchantEvent {
  /** For `after`, to go on behind this event. */
  readonly cursor: string;
  /** `webhook-id` of its deliveries. */
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: MerchantEventData;
}

/** 200 of `GET /v1/merchant/events?after=…`: events in the order in which they were committed. */
export interface MerchantEventList {
  /** Whose key was sent. */
  readonly merchant: string;
  readonly events: readonly MerchantEvent[];
  /** For `after` of the next request, also when there are no events. */
  readonly cursor: string;
  /** Whether more events are there already. */
  readonly hasMore: boolean;
}
