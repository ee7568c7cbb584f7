import { Accounts } from './accounts.js';
import { VirtualClock } from './clock.js';
import { ActionLog } from './inspector/action-log.js';
import { Activity } from './inspector/activity.js';
import { DeliveryLog } from './webhooks/delivery-log.js';
import { RecordFile } from './inspector/record-file.js';
import { FaultQueue } from './faults/faults.js';
import { meetFault } from './faults/play-fault.js';
import { PaymentService } from './payment-service.js';
import { Inventor } from './random.js';
import { RequestLog } from './request-log.js';
import { SessionStore } from './resources/session-store.js';
import { SignupLinks } from './resources/signup-links.js';
import { ReportBook } from './resources/report-book.js';
import { TransferBook } from './resources/transfer-book.js';
import { listRows } from './transactions/find-rows.js';
import { WebhookEndpoints } from './resources/webhook-endpoints.js';
import type { SandboxSettings } from './settings.js';
import { History } from './transactions/history.js';
import { switchesOf, type Switches } from './switches.js';
import { TransactionStore } from './transactions/transaction-store.js';
import { WebhookNotifier } from './webhook-notifier.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** The parts of one sandbox, for its routes. */
export interface SandboxContext {
  /** The switches among them can change at any time. */
  readonly settings: SandboxSettings;
  /** The switches as they were at the start. */
  readonly startSwitches: Switches;
  readonly startSeed: string;
  readonly accounts: Accounts;
  readonly clock: VirtualClock;
  /** Makes the identifiers and keys. */
  readonly inventor: Inventor;
  readonly sessions: SessionStore;
  readonly transactions: TransactionStore;
  readonly schedules: ReportBook;
  readonly signupLinks: SignupLinks;
  readonly transfers: TransferBook;
  readonly endpoints: WebhookEndpoints;
  readonly requests: RequestLog;
  readonly activity: Activity;
  readonly actions: ActionLog;
  /** What no record may show. */
  readonly secrets: () => readonly string[];
  readonly faults: FaultQueue;
  readonly payments: PaymentService;
  readonly webhooks: WebhookSender;
  readonly notifier: WebhookNotifier;
}

export function makeContext(settings: SandboxSettings): SandboxContext {
  const { fixedTime, history } = settings;
  const clock = new VirtualClock(fixedTime === undefined ? undefined : new Date(fixedTime));
  const inventor = new Inventor(fixedTime === undefined ? undefined : history.seed);
  const transactions = new TransactionStore(new History(settings.history, settings.merchants));
  const endpoints = new WebhookEndpoints(inventor);
  const accounts = new Accounts(settings);
  const faults = new FaultQueue(settings.adversarial);
  const { requestLog } = settings;
  const secrets = () => [
    ...accounts.keys().map(({ key }) => key),
    ...(settings.webhookUrlKey === 'none' ? [] : [settings.webhookUrlKey]),
    ...endpoints.list().map(({ hmacKey }) => hmacKey),
  ];
  const webhooks = new WebhookSender(
    clock,
    settings,
    inventor,
    (signal) => meetFault({ faults, settings, clock }, 'webhook', signal),
    new DeliveryLog(secrets, requestLog ? new RecordFile(`${requestLog}.webhooks`) : undefined),
  );
  const sessions = new SessionStore(inventor);
  const parts = { accounts, settings, clock, inventor, endpoints, webhooks, sessions };
  const notifier = new WebhookNotifier(parts);
  const activity = new Activity();
  const context: SandboxContext = {
    settings,
    startSwitches: switchesOf(settings),
    startSeed: history.seed,
    accounts,
    clock,
    inventor,
    sessions,
    transactions,
    schedules: new ReportBook(clock, (scope) => listRows(context, scope)),
    signupLinks: new SignupLinks(),
    transfers: new TransferBook(),
    endpoints,
    requests: new RequestLog(activity, requestLog ? new RecordFile(requestLog) : undefined),
    activity,
    actions: new ActionLog(clock, activity),
    secrets,
    faults,
    payments: new PaymentService({ settings, clock, inventor, transactions, notifier }),
    webhooks,
    notifier,
  };
  webhooks.onAttempt = () => activity.announce({ type: 'change' });
  seedParts(context);
  return context;
}

/** Forgets everything that happened. @param seed of the past transactions; default as at the start */
export function resetContext(context: SandboxContext, seed = context.startSeed): void {
  const { settings, clock, faults, payments, webhooks } = context;
  faults.release();
  context.accounts.reset();
  context.sessions.clear();
  settings.history = { ...settings.history, seed };
  context.transactions.reset(new History(settings.history, settings.merchants));
  context.endpoints.clear();
  context.requests.clear();
  context.actions.clear();
  webhooks.clear();
  clock.reset();
  payments.clear();
  context.inventor.reset(settings.fixedTime === undefined ? undefined : seed);
  Object.assign(settings, context.startSwitches);
  seedParts(context);
}

function seedParts({ settings, clock, schedules, signupLinks, transfers }: SandboxContext): void {
  const { merchants, resellerId } = settings;
  schedules.reset(merchants, resellerId);
  signupLinks.reset(merchants, clock.now());
  transfers.reset(merchants);
}
