import type { VirtualClock } from '../clock.js';
import { resetContext, type SandboxContext } from '../context.js';
import { FAULT_KINDS, isFaultOf, type Fault } from '../faults/faults.js';
import { ApiError } from '../http/errors.js';
import type { Inventor } from '../random.js';
import type { PaymentOutcome } from '../payment-service.js';
import type { Activity } from '../inspector/activity.js';
import { makeTimeline } from './timeline.js';
import { readPage, type TransactionQuery } from './transaction-page.js';
import { decimalsOf, toMinor } from '../money.js';
import { workOutSplit } from '../split-fee.js';
import type { RecordedCall } from '../inspector/recorded-call.js';
import { OPERATIONS, type LoggedRequest, type RequestFilter } from '../request-log.js';
import { addSession, checkRequest, type CheckoutSession } from '../resources/checkout-sessions.js';
import type { ReportSchedule } from '../resources/reports.js';
import type { ScheduledTransfer } from '../resources/scheduled-transfers.js';
import { summarizeEndpoint } from '../resources/webhooks.js';
import { triggersOf } from '../scenario.js';
import { SDK_INTEGRITY } from '../sdk/sdk-routes.js';
import {
  describeSwitches,
  switchesChange,
  type DescribedSwitch,
  type Switches,
  type SwitchesChange,
  type WebhookOutcome,
} from '../switches.js';
import { History, type HistoryOptions } from '../transactions/history.js';
import { refundRow, type RefundRequest } from '../transactions/refund.js';
import type { StoredTransaction } from '../transactions/transaction-store.js';
import type { TransactionRow } from '../transactions/transaction.js';
import type { Delivery } from '../webhooks/webhook-sender.js';
import { visit, type Visit } from './visit.js';

/** A row to add to the transactions. */
export interface AddedRow {
  /** Fields of spec 2.1 and any others. Missing ones are invented. Money is decimal text. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Fields to leave out of the row. */
  readonly omit?: readonly string[] | undefined;
  /** How long the list hides it. Default 0. */
  readonly visibleInSeconds?: number | undefined;
}

/** Which sessions to list. */
export interface SessionQuery {
  readonly state?: string | undefined;
  /** Text in what the list shows, in any case. */
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
}

/** A session as the control API shows it: no name, e-mail or address. */
export type SessionSummary = ReturnType<typeof summarizeSession>;

/** Controls a running sandbox from tests and the demo. `/_sandbox/…` does the same over HTTP. */
export class SandboxControl {
  readonly #context: SandboxContext;

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  /** The clock of the whole sandbox. */
  get clock(): VirtualClock {
    return this.#context.clock;
  }

  sessions(): SessionSummary[] {
    const { sessions, clock } = this.#context;
    return sessions.list(clock.now()).map(summarizeSession);
  }

  /**
   * Submits the card of a scenario, as the shopper would.
   *
   * @param isShopperBack whether the shopper's browser then opens `RedirectUrl`. Default true.
   * @throws {ApiError} 404 for an unknown session, 400 for an unknown scenario
   */
  async pay(
    sessionId: string,
    scenarioName = 'approved',
    isShopperBack = true,
  ): Promise<PaymentOutcome & { readonly visit?: Visit }> {
    const { payments, settings } = this.#context;
    const session = this.#findSession(sessionId);
    const scenario = settings.scenarios.find(({ name }) => name === scenarioName);
    if (scenario === undefined) {
      const names = settings.scenarios.map(({ name }) => name).join(', ');
      throw new ApiError(400, 'There is no such scenario.', {
        fields: [{ field: 'scenario', message: `expected ${names}` }],
      });
    }
    const card = { last4Digits: scenario.cardNumber.slice(-4), holder: 'Robin Sample' };
    const outcome = await payments.pay(session, card, scenario);
    const url = 'redirectUrl' in outcome ? outcome.redirectUrl : undefined;
    return isShopperBack && url !== undefined ? { ...outcome, visit: await visit(url) } : outcome;
  }

  /** The shopper leaves by `CancelUrl` or `backurl`. The session stays open. */
  async leave(
    sessionId: string,
    by: 'CancelUrl' | 'backurl',
  ): Promise<SessionSummary & { readonly visit: Visit }> {
    const session = this.#findSession(sessionId);
    const url = session.request[by];
    if (url === undefined) throw new ApiError(409, `This session has no ${by}.`);
    if (by === 'CancelUrl') this.#context.payments.cancel(session);
    return { ...summarizeSession(session), visit: await visit(url) };
  }

  /** An open session can no longer be paid. */
  expire(sessionId: string): SessionSummary {
    const session = this.#findSession(sessionId);
    if (session.state === 'open') {
      session.state = 'expired';
      this.#context.notifier.notify(session, 'expired');
    }
    return summarizeSession(session);
  }

  /** The calls of the API, oldest first. */
  requests(filter?: RequestFilter): readonly LoggedRequest[] {
    return this.#context.requests.list(filter);
  }

  /** A call with its headers and bodies, while they are kept. Secrets are masked. */
  findRequest(number: number): Partial<RecordedCall> | undefined {
    return this.#context.requests.find(number);
  }

