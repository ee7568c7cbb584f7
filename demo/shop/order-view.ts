/** What our back end answers to our pages about an order. */
import type { PricedBasket } from './catalogue.js';

/** 201 of `POST /api/orders`. */
export interface PlacedOrder {
  readonly order: string;
  /** None while the session server, which makes it, does not answer: the order is placed all the same. */
  readonly orderToken?: string;
  /** Decimal text, for example `'12.34'`. */
  readonly amount: string;
  readonly currency: string;
}

/** One line of an order's timeline: an event that the session server signed, and what it did. */
export interface TimelineView {
  /** For example `checkout.paid`. New types may come. */
  readonly type: string;
  /** `paid`, `recorded`, `stale` or `amount_differs`. */
  readonly effect: string;
  /** ISO 8601. */
  readonly at: string;
}

/** 200 of `GET /api/orders/:order`, for the browser that placed the order. */
export interface OrderView {
  readonly order: string;
  readonly state: 'awaiting_payment' | 'paid';
  readonly amount: string;
  readonly currency: string;
  readonly basket: PricedBasket;
  readonly firstName: string;
  readonly address: {
    readonly address1: string;
    readonly address2?: string | undefined;
    readonly town: string;
    readonly postcode: string;
    readonly country: string;
  };
  readonly createdAt: string;
  readonly paidAt?: string;
  readonly refund: 'none' | 'partial' | 'full';
  readonly attention: readonly string[];
  readonly timeline: readonly TimelineView[];
  /**
   * Fresh at each reading, so that a reload in the middle of paying works. A paid order may have none, and as in
   * {@link PlacedOrder} there is none while the session server that makes it does not answer.
   */
  readonly orderToken?: string;
  /** The merchant entry that it is paid at: the shop's own, or one of the playground. */
  readonly merchant: string;
}

/** 200 of `GET /api/orders/:order/payment`: what the session server knows at this moment. */
export interface PaymentView {
  /** A state of the checkout, or `none` when no payment has begun. New states may come. */
  readonly state: string;
  readonly certain: boolean;
  /** How often a session was asked of the provider. */
  readonly sessions: number;
  /** How many of the provider's transactions count for this order. */
  readonly transactions: number;
}

/** An error of our back end: problem JSON, with each wrong field. */
export interface ShopProblem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}
