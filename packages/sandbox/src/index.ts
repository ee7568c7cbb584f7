export { createSandbox, type Sandbox } from './sandbox.js';
export type { SandboxOptions } from './settings.js';
export type { Merchant } from './merchant.js';
export type { VirtualClock } from './clock.js';
export type { FaultKind, FaultOrder } from './faults/fault-order.js';
export type { HistoryOptions } from './generated/history-options.js';
export type { Operation } from './operation.js';
export type { LoggedRequest } from './request-log.js';
export type { Delivery, WebhookSubject } from './webhooks/webhook-sender.js';
export type {
  EndpointSummary,
  HmacKeyFormat,
  WebhookEndpoint,
} from './webhooks/webhook-endpoints.js';
export {
  STANDARD_WEBHOOKS,
  type WebhookSigning,
  type WebhookSigningInput,
} from './webhooks/webhook-signing.js';
export type { AnalyticsPartner } from './resources/analytics-partner.js';
export type { ReportSchedule } from './resources/report-schedule.js';
export type { ScheduledTransfer } from './resources/transfer-book.js';
export type { TransactionVariant } from './resources/transaction-variant.js';
export type { CheckoutSession, PayingCard } from './checkout-session.js';
export type { CreateSessionRequest } from './resources/create-session-request.js';
export type { TransactionRow } from './resources/transaction-row.js';
export type { StoredTransaction } from './transaction-store.js';
export type { AddedRow, SandboxControl, SessionSummary } from './control/sandbox-control.js';
export type { RefundOrder } from './control/refund.js';
export type { Approval, Challenge, Decline, Expiry, Scenario } from './scenarios.js';
export { SCENARIOS } from './scenarios.js';
export {
  describeSdk,
  listSdkShapes,
  type SdkDescription,
  type SdkShape,
} from './sdk/sdk-shapes.js';
