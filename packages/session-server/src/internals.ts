/** What `@pay-checkout/operator` is made with. For that package of the same version only: it may change in any release. */
export { orderIdsIn } from './checkouts/attempt-ids.js';
export { findAttempts, toAttempt } from './checkouts/attempt-repository.js';
export { requestPoll } from './checkouts/poll-requests.js';
export { findCheckoutsOfOrder, toCheckout } from './checkouts/repository.js';
export { combineSplit, splitAmount, type SplitShare } from './checkouts/split-fee.js';
export { attentionAdded, type AttentionCode, type Checkout } from './checkouts/state-machine.js';
export { type Clock, systemClock } from './clock.js';
export type { Config } from './config.js';
export type { CheckoutState, MerchantOrder, OrderState } from './contract.js';
export { DEFAULT_LINK_SECONDS, orderState } from './contract-schemas.js';
export type { DataEncryption } from './encryption.js';
export { findMerchantsOf } from './erasure/order-data.js';
export { readRemovedMonths, type RemovedMonth } from './erasure/removal.js';
export { AppError, ConfigError } from './errors.js';
export { abortedByClose } from './http/aborted-by-close.js';
export { KeyAttempts, Limit } from './http/limits.js';
export { jsonBody, parse, word, wordOf } from './http/parse.js';
export { readCursor, toCursor } from './merchant-api/feed.js';
export { readMerchantOrders } from './merchant-api/order-view.js';
export { makePayLink } from './merchant-api/pay-link.js';
export { makeVoid } from './merchant-api/put-order.js';
export { openPersonalPart } from './orders/put-orders.js';
export { splitOrderToken } from './orders/order-token.js';
export {
  type MerchantEntries,
  SECRET_KINDS,
  type SecretKind,
} from './merchants/merchant-entries.js';
export {
  fixedMerchants,
  hasAccountList,
  type MerchantSource,
  readMerchantsFile,
} from './merchants/merchant-source.js';
export { ISO_DECIMALS } from './merchants/currencies.js';
export { findWebhookEndpoints, type Merchant } from './merchants/merchant.js';
export type { Figures } from './metrics/figures.js';
export {
  isSame,
  type OperatorAccess,
  operatorOf,
  type OperatorRoutes,
} from './metrics/listener.js';
export { mayAs, type Operator, type OperatorKey, type Role } from './metrics/operator-people.js';
export type { ServerMetrics } from './metrics/server-metrics.js';
export { formatMinor, parseMinor } from './money.js';
export { paymentFact } from './store/migrations.js';
export { openAlongside } from './open-database.js';
export { findLog, type LogDetails, type LogEntry } from './orders/order-log.js';
export {
  listOrders,
  type OrderFilter,
  type OrderPlace,
  type OrderTotals,
  readOrderTotals,
} from './orders/order-list.js';
export {
  findOrder,
  type OrderKey,
  orderKeyText,
  ordersOf,
  toOrder,
  touchOrder,
} from './orders/repository.js';
export {
  type DeadLetter,
  type DeadLetterFilter,
  findDeadLetters,
  redeliverEvents,
  type RedeliverFilter,
} from './outbox/repository.js';
export {
  createPartnerGateway,
  keyOf,
  type PartnerGateway,
  type ProviderMerchant,
  type TransactionList,
  type TransactionRow,
} from './provider/gateway.js';
export { PartnerClients } from './provider/partner-clients.js';
export {
  describeTime,
  expectedPaymentOf,
  type MatchReason,
  type MatchResult,
  matchTransaction,
  timeOf,
} from './reconciliation/matching.js';
export { PageQuota, sleep, waitForPage } from './reconciliation/pacing.js';
export { newestRange, type PageRange, readNextPage } from './reconciliation/page-range.js';
export { ReadLease } from './reconciliation/read-lease.js';
export { findKnownRow, findTransactions } from './reconciliation/repository.js';
export type { ReconciliationService } from './reconciliation/service.js';
export type { OperatorPackage } from './operator-package.js';
export type { DashboardParts, OperatorParts } from './server.js';
export { BEAT_MS, type Servers, type ServerState } from './servers/servers.js';
export type { SplitRule } from './split-rule.js';
export {
  type Database,
  getCounter,
  optionalNumber,
  optionalText,
  ping,
  type Reader,
  type Row,
  setCounter,
  type Transaction,
} from './store/database.js';
export { sql, type Sql } from './store/sql.js';
export { VERSION } from './version.js';
export { countWebhooks } from './webhooks/repository.js';
export { type Secret, TransactionCsv } from '@pay-checkout/partner-api';
