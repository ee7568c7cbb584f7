export { PartnerClient } from './client.js';
export type { PartnerClientOptions } from './internal/client-settings.js';
export type { CallOptions } from './internal/operation.js';
export type {
  ListTransactionsParams,
  PaymentMethod,
  Transaction,
  TransactionPage,
  Transactions,
  TransactionStatus,
  TransactionStatusFilter,
} from './resources/transactions.js';
export type {
  CheckoutSession,
  CheckoutSessions,
  CreateCheckoutSessionOptions,
  CreateCheckoutSessionParams,
  SplitFee,
} from './resources/checkout-sessions.js';
export { decimalOf } from './decimal.js';
export { Secret } from './secret.js';
export {
  AuthenticationError,
  CallAbortedError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  isPartnerApiError,
  NotFoundError,
  PartnerApiError,
  PermissionError,
  RateLimitError,
  RedirectError,
  RequestRefusedError,
  ServerError,
  TimeoutError,
  type Outcome,
  type PartnerApiErrorDetails,
  type ResponseProblem,
} from './errors.js';
export { FetchTransport } from './internal/fetch-transport.js';
export type { Clock } from './internal/deadline.js';
export {
  TransportError,
  type Transport,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from './internal/transport.js';
