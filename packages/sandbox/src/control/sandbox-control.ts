import { ApiError } from '../api/api-error.js';
import type { CheckoutSession } from '../checkout-session.js';
import type { VirtualClock } from '../clock.js';
import type { SandboxContext } from '../context.js';
import { isFaultFor, type FaultOrder } from '../faults/fault-order.js';
import { GeneratedTransactions } from '../generated/generated-transactions.js';
import type { HistoryOptions } from '../generated/history-options.js';
import { resetContext } from '../make-context.js';
import type { LoggedRequest } from '../request-log.js';
import { inventId, type TransactionRow } from '../resources/transaction-row.js';
import type { ReportSchedule } from '../resources/report-schedule.js';
import type { TransactionVariant } from '../resources/transaction-variant.js';
import type { ScheduledTransfer } from '../resources/transfer-book.js';
import type { StoredTransaction } from '../transaction-store.js';
import { summarizeEndpoint, type EndpointSummary } from '../webhooks/webhook-endpoints.js';
import type { Delivery } from '../webhooks/webhook-sender.js';
import type { WebhookSigning } from '../webhooks/webhook-signing.js';
import { refundRow, type RefundOrder } from './refund.js';

/** A row to add, whoever it belongs to. */
export interface AddedRow {
  /** Fields of spec 2.1 and any others; what is not given is invented. Money as decimal text. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Fields to leave out of the row. */
  readonly omit?: readonly string[] | undefined;
  /** How long the list hides it. Default 0. */
  readonly visibleInSeconds?: number | undefined;
}

/** A session as the control API shows it: no name, e-mail or address. */
export interface SessionSummary {
  readonly session_id: string;
  readonly createdAt: string;
  readonly state: CheckoutSession['state'];
  readonly merchant_id: number;
  readonly order_id: number;
  readonly MerchantReference: string | undefined;
  readonly Amount: string;
  readonly currency: string;
  readonly RedirectUrl: string | undefined;
  readonly CancelUrl: string | undefined;
  readonly backurl: string | undefined;
  readonly WebhookUrl: string | undefined;
  readonly transactionId: string | undefined;
}

/** What tests and the demo may do to a running sandbox; `/_sandbox/…` offers the same over HTTP. */
export class SandboxControl {
  readonly #context: SandboxContext;

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  /** The clock that everything in the sandbox reads. */
  get clock(): VirtualClock {
    return this.#context.clock;
  }

  sessions(): SessionSummary[] {
    const { sessions, clock } = this.#context;
    for (const { id } of sessions.sessions()) sessions.findSession(id, clock.now());
    return sessions.sessions().map(summarize);
  }

  requests(): readonly LoggedRequest[] {
    return this.#context.requests.list();
  }

  deliveries(): readonly Delivery[] {
    return this.#context.webhooks.deliveries();
  }

  /**
   * Newest first, with the ones that the list still hides. Of the generated past only what was
   * changed since.
   */
  transactions(): readonly StoredTransaction[] {
    return this.#context.transactions.changed();
  }

  /** How many transactions the generated past has. */
  get generatedCount(): number {
    return this.#context.transactions.generatedCount;
  }

  /** Forgets all transactions and starts with another past. */
  generateHistory(options: HistoryOptions): void {
    const { settings, transactions } = this.#context;
    const wanted = { ...settings.history, ...options };
    transactions.reset(new GeneratedTransactions(wanted, settings.merchants));
  }

  /** Which fields the rows show. */
  get variant(): TransactionVariant {
    return this.#context.variant.current;
  }

  set variant(variant: TransactionVariant) {
    this.#context.variant.current = variant;
  }

  schedules(): ReportSchedule[] {
    return [...this.#context.schedules.values()];
  }

  signupLinks(): { merchantId: number; validUntil: string }[] {
    return this.#context.signupLinks.list();
  }

  transfers(): ScheduledTransfer[] {
    return this.#context.transfers.list();
  }

  /** The registered endpoints, their keys masked (spec 4.7, rule 2). */
  endpoints(): EndpointSummary[] {
    return this.#context.endpoints.list().map(summarizeEndpoint);
  }

  /** How deliveries to registered endpoints are signed from now on; `undefined`: not at all. */
  get signing(): WebhookSigning | undefined {
    return this.#context.webhooks.signing;
  }

  set signing(signing: WebhookSigning | undefined) {
    this.#context.webhooks.signing = signing;
  }

  addTransaction(added: AddedRow): TransactionRow {
    const { transactions, clock } = this.#context;
    const row: Record<string, unknown> = { ...inventRow(clock.nowText()), ...added.row };
    for (const field of added.omit ?? []) Reflect.deleteProperty(row, field);
    if (!isTransactionRow(row)) {
      throw new ApiError(400, 'Every row needs id and transactionTime: they cannot be left out.');
    }
    if (transactions.find(row.id) !== undefined) {
      throw new ApiError(409, 'There is a transaction with this id.');
    }
    transactions.add(row, clock.now() + (added.visibleInSeconds ?? 0) * 1000);
    return row;
  }

  /** Refunds a transaction fully or partly. @returns the changed row, or the added one. */
  refund(id: string, order: RefundOrder = {}): TransactionRow {
    const { transactions, clock } = this.#context;
    const stored = this.#find(id);
    const { changed, added } = refundRow(stored, order, clock.nowText());
    stored.row = changed;
    if (added === undefined) return changed;
    transactions.add(added, clock.now());
    return added;
  }

  /** Hides a transaction from the list for so many seconds from now; 0 shows it. */
  hideTransaction(id: string, seconds: number): void {
    this.#find(id).visibleAt = this.#context.clock.now() + seconds * 1000;
  }

  /** Hides what is approved from now on for so many seconds. */
  delayListing(seconds: number): void {
    this.#context.payments.listingDelaySeconds = seconds;
  }

  addFault(order: FaultOrder): void {
    if (!isFaultFor(order.operation, order.fault)) {
      throw new ApiError(400, 'This operation cannot fail so.', {
        fields: [{ field: 'fault', message: `means nothing for ${order.operation}` }],
      });
    }
    this.#context.faults.add(order);
  }

  faults(): { queued: FaultOrder[]; held: number } {
    return { queued: this.#context.faults.list(), held: this.#context.faults.heldCount };
  }

  /** Forgets the faults and lets every held call be answered. */
  releaseFaults(): void {
    this.#context.faults.release();
  }

  /** Back to the start: sessions, transactions, logs, faults, what was set, the clock's offset. */
  reset(): void {
    resetContext(this.#context);
  }

  #find(id: string): StoredTransaction {
    const stored = this.#context.transactions.find(id);
    if (stored === undefined) throw new ApiError(404, 'There is no transaction with this id.');
    return stored;
  }
}

function summarize(session: CheckoutSession): SessionSummary {
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
    transactionId: session.transactionId,
  };
}

function inventRow(transactionTime: string): TransactionRow {
  return {
    id: inventId('txn'),
    source: 'payments',
    transactionTime,
    amount: '10.00',
    currencyCode: 'GBP',
    status: 'SUCCESS',
    paymentMethod: 'Saved Card',
    transactionModeId: 1,
    internalReference: inventId('int'),
    pspReference: inventId('psp'),
    last4Digits: '0001',
    shopperId: inventId('shopper'),
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
