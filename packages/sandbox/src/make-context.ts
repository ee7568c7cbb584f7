import { VirtualClock } from './clock.js';
import type { SandboxContext } from './context.js';
import { Faults } from './faults/faults.js';
import { GeneratedTransactions } from './generated/generated-transactions.js';
import { PaymentService } from './payment-service.js';
import { RequestLog } from './request-log.js';
import { seedSchedules } from './resources/report-schedule.js';
import { SignupLinks } from './resources/signup-links.js';
import { TransferBook } from './resources/transfer-book.js';
import { SessionStore } from './session-store.js';
import type { SandboxSettings } from './settings.js';
import { TransactionStore } from './transaction-store.js';
import { WebhookEndpoints } from './webhooks/webhook-endpoints.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** Puts the parts of one sandbox together, as they are when it starts. */
export function makeContext(settings: SandboxSettings): SandboxContext {
  const clock = new VirtualClock();
  const sessions = new SessionStore();
  const transactions = new TransactionStore(makeHistory(settings));
  const endpoints = new WebhookEndpoints(settings.hmacKeyFormat);
  const webhooks = new WebhookSender({
    clock,
    pausesSeconds: settings.webhookPausesSeconds,
    timeoutSeconds: settings.webhookTimeoutSeconds,
    signing: settings.webhookSigning,
  });
  const context: SandboxContext = {
    settings,
    merchantsById: new Map(settings.merchants.map((merchant) => [merchant.id, merchant])),
    clock,
    sessions,
    transactions,
    variant: { current: settings.transactionVariant },
    schedules: new Map(),
    signupLinks: new SignupLinks(),
    transfers: new TransferBook(),
    endpoints,
    requests: new RequestLog(),
    faults: new Faults(),
    payments: new PaymentService({ settings, clock, transactions, webhooks, endpoints }),
    webhooks,
  };
  seed(context);
  return context;
}

/** Forgets everything that happened. */
export function resetContext(context: SandboxContext): void {
  const { settings, clock, faults, payments, webhooks } = context;
  faults.release();
  context.sessions.clear();
  context.transactions.reset(makeHistory(settings));
  context.variant.current = settings.transactionVariant;
  context.endpoints.clear();
  context.requests.clear();
  webhooks.clear();
  webhooks.signing = settings.webhookSigning;
  clock.reset();
  payments.listingDelaySeconds = 0;
  seed(context);
}

function seed({ settings, clock, schedules, signupLinks, transfers }: SandboxContext): void {
  const { merchants, resellerId } = settings;
  schedules.clear();
  for (const schedule of seedSchedules(merchants, resellerId, clock.now())) {
    schedules.set(schedule.id, schedule);
  }
  signupLinks.reset(merchants, clock.now());
  transfers.reset(merchants);
}

function makeHistory({ history, merchants }: SandboxSettings): GeneratedTransactions {
  return new GeneratedTransactions(history, merchants);
}
