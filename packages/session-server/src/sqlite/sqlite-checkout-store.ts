import type { StoredToken } from '../checkout/attempt-token.js';
import type { Checkout, CheckoutFact } from '../checkout/checkout.js';
import type {
  Attempt,
  Change,
  CheckoutStore,
  DueLook,
  OpeningDecision,
  OpeningRequest,
  PaymentEvidence,
  StoredTransaction,
  StoreRules,
} from '../checkout/checkout-store.js';
import { type OpeningPlan, type OrderHistory, planOpening } from '../checkout/plan-opening.js';
import { planPayment } from '../checkout/plan-payment.js';
import type { Clock } from '../clock.js';
import type { ReturnKind } from '../contract.js';
import { crashPoint } from '../crash-points.js';
import { type Observer, SILENT_OBSERVER } from '../metrics/observer.js';
import type {
  AttentionEntry,
  AttentionFilter,
  ParkedDelivery,
  StoreReport,
} from '../operator/operator-store.js';
import type {
  DeadEvent,
  DeadEventFilter,
  EventClaim,
  OutboxEvent,
} from '../order-events/event-store.js';
import { timedId } from '../random-id.js';
import type {
  ClaimedDelivery,
  DeliveryCounts,
  DeliveryOutcome,
  DeliveryProof,
  DeliveryReceipt,
  IncomingDelivery,
  ParkingLimits,
} from '../webhooks/delivery-store.js';
import { AttemptTable } from './attempt-table.js';
import { CheckoutTable } from './checkout-table.js';
import { DeliveryTable } from './delivery-table.js';
import { EventTable } from './event-table.js';
import { ReportQueries } from './report-queries.js';
import { type ConnectionMode, SqliteConnection } from './sqlite-connection.js';
import { TokenTable } from './token-table.js';
import { TransactionTable } from './transaction-table.js';

export interface SqliteCheckoutStoreOptions {
  /** Path of the data file; its folder must exist. */
  readonly path: string;
  readonly clock: Clock;
  readonly rules: StoreRules;
  /** Hears of every change of a checkout. Default: nobody. */
  readonly observer?: Pick<Observer, 'checkoutChanged'>;
}

/**
 * The store in one SQLite file: write-ahead log, one process at a time. A step is answered when it
 * is on the disk; steps that come together share one sync of the log.
 */
export class SqliteCheckoutStore implements CheckoutStore {
  readonly #connection: SqliteConnection;
  readonly #checkouts: CheckoutTable;
  readonly #attempts: AttemptTable;
  readonly #tokens: TokenTable;
  readonly #transactions: TransactionTable;
  readonly #events: EventTable;
  readonly #deliveries: DeliveryTable;
  readonly #reports: ReportQueries;
  readonly #clock: Clock;
  readonly #rules: StoreRules;
  #closed: Promise<void> | undefined;

