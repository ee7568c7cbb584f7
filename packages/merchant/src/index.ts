/** The merchant's back end: see README.md. */
export { PayCheckout, type PayCheckoutOptions } from './client.js';
export { type FieldError, isPayCheckoutError, PayCheckoutError } from './errors.js';
export type {
  EventCallback,
  EventHandlerOptions,
  EventListOptions,
  EventPage,
  Events,
  FeedEvent,
} from './events.js';
export type { IncomingRequest, NodeRequest, NodeResponse, RequestHandler } from './incoming.js';
export type {
  Address,
  Customer,
  LookupAnswer,
  OrderDetails,
  OrderInput,
  OrderListOptions,
  OrderPage,
  Orders,
  PaidOrder,
  PayableOrder,
  SplitRule,
} from './orders.js';
export type {
  CheckoutState,
  EventData,
  LineItem,
  MerchantOrder,
  OrderCheckout,
  OrderState,
  PayEvent,
  PaymentFacts,
  Price,
  RefundState,
} from './types.js';
