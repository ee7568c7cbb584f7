import type { VirtualClock } from './clock.js';
import type { Faults } from './faults.js';
import type { PaymentService } from './payment-service.js';
import type { RequestLog } from './request-log.js';
import type { SandboxSettings } from './settings.js';
import type { SandboxStore } from './store.js';
import type { WebhookSender } from './webhook-sender.js';

/** The parts of one sandbox, for its routes. */
export interface SandboxContext {
  readonly settings: SandboxSettings;
  readonly clock: VirtualClock;
  readonly store: SandboxStore;
  readonly requests: RequestLog;
  readonly faults: Faults;
  readonly payments: PaymentService;
  readonly webhooks: WebhookSender;
}