  private constructor(options: SqliteCheckoutStoreOptions, mode: ConnectionMode) {
    this.#clock = options.clock;
    this.#rules = options.rules;
    this.#connection = new SqliteConnection(options.path, mode);
    this.#checkouts = new CheckoutTable(
      this.#connection,
      options.rules,
      options.observer ?? SILENT_OBSERVER,
    );
    this.#attempts = new AttemptTable(this.#connection, options.rules);
    this.#tokens = new TokenTable(this.#connection);
    this.#transactions = new TransactionTable(this.#connection);
    this.#events = new EventTable(this.#connection);
    this.#deliveries = new DeliveryTable(this.#connection);
    this.#reports = new ReportQueries(this.#connection, options.rules);
  }

  /**
   * Opens the file, and settles what a dead process left in the middle: attempts that it was sending
   * become `unknown`, events that it was sending are due again.
   */
  static async open(options: SqliteCheckoutStoreOptions): Promise<SqliteCheckoutStore> {
    const store = new SqliteCheckoutStore(options, 'write');
    await store.#connection.write(() => {
      store.#attempts.endAllSending();
      store.#events.releaseAllSending(options.clock.now());
      store.#deliveries.releaseAllClaimed(options.clock.now());
    });
    crashPoint('store:recovered');
    return store;
  }

  /** Opens the file of a server that may be running, only to look; every write is refused. */
  static openToRead(options: SqliteCheckoutStoreOptions): SqliteCheckoutStore {
    return new SqliteCheckoutStore(options, 'read');
  }

  /** Opens the file of a server that may be running, to write between its writes. */
  static openBeside(options: SqliteCheckoutStoreOptions): SqliteCheckoutStore {
    return new SqliteCheckoutStore(options, 'beside');
  }

  beginOpening(request: OpeningRequest): Promise<OpeningDecision> {
    return this.#connection.write(() => {
      const now = this.#clock.now();
      const history = this.#historyOf(request, now);
      return this.#carryOut(planOpening(history, request, now, this.#rules), request, now);
    });
  }

  exposeSession(orderId: number, sessionId: string): Promise<boolean> {
    return this.#connection.write(() => this.#attempts.expose(orderId, sessionId));
  }

  endAttempt(orderId: number, status: 'unknown' | 'refused' | 'not_sent'): Promise<void> {
    return this.#connection.write(() => {
      if (this.#attempts.get(orderId).status === 'sending') {
        this.#attempts.setStatus(orderId, status);
      }
    });
  }

  find(checkout: string): Promise<Checkout | undefined> {
    return this.#connection.read(() => this.#checkouts.findCommitted(checkout));
  }

  findMany(checkouts: readonly string[]): Promise<Checkout[]> {
    return this.#connection.read(() =>
      checkouts.flatMap((id) => this.#checkouts.findCommitted(id) ?? []),
    );
  }

  findOrder(merchant: string, order: string): Promise<Checkout[]> {
    return this.#connection.read(() => this.#checkouts.findOrder(merchant, order));
  }

  findAttempts(checkout: string): Promise<Attempt[]> {
    return this.#connection.read(() => this.#attempts.findOfCheckout(checkout));
  }

  findAttemptsByReference(
    providerMerchantId: number,
    references: readonly string[],
  ): Promise<Attempt[]> {
    return this.#connection.read(() =>
      this.#attempts.findByReferences(providerMerchantId, references),
    );
  }

  findTransactions(checkout: string): Promise<StoredTransaction[]> {
    return this.#connection.read(() => this.#transactions.findOfCheckout(checkout));
  }

  apply(checkout: string, fact: CheckoutFact): Promise<Change> {
    return this.#connection.write(() =>
      this.#checkouts.apply(this.#checkouts.get(checkout), [fact], this.#clock.now()),
    );
  }

  recordPayment(evidence: PaymentEvidence): Promise<Change | undefined> {
    return this.#connection.write(() => this.#recordPayment(evidence, this.#clock.now()));
  }

  recordReturn(
    token: StoredToken,
  ): Promise<{ kind: ReturnKind; attempt: Attempt; change: Change } | undefined> {
    return this.#connection.write(() => {
      const found = this.#tokens.find(token);
      if (!found || found.kind === 'webhook') return undefined;
      const { kind } = found;
      const attempt = this.#attempts.get(found.orderId);
      const checkout = this.#checkouts.get(attempt.checkout);
      // A hint about a session that gave way says nothing about the one that took its place.
      const facts: CheckoutFact[] =
        attempt.status === 'exposed' ? [{ type: 'came-back', kind }] : [];
      const now = this.#clock.now();
      const change = this.#checkouts.apply(checkout, facts, now);
      // The look that follows lives in memory: this one is found by whoever starts after a crash.
      if (kind === 'return' && change.after.state !== 'paid') {
        this.#attempts.lookSoon(attempt.orderId, now);
      }
      return { kind, attempt, change };
    });
  }

  findWebhookAttempt(token: StoredToken): Promise<Pick<Attempt, 'orderId'> | undefined> {
    return this.#connection.read(() => {
      const found = this.#tokens.find(token);
      return found?.kind === 'webhook' ? found : undefined;
    });
  }

  recordDelivery(
    delivery: IncomingDelivery,
    orderId: number | undefined,
  ): Promise<DeliveryReceipt> {
    return this.#connection.write(() =>
      this.#deliveries.insert(delivery, orderId, this.#clock.now()),
    );
  }

  claimDeliveries(limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
    return this.#connection.write(() =>
      this.#deliveries.claim(this.#clock.now(), limit, leaseSeconds, (orderId) =>
        this.#attempts.get(orderId),
      ),
    );
  }

  settleDelivery(delivery: number, outcome: DeliveryOutcome): Promise<Change | undefined> {
    return this.#connection.write(() => {
      if (!this.#deliveries.markProcessed(delivery, outcome.flags)) return undefined;
      const now = this.#clock.now();
      for (const orderId of outcome.lookFor) this.#attempts.lookSoon(orderId, now);
      return outcome.proof && this.#applyProof(outcome.proof, now);
    });
  }

  parkDelivery(
    delivery: Pick<ClaimedDelivery, 'id' | 'claimedAt'>,
    references: readonly string[],
    limits: ParkingLimits,
  ): Promise<void> {
    return this.#connection.write(() => {
      const isNew = this.#attempts.hasAppeared(references, delivery.claimedAt);
      this.#deliveries.park(delivery, references, { most: limits.most, isNew });
    });
  }

  unparkDeliveries(): Promise<void> {
    return this.#connection.write(() => {
      this.#deliveries.unparkAll(this.#clock.now());
    });
  }

  nextDeliveryAt(): Promise<number | undefined> {
    return this.#connection.read(() => this.#deliveries.nextDueAt());
  }

  eraseDeliveries(before: {
    receivedBefore: number;
    parkedBefore: number;
    limit: number;
  }): Promise<number> {
    return this.#connection.write(() =>
      this.#deliveries.erase(before.receivedBefore, before.parkedBefore, before.limit),
    );
  }

  countTestDelivery(): Promise<void> {
    return this.#connection.write(() => {
      this.#deliveries.countTest();
    });
  }

  countDeliveries(): Promise<DeliveryCounts> {
    return this.#connection.read(() => this.#deliveries.count());
  }

  applyTime(limit: number): Promise<Change[]> {
    return this.#connection.write(() => {
      const now = this.#clock.now();
      return this.#checkouts
        .findDue(now, limit)
        .map((checkout) => this.#checkouts.apply(checkout, [{ type: 'time-passed' }], now));
    });
  }

  claimDueLooks(limit: number): Promise<DueLook[]> {
    return this.#connection.write(() =>
      this.#attempts.claimDueLooks(
        this.#clock.now(),
        limit,
        (checkout) => this.#checkouts.get(checkout).state === 'paid',
      ),
    );
  }

  claimEvents(claim: EventClaim): Promise<OutboxEvent[]> {
    return this.#connection.write(() => this.#events.claim(this.#clock.now(), claim));
  }

  markDelivered(event: string): Promise<void> {
    return this.#connection.write(() => {
      this.#events.markDelivered(event);
    });
  }

  markFailed(event: string, retryInSeconds: number | undefined): Promise<void> {
    return this.#connection.write(() => {
      const dueAt =
        retryInSeconds === undefined
          ? undefined
          : this.#clock.now() + Math.round(retryInSeconds * 1000);
      this.#events.markFailed(event, dueAt);
    });
  }

  nextEventAt(): Promise<number | undefined> {
    return this.#connection.read(() => this.#events.nextDueAt(this.#clock.now()));
  }

  findDeadEvents(filter: DeadEventFilter, limit: number): Promise<DeadEvent[]> {
    return this.#connection.read(() => this.#events.findDead(filter, limit));
  }

  redriveEvents(filter: DeadEventFilter): Promise<number> {
    return this.#connection.write(() => this.#events.redrive(filter, this.#clock.now()));
  }

  report(): Promise<StoreReport> {
    return this.#connection.read(() => this.#reports.report());
  }

  findAttention(filter: AttentionFilter, limit: number): Promise<AttentionEntry[]> {
    return this.#connection.read(() => this.#reports.findAttention(filter, limit));
  }

  findParkedDeliveries(limit: number): Promise<ParkedDelivery[]> {
    return this.#connection.read(() => this.#reports.findParkedDeliveries(limit));
  }

  ping(): Promise<void> {
    return this.#connection.write(() => undefined);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#connection.close());
  }

  /** What is known of an order; one that is new has no attempts to look for. */
  #historyOf({ merchant, order }: OpeningRequest, now: number): OrderHistory {
    const checkouts = this.#checkouts.findOrder(merchant, order);
    if (checkouts.length === 0) return { checkouts, live: undefined, recentRenewals: [] };
    return {
      checkouts,
      live: this.#attempts.findLive(merchant, order),
      recentRenewals: this.#attempts.recentRenewals(merchant, order, now),
    };
  }

  #recordPayment(evidence: PaymentEvidence, now: number): Change | undefined {
    const checkout = this.#checkouts.get(this.#attempts.get(evidence.orderId).checkout);
    const facts = planPayment(
      {
        checkout,
        siblings: this.#checkouts
          .findOrder(checkout.merchant, checkout.order)
          .filter(({ id }) => id !== checkout.id),
        known: this.#transactions.findKnown(evidence.transaction),
        paymentRow: this.#transactions.findPaymentRow(checkout),
        refundedMinor: this.#transactions.sumRefundRows(checkout),
      },
      evidence,
    );
    if (!facts) return undefined;
    this.#transactions.keep(evidence, checkout.id, now);
    return this.#checkouts.apply(checkout, facts, now);
  }

  #applyProof(proof: DeliveryProof, now: number): Change | undefined {
    if (proof.kind === 'payment') return this.#recordPayment(proof.evidence, now);
    const attempt = this.#attempts.get(proof.orderId);
    const checkout = this.#checkouts.get(attempt.checkout);
    if (proof.kind === 'mismatch') {
      return this.#checkouts.apply(checkout, [{ type: 'attention-needed', code: proof.code }], now);
    }
    // The failure of a session that gave way says nothing about the one that took its place.
    const facts: CheckoutFact[] = attempt.status === 'exposed' ? [{ type: 'failure-proved' }] : [];
    return this.#checkouts.apply(checkout, facts, now);
  }

  #carryOut(plan: OpeningPlan, request: OpeningRequest, now: number): OpeningDecision {
    switch (plan.kind) {
      case 'wait':
      case 'too-many-renewals':
        return plan;
      case 'settled': {
        const facts: CheckoutFact[] = plan.priceChanged
          ? [{ type: 'attention-needed', code: 'price_changed_after_paid' }]
          : [];
        const { after } = this.#checkouts.apply(plan.checkout, facts, now);
        return { kind: 'settled', checkout: after };
      }
      case 'existing': {
        const { after } = this.#checkouts.apply(plan.checkout, [{ type: 'reopened' }], now);
        return { kind: 'existing', checkout: after, attempt: plan.attempt };
      }
      case 'send': {
        if (plan.retire) this.#attempts.setStatus(plan.retire.orderId, plan.retire.to);
        const checkout = plan.checkout
          ? this.#checkouts.apply(plan.checkout, [{ type: 'reopened' }], now).after
          : this.#insertCheckout(request, now);
        const attempt = this.#attempts.insertSending(request, checkout.id, plan.isRenewal, now);
        const tokens = this.#tokens.insert(attempt.orderId, now);
        this.#deliveries.unparkFor(attempt, now);
        return { kind: 'send', checkout, attempt, tokens };
      }
    }
  }

  #insertCheckout(request: OpeningRequest, now: number): Checkout {
    const checkout: Checkout = {
      id: timedId(now),
      merchant: request.merchant,
      order: request.order,
      orderVersion: request.orderVersion,
      shopVersion: request.shopVersion,
      amountMinor: request.amountMinor,
      currency: request.currency,
      decimals: request.decimals,
      state: 'open',
      revision: 1,
      sequence: 0,
      refund: 'none',
      attention: [],
      returnUrl: request.returnUrl,
      createdAt: now,
      expiresAt: now + this.#rules.expireAfterSeconds * 1000,
    };
    this.#checkouts.insert(checkout);
    return checkout;
  }
}
