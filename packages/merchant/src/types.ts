/** What the session server says, as its contract has it; a test compares the two. */

export type CheckoutState =
  | 'open'
  | 'returned'
  | 'paid'
  | 'failed'
  | 'cancelled'
  | 'left'
  | 'expired'
  | 'unconfirmed';

export type RefundState = 'none' | 'partial' | 'full';

/** The payment, as far as the provider's list shows it. */
export interface PaymentFacts {
  /** Such as `New Card`. */
  readonly method?: string;
  readonly scheme?: string;
  readonly lastDigits?: string;
  /** Decimal text. */
  readonly fee?: string;
  readonly pspReference?: string;
  readonly internalReference?: string;
  /** ISO 8601. */
  readonly paidAt?: string;
}

/** An amount as exact decimal text in the currency's main unit, such as `'12.34'`, and its ISO 4217 currency. */
export interface Price {
  readonly amount: string;
  readonly currency: string;
}

/** The state of an order: that of its checkout, or `void` once its merchant has voided it. */
export type OrderState = CheckoutState | 'void';

/** The truth about an order: what the session server knows of it now. */
export interface MerchantOrder extends Price {
  readonly merchant: string;
  readonly order: string;
  /** `open` before its first checkout. */
  readonly state: OrderState;
  /** Whether evidence, and not only a hint, stands behind `state`. */
  readonly certain: boolean;
  readonly refund: RefundState;
  /** Decimal text. */
  readonly amountRefunded: string;
  /** Why a person must check before anything is shipped: codes of `docs/events.md`. */
  readonly attention: readonly string[];
  /** Id of the transaction that paid it. */
  readonly transaction?: string;
  readonly payment?: PaymentFacts;
  /** As they were put, until they are erased. */
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly lineItems?: readonly LineItem[];
  readonly locale?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Each price at which it was opened, oldest first, with its sessions and transactions. */
  readonly checkouts: readonly OrderCheckout[];
}

/** A line of an order. */
export interface LineItem {
  readonly name: string;
  readonly quantity: number;
  /** Decimal text of the whole line, not of one piece; a discount has a minus: `'-2.50'`. */
  readonly amount: string;
}

export interface OrderCheckout extends Price {
  readonly checkout: string;
  /** Of the request that created the checkout: quote it to the platform. */
  readonly requestId?: string;
  readonly state: CheckoutState;
  readonly certain: boolean;
  readonly refund: RefundState;
  readonly attention: readonly string[];
  /** Each session at the provider, and the names under which the provider knows it. */
  readonly attempts: readonly {
    readonly orderId: number;
    readonly merchantReference: string;
    readonly status: string;
  }[];
  /** The provider's transactions that pay or refund it. */
  readonly transactions: readonly {
    readonly id: string;
    readonly status: string;
    readonly amount: string;
    readonly currency: string;
    readonly transactionTime: string;
  }[];
}

/** What an event says: the whole checkout after the change. It may be late, so ask for the order. */
export interface EventData extends Price {
  readonly merchant: string;
  readonly order: string;
  /** The version that the order lookup gave. */
  readonly version?: string;
  readonly checkout: string;
  readonly state: CheckoutState;
  readonly certain: boolean;
  /** Grows with each event of the checkout. */
  readonly sequence: number;
  readonly refund: RefundState;
  readonly amountRefunded: string;
  readonly attention: readonly string[];
  readonly transaction?: string;
  readonly payment?: PaymentFacts;
  /** Of the order, as it is put when the event is delivered or read. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface PayEvent {
  /** The same in every delivery of this event: what a shop has seen, it may drop. */
  readonly id: string;
  /** Such as `checkout.paid`; see `docs/events.md`. There may be new ones. */
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: EventData;
}