  /** How many calls of each operation there are. */
  requestCounts(): Readonly<Record<string, number>> {
    return this.#context.requests.counts();
  }

  clearRequests(): void {
    this.#context.requests.clear();
  }

  /** Creates a session without a call of the API: no key, no fault, not in the record. */
  createSession(body: unknown): SessionSummary {
    const id = addSession(this.#context, checkRequest(this.#context, body));
    return summarizeSession(this.#findSession(id));
  }

  /** The newest `limit` sessions that have the text, oldest first, without the newest `skip` of them. */
  listSessions({ search = '', state, limit = Infinity, skip = 0 }: SessionQuery) {
    const words = search.toLowerCase();
    const found = this.sessions().filter(
      (session) =>
        (state === undefined || session.state === state) &&
        (words === '' || JSON.stringify(session).toLowerCase().includes(words)),
    );
    const end = Math.max(found.length - skip, 0);
    return { sessions: found.slice(Math.max(end - limit, 0), end), total: found.length };
  }

  /** A session with all its fields, its split worked out, and what happened to it. */
  describeSession(id: string) {
    const session = this.#findSession(id);
    const { request, merchant } = session;
    const decimals = decimalsOf(merchant.currency);
    const amount = toMinor(request.Amount, decimals) ?? 0n;
    return {
      ...summarizeSession(session),
      expiresAt: new Date(session.expiresAt).toISOString(),
      merchantName: merchant.name,
      request,
      split: request.SplitFee && workOutSplit(amount, request.SplitFee, decimals),
      lastRefusal: session.lastRefusal,
      timeline: makeTimeline(this.#context, session),
    };
  }

  /** A part of all transactions, newest first, hidden ones and the history included. */
  listTransactions(query: TransactionQuery) {
    const page = readPage(this.#context.transactions, query);
    return { ...page, total: this.#context.transactions.count };
  }

  readTransaction(id: string) {
    const { transactions, sessions, clock } = this.#context;
    const stored = transactions.read(id);
    if (stored === undefined) throw new ApiError(404, 'There is no transaction with this id.');
    const session = sessions.list(clock.now()).find((each) => each.transactionIds.includes(id));
    return { ...stored, sessionId: session?.id };
  }

  /** What a page needs to know about this sandbox. */
  describe() {
    const { scenarios, merchants, partners } = this.#context.settings;
    const sdk = { path: '/sdk/checkout.js', integrity: SDK_INTEGRITY };
    const cards = scenarios.map((scenario) => ({ ...scenario, triggers: triggersOf(scenario) }));
    return { scenarios: cards, merchants, partners, sdk, faults: describeFaults() };
  }

  /** What happens, as it happens. */
  get activity(): Activity {
    return this.#context.activity;
  }

  get publicUrl(): string | undefined {
    return this.#context.settings.publicUrl;
  }

  deliveries(): readonly Delivery[] {
    return this.#context.webhooks.deliveries();
  }

  /** Sends a webhook once more, and waits for the answer. `id`: `webhook` of its deliveries. */
  async resendWebhook(id: string): Promise<Delivery> {
    const delivery = await this.#context.webhooks.resend(id);
    if (delivery === undefined) throw new ApiError(404, 'No webhook with this id was sent lately.');
    return delivery;
  }

  /** Newest first, hidden ones included. Of the history only what was changed. */
  transactions(): readonly StoredTransaction[] {
    return this.#context.transactions.changed();
  }

  /** How many transactions the history has. */
  get historyCount(): number {
    return this.#context.transactions.historyCount;
  }

  /** Forgets all transactions and starts with another history. */
  generateHistory(options: HistoryOptions): void {
    const { settings, transactions } = this.#context;
    transactions.reset(new History({ ...settings.history, ...options }, settings.merchants));
  }

  /** What the spec does not show, as it is now. */
  get switches(): Readonly<Switches> {
    return this.#context.settings;
  }

  /** Every switch with its value, its default and its section of the spec. */
  describeSwitches(): DescribedSwitch[] {
    return describeSwitches(this.#context.settings);
  }

  /** Changes some switches. `null` sets one back to its value at the start. */
  setSwitches(change: SwitchesChange): void {
    const { settings, startSwitches } = this.#context;
    const values = Object.entries(switchesChange.parse(change))
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ?? startSwitches[name as keyof Switches]] as const);
    Object.assign(settings, Object.fromEntries(values));
  }

  schedules(): ReportSchedule[] {
    return this.#context.schedules.list();
  }

  signupLinks(): { merchantId: number; validUntil: string }[] {
    return this.#context.signupLinks.list();
  }

  transfers(): ScheduledTransfer[] {
    return this.#context.transfers.list();
  }

  /** The registered endpoints, their keys masked (spec 4.7, rule 2). */
  endpoints(): ReturnType<typeof summarizeEndpoint>[] {
    return this.#context.endpoints.list().map(summarizeEndpoint);
  }

  /** Sends a webhook about a session now, whatever the switches say. @returns the ids */
  sendWebhook(sessionId: string, outcome: WebhookOutcome = 'paid', isForged = false): string[] {
    const { notifier, transactions } = this.#context;
    const session = this.#findSession(sessionId);
    const id = isForged ? undefined : session.transactionIds[0];
    const row = id === undefined ? undefined : transactions.read(id)?.row;
    const isOfRow = outcome === 'paid' || outcome === 'refunded';
    return notifier.send(session, outcome, { row: isOfRow ? row : undefined, isForged });
  }

  /** The next `count` webhooks wait for each other, and go out last first. */
  reorderWebhooks(count: number): void {
    this.#context.webhooks.reorder(count);
  }

  addTransaction(added: AddedRow): TransactionRow {
    const { transactions, clock, inventor } = this.#context;
    const row: Record<string, unknown> = { ...inventRow(inventor, clock.nowText()), ...added.row };
    for (const field of added.omit ?? []) Reflect.deleteProperty(row, field);
    if (!isTransactionRow(row)) {
      throw new ApiError(400, 'A row needs an id and a transactionTime.');
    }
    if (transactions.find(row.id) !== undefined) {
      throw new ApiError(409, 'A transaction with this id exists.');
    }
    transactions.add(row, clock.now() + (added.visibleInSeconds ?? 0) * 1000);
    return row;
  }

  /** Refunds a transaction fully or partly. @returns the changed row, or the added one. */
  refund(id: string, request: RefundRequest = {}): TransactionRow {
    const { transactions, clock, inventor } = this.#context;
    const stored = this.#find(id);
    const fresh = { id: inventor.id('txn'), transactionTime: clock.nowText() };
    const { changed, added } = refundRow(stored.row, request, fresh);
    stored.row = changed;
    this.#context.notifier.notifyRefund(id, added ?? changed);
    if (added === undefined) return changed;
    transactions.add(added, clock.now());
    return added;
  }

  /** Hides a transaction from the list for some seconds from now. 0 shows it. */
  hideTransaction(id: string, seconds: number): void {
    this.#find(id).visibleAt = this.#context.clock.now() + seconds * 1000;
  }

  addFault(fault: Fault): void {
    if (!isFaultOf(fault.operation, fault.fault)) {
      throw new ApiError(400, 'This operation does not have this fault.', {
        fields: [{ field: 'fault', message: `is not a fault of ${fault.operation}` }],
      });
    }
    this.#context.faults.add(fault);
  }

  faults(): { queued: Fault[]; held: number } {
    return { queued: this.#context.faults.list(), held: this.#context.faults.heldCount };
  }

  /** Clears the faults and answers every held call. */
  releaseFaults(): void {
    this.#context.faults.release();
  }

  /** Back to the start: sessions, transactions, logs, faults, switches and the clock. */
  reset(seed?: string): void {
    resetContext(this.#context, seed);
  }

  #findSession(id: string): CheckoutSession {
    const { sessions, clock } = this.#context;
    const session = sessions.find(id, clock.now());
    if (session === undefined) throw new ApiError(404, 'There is no session with this id.');
    return session;
  }

  #find(id: string): StoredTransaction {
    const stored = this.#context.transactions.find(id);
    if (stored === undefined) throw new ApiError(404, 'There is no transaction with this id.');
    return stored;
  }
}

function summarizeSession(session: CheckoutSession) {
  const { request, merchant } = session;
  return {
    session_id: session.id,
    createdAt: new Date(session.createdAt).toISOString(),
    state: session.state,
    merchant_id: merchant.id,
    order_id: request.order_id,
    MerchantReference: request.MerchantReference,
    Amount: request.Amount,
    currency: merchant.currency,
    RedirectUrl: request.RedirectUrl,
    CancelUrl: request.CancelUrl,
    backurl: request.backurl,
    WebhookUrl: request.WebhookUrl,
    transactionId: session.transactionIds[0],
    declineReason: session.declineReason,
    addressCheck: session.addressCheck,
  };
}

/** Which faults each operation has. */
function describeFaults(): Record<string, readonly string[]> {
  return Object.fromEntries(
    OPERATIONS.map((operation) => [
      operation,
      FAULT_KINDS.filter((kind) => isFaultOf(operation, kind)),
    ]),
  );
}

function inventRow(inventor: Inventor, transactionTime: string): TransactionRow {
  return {
    id: inventor.id('txn'),
    source: 'payments',
    transactionTime,
    amount: '10.00',
    currencyCode: 'GBP',
    status: 'SUCCESS',
    paymentMethod: 'Saved Card',
    transactionModeId: 1,
    internalReference: inventor.id('int'),
    pspReference: inventor.id('psp'),
    last4Digits: '0001',
    shopperId: inventor.id('shopper'),
    service_fee: '0.00',
    firstname: 'Robin',
    lastname: 'Sample',
    customerType: 'guest',
    amountRefunded: '0.00',
  };
}

function isTransactionRow(row: Record<string, unknown>): row is TransactionRow {
  const { id, transactionTime } = row;
  return (
    typeof id === 'string' &&
    typeof transactionTime === 'string' &&
    !Number.isNaN(Date.parse(transactionTime))
  );
}
