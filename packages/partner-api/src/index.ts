export { PartnerClient, type PartnerClientOptions } from './client.js';
export type { AddressOptions, Environment } from './http/addresses.js';
export type { Call, CallResponse } from './http/request.js';
export type { CallOptions, Validation } from './http/operation.js';
export { extraOf } from './extra.js';
export type { DriftReport, OperationDrift } from './http/reply.js';
export type { AttemptEvent, CallEvent, Logger, SpanLike, TracerLike } from './http/observe.js';
export type {
  IterateOptions,
  ListTransactionsParams,
  Transactions,
} from './resources/transactions.js';
export type { Transaction, TransactionPage } from './resources/transaction.js';
export {
  endOfPage,
  type ListedPage,
  type ListIterator,
  type PageEnd,
} from './resources/transaction-pages.js';
export {
  unreadableRowsOf,
  type UnreadableRow,
  type UnreadableRows,
} from './resources/unreadable-rows.js';
export type { Reports, ReportSchedule, UpdateReportScheduleParams } from './resources/reports.js';
export type {
  AssociateMerchantParams,
  MerchantAssociation,
  Merchants,
} from './resources/merchants.js';
export type {
  ScheduledTransfer,
  ScheduledTransferEntry,
  ScheduledTransfers,
  ScheduledTransfersBody,
} from './resources/scheduled-transfers.js';
export type { Analytics, PartnerAnalytics, PartnerAnalyticsParams } from './resources/analytics.js';
export type {
  CreatedWebhook,
  CreateWebhookOptions,
  CreateWebhookParams,
  StoreHmacKey,
  TestWebhookParams,
  Webhooks,
  WebhookTest,
} from './resources/webhooks.js';
export {
  CHECKOUT_SESSION_FIELDS,
  type CheckoutSession,
  type CheckoutSessions,
  type CreateCheckoutSessionParams,
  type SplitFee,
} from './resources/checkout-sessions.js';
export * from './webhooks/scheme.js';
export {
  signWebhook,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookKey,
  type WebhookRefusal,
  type WebhookToSign,
  type WebhookVerification,
} from './webhooks/signature.js';
export { solveWebhookScheme, type SolvedWebhookSchemes } from './webhooks/solve-scheme.js';
export { TransactionCsv, type TransactionCsvOptions } from './csv.js';
export { decimalOf, fieldText, toJsonText } from './decimal.js';
export { Secret } from './secret.js';
export * from './errors.js';
export type { Clock } from './http/retry.js';
export { FetchTransport } from './http/transport.js';
export { UndiciTransport } from './http/undici-transport.js';
export {
  TransportError,
  type Transport,
  type TransportHead,
  type TransportProblem,
  type TransportReply,
  type TransportRequest,
} from './http/transport.js';
