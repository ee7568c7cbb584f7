/** What our back end tells the playground: plain types, no imports of the server. */
import type { PlacedOrder } from './order-view.js';

/** A merchant entry of the playground: our shop with another client SDK. */
export interface PlaygroundMerchantView {
  /** Its id at the session server. */
  readonly merchant: string;
  /** Name of the shape that its client SDK has. */
  readonly shape: string;
  /** The shape in words. */
  readonly what: string;
  /** Whether a payment can be made with it. */
  readonly works: boolean;
}

/** 200 of `GET /api/playground`. */
export interface PlaygroundView {
  readonly merchants: readonly PlaygroundMerchantView[];
}

/** 201 of `POST /api/playground/orders`. */
export interface PlaygroundOrderReply extends PlacedOrder {
  readonly merchant: string;
}

/** The amounts that an order of the playground can have, as decimal text. */
export const SMALLEST_AMOUNT = '0.01';
export const LARGEST_AMOUNT = '9999.99';
