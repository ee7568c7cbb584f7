export { createSandbox, startSandbox, type RunningSandbox, type Sandbox } from './sandbox.js';
export type { AnalyticsPartner, Merchant } from './accounts.js';
export type { SandboxOptions } from './settings.js';
export type { SandboxControl } from './control/sandbox-control.js';
export type { SessionSummary } from './control/session-control.js';
export type { AddedRow } from './control/transaction-control.js';
export type { FaultKind, FaultTarget } from './faults/fault-table.js';
export type { Fault } from './faults/fault.js';
export type { LoggedRequest, Operation } from './logged-request.js';
export type { CheckoutSession } from './resources/session-store.js';
export type { WebhookEndpoint } from './resources/webhook-endpoints.js';
export type { Scenario } from './scenario.js';
export { exportForPayPartner } from './pay-partner.js';
export { SCENARIOS } from './scenarios.js';
export {
  describeSdk,
  listSdkShapes,
  type SdkDescription,
  type SdkShape,
} from './sdk/sdk-shapes.js';
export type { HistoryOptions } from './transactions/history.js';
export type { RefundRequest } from './transactions/refund.js';
export type { DescribedSwitch, Switches, SwitchesChange } from './switches.js';
export type { TransactionRow, TransactionVariant } from './transactions/transaction.js';
export type { Delivery } from './webhooks/delivery-log.js';
export type { WebhookContent } from './webhook-payload.js';
export { STANDARD_WEBHOOKS, type WebhookSigningInput } from './webhooks/webhook-signing.js';
