import type { VirtualClock } from './clock.js';
import type { Faults } from './faults/faults.js';
import type { Merchant } from './merchant.js';
import type { PaymentService } from './payment-service.js';
import type { RequestLog } from './request-log.js';
import type { ReportSchedule } from './resources/report-schedule.js';
import type { SignupLinks } from './resources/signup-links.js';
import type { TransactionVariant } from './resources/transaction-variant.js';
import type { TransferBook } from './resources/transfer-book.js';
import type { SessionStore } from './session-store.js';
import type { SandboxSettings } from './settings.js';
import type { TransactionStore } from './transaction-store.js';
import type { WebhookEndpoints } from './webhooks/webhook-endpoints.js';
import type { WebhookSender } from './webhooks/webhook-sender.js';

/** The parts of one sandbox, for its routes. */
export interface SandboxContext {
  readonly settings: SandboxSettings;
  readonly merchantsById: ReadonlyMap<number, Merchant>;
  readonly clock: VirtualClock;
  readonly sessions: SessionStore;
  readonly transactions: TransactionStore;
  /** What the rows show now; the control API changes it. */
  readonly variant: { current: TransactionVariant };
  readonly schedules: Map<string, ReportSchedule>;
  readonly signupLinks: SignupLinks;
  readonly transfers: TransferBook;
  readonly endpoints: WebhookEndpoints;
  readonly requests: RequestLog;
  readonly faults: Faults;
  readonly payments: PaymentService;
  readonly webhooks: WebhookSender;
}
