import type { StoredToken } from '../checkouts/attempt-token.js';
import type { Checkout, CheckoutFact } from '../checkouts/state-machine.js';
import type {
  Attempt,
  Change,
  CheckoutStore,
  DuePoll,
  AttemptDecision,
  AttemptRequest,
  PaymentEvidence,
  SessionHint,
  StoredTransaction,
  StoreRules,
} from '../checkouts/repository.js';
import type { Clock } from '../clock.js';
import type { ReturnKind } from '../contract.js';
import { crashPoint } from '../crash-points.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import type {
  AttentionEntry,
  AttentionFilter,
  UnmatchedWebhook,
  StoreReport,
} from '../operator/operator-store.js';
import type {
  DeadLetter,
  DeadLetterFilter,
  EventClaim,
  OutboxEvent,
  RedeliverFilter,
} from '../outbox/repository.js';
import type { FoundAttempt, Loss, OrderIdRange } from '../restore/restore-store.js';
import type {
  ClaimedWebhook,
  WebhookCounts,
  WebhookOutcome,
  IncomingWebhook,
  UnmatchedLimits,
  CompletedWebhook,
} from '../webhooks/repository.js';
import { hashToken } from '../random-id.js';
import { type ConnectionMode, SqliteConnection } from './sqlite-connection.js';
import { openTables, type SqliteTables } from './tables.js';

export interface SqliteCheckoutStoreOptions {
  /** Path of the data file; its folder must exist. */
  readonly path: string;
  readonly clock: Clock;
  readonly rules: StoreRules;
  /** Hears of every change of a checkout. Default: nobody. */
  readonly observer?: Pick<Observer, 'checkoutChanged'>;
  /**
   * What is stored in the place of a name that a parked delivery speaks of. Default: a hash that
   * whoever has the file can check a guess with.
   */
  readonly hashReference?: (reference: string) => string;
}

/**
 * The counter that is 1 when the file was closed with all of it on the disk: the next `order_id` is
 * then the one after its last.
 */
const IS_CLOSED = 'is_closed';

/**
 * The store in one SQLite file: write-ahead log, one process at a time. A step is answered when it
 * is on the disk; steps that come together share one sync of the log.
 */
export class SqliteCheckoutStore implements CheckoutStore {
  readonly #connection: SqliteConnection;
  readonly #tables: SqliteTables;
  readonly #clock: Clock;
  #closed: Promise<void> | undefined;

  private constructor(options: SqliteCheckoutStoreOptions, mode: ConnectionMode) {
    this.#clock = options.clock;
    this.#connection = new SqliteConnection(options.path, mode);
    const { rules, observer = SILENT_OBSERVER, hashReference = hashToken } = options;
    this.#tables = openTables(this.#connection, rules, observer, hashReference);
  }

  /**
   * Opens the file, and settles what a dead process left in the middle: attempts that it was sending
   * become `unknown`, events that it was sending are due again.
   */
  static async open(options: SqliteCheckoutStoreOptions): Promise<SqliteCheckoutStore> {
    const store = new SqliteCheckoutStore(options, 'write');
    await store.#connection.write(() => {
      const { attempts, counters } = store.#tables;
      if (counters.get(IS_CLOSED) !== 1) attempts.skipLostOrderIds();
      counters.set(IS_CLOSED, 0);
      attempts.endAllSending();
      store.#tables.events.releaseAllSending(options.clock.now());
      store.#tables.deliveries.releaseAllClaimed(options.clock.now());
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

  beginAttempt(request: AttemptRequest): Promise<AttemptDecision> {
    return this.#connection.write(() => this.#tables.openings.begin(request, this.#clock.now()), {
      mayGoAhead: ({ kind }) => kind === 'send',
      isPatient: true,
    });
  }

  activateSession(orderId: number, sessionId: string): Promise<boolean> {
    return this.#connection.write(() => this.#tables.attempts.expose(orderId, sessionId), {
      isPatient: true,
    });
  }

  endAttempt(orderId: number, status: 'unknown' | 'refused' | 'not_sent'): Promise<void> {
    return this.#connection.write(() => {
      if (this.#tables.attempts.get(orderId).status === 'sending') {
        this.#tables.attempts.end(orderId, status);
      }
    });
  }

  find(checkout: string): Promise<Checkout | undefined> {
    return this.#connection.read(() => this.#tables.checkouts.findCommitted(checkout));
  }

  findMany(checkouts: readonly string[]): Promise<Checkout[]> {
    return this.#connection.read(() =>
      checkouts.flatMap((id) => this.#tables.checkouts.findCommitted(id) ?? []),
    );
  }

  findOrder(merchant: string, order: string): Promise<Checkout[]> {
    return this.#connection.read(() => this.#tables.checkouts.findOrder(merchant, order));
  }

  findAttempts(checkout: string): Promise<Attempt[]> {
    return this.#connection.read(() => this.#tables.attempts.findOfCheckout(checkout));
  }

  findAttemptsByReference(
    providerMerchantId: number,
    references: readonly string[],
  ): Promise<Attempt[]> {
    return this.#connection.read(() =>
      this.#tables.attempts.findByReferences(providerMerchantId, references),
    );
  }

  findTransactions(checkout: string): Promise<StoredTransaction[]> {
    return this.#connection.read(() => this.#tables.transactions.findOfCheckout(checkout));
  }

  findServed(transaction: string): Promise<string | undefined> {
    return this.#connection.read(() => this.#tables.transactions.findKnown(transaction)?.checkout);
  }

  apply(checkout: string, fact: CheckoutFact): Promise<Change> {
    return this.#connection.write(() =>
      this.#tables.checkouts.apply(this.#tables.checkouts.get(checkout), [fact], this.#clock.now()),
    );
  }

  recordHint(checkout: string, hint: SessionHint): Promise<Change> {
    return this.#connection.write(() =>
      this.#tables.returns.hear(checkout, hint, this.#clock.now()),
    );
  }

  recordPayment(evidence: PaymentEvidence): Promise<Change | undefined> {
    return this.#connection.write(() => this.#tables.payments.record(evidence, this.#clock.now()));
  }

  recordReturn(
    token: StoredToken,
  ): Promise<{ kind: ReturnKind; attempt: Attempt; change: Change } | undefined> {
    return this.#connection.write(() => this.#tables.returns.visit(token, this.#clock.now()));
  }

  findWebhookAttempt(token: StoredToken): Promise<Pick<Attempt, 'orderId'> | undefined> {
    return this.#connection.read(() => this.#tables.tokens.findWebhook(token));
  }

  async recordWebhook(
    delivery: IncomingWebhook,
    orderId: number | undefined,
    mostBytes = Infinity,
  ): Promise<boolean> {
    const { kept } = this.#tables.deliveries;
    const bytes = delivery.sealed.length;
    // Before the step, so that those that share one do not all see the same room.
    if (orderId !== undefined && !kept.take(orderId, bytes, mostBytes)) return false;
    try {
      await this.#connection.write(() => {
        this.#tables.deliveries.insert(delivery, orderId, this.#clock.now());
      });
    } catch (error) {
      if (orderId !== undefined) kept.giveBack(orderId, bytes);
      throw error;
    }
    return true;
  }

  claimWebhooks(limit: number, leaseSeconds: number): Promise<ClaimedWebhook[]> {
    return this.#connection.write(() =>
      this.#tables.deliveries.claim(this.#clock.now(), limit, leaseSeconds, (orderId) =>
        this.#tables.attempts.get(orderId),
      ),
    );
  }

  completeWebhook(delivery: number, outcome: WebhookOutcome): Promise<CompletedWebhook> {
    return this.#connection.write(() => {
      const became = this.#tables.deliveries.settle(delivery, outcome);
      if (became === 'gone') return { became, change: undefined };
      const now = this.#clock.now();
      for (const orderId of outcome.lookFor) this.#tables.attempts.pollSoon(orderId, now);
      const proof = became === 'processed' ? outcome.proof : undefined;
      return { became, change: proof && this.#tables.payments.prove(proof, now) };
    });
  }

  markUnmatched(
    delivery: Pick<ClaimedWebhook, 'id' | 'claimedAt'>,
    references: readonly string[],
    limits: UnmatchedLimits,
  ): Promise<void> {
    return this.#connection.write(() => {
      const isNew = this.#tables.attempts.hasAppeared(references, delivery.claimedAt);
      this.#tables.deliveries.park(delivery, references, { most: limits.most, isNew });
    });
  }

  retryUnmatched(): Promise<void> {
    return this.#connection.write(() => {
      this.#tables.deliveries.unparkAll(this.#clock.now());
    });
  }

  nextWebhookAt(): Promise<number | undefined> {
    return this.#connection.read(() => this.#tables.deliveries.nextDueAt());
  }

  eraseWebhooks(before: {
    receivedBefore: number;
    parkedBefore: number;
    limit: number;
  }): Promise<number> {
    return this.#connection.write(() =>
      this.#tables.deliveries.erase(before.receivedBefore, before.parkedBefore, before.limit),
    );
  }

  purgeErased(): Promise<boolean> {
    return this.#connection.read(() => this.#connection.emptyLog());
  }

  countTestWebhook(): Promise<void> {
    return this.#connection.write(() => {
      this.#tables.deliveries.countTest();
    });
  }

  countWebhooks(): Promise<WebhookCounts> {
    return this.#connection.read(() => this.#tables.deliveries.count());
  }

  applyTime(limit: number): Promise<Change[]> {
    return this.#connection.write(() => {
      const now = this.#clock.now();
      return this.#tables.checkouts
        .findDue(now, limit)
        .map((checkout) => this.#tables.checkouts.apply(checkout, [{ type: 'time-passed' }], now));
    });
  }

  claimDuePolls(limit: number): Promise<DuePoll[]> {
    return this.#connection.write(() =>
      this.#tables.attempts.claimDuePolls(
        this.#clock.now(),
        limit,
        (checkout) => this.#tables.checkouts.get(checkout).state === 'paid',
      ),
    );
  }

  claimEvents(claim: EventClaim): Promise<OutboxEvent[]> {
    return this.#connection.write(() => this.#tables.events.claim(this.#clock.now(), claim));
  }

  markDelivered(event: string): Promise<void> {
    return this.#connection.write(() => {
      this.#tables.events.markDelivered(event);
    });
  }

  markFailed(event: string, retryInSeconds: number | undefined): Promise<void> {
    return this.#connection.write(() => {
      const dueAt =
        retryInSeconds === undefined
          ? undefined
          : this.#clock.now() + Math.round(retryInSeconds * 1000);
      this.#tables.events.markFailed(event, dueAt);
    });
  }

  nextEventAt(): Promise<number | undefined> {
    return this.#connection.read(() => this.#tables.events.nextDueAt(this.#clock.now()));
  }

  findDeadLetters(filter: DeadLetterFilter, limit: number): Promise<DeadLetter[]> {
    return this.#connection.read(() => this.#tables.events.findDead(filter, limit));
  }

  redeliverEvents(filter: RedeliverFilter): Promise<number> {
    return this.#connection.write(() => this.#tables.events.redrive(filter, this.#clock.now()));
  }

  report(): Promise<StoreReport> {
    return this.#connection.read(() => this.#tables.reports.report());
  }

  findAttention(filter: AttentionFilter, limit: number): Promise<AttentionEntry[]> {
    return this.#connection.read(() => this.#tables.reports.findAttention(filter, limit));
  }

  findUnmatchedWebhooks(limit: number): Promise<UnmatchedWebhook[]> {
    return this.#connection.read(() => this.#tables.reports.findUnmatchedWebhooks(limit));
  }

  declareLoss(since?: number): Promise<Loss> {
    return this.#connection.write(() => {
      this.#tables.checkouts.forgetRecent();
      return this.#tables.loss.declare(since, this.#clock.now());
    });
  }

  findLoss(): Promise<Loss | undefined> {
    return this.#connection.read(() => this.#tables.loss.find());
  }

  findUnused(): Promise<OrderIdRange> {
    return this.#connection.read(() => this.#tables.attempts.findUnused(this.#clock.now()));
  }

  markLossRead(): Promise<void> {
    return this.#connection.write(() => {
      this.#tables.loss.markRead();
    });
  }

  adoptAttempt(found: FoundAttempt): Promise<void> {
    return this.#connection.write(() => {
      this.#tables.openings.adopt(found, this.#clock.now());
    });
  }

  ping(): Promise<void> {
    return this.#connection.write(() => {
      this.#tables.counters.set('pinged_at', this.#clock.now());
    });
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    if (this.#connection.isOnlyWriter) {
      await this.#connection
        .write(() => {
          this.#tables.counters.set(IS_CLOSED, this.#tables.attempts.hasGap ? 0 : 1);
        })
        // A disk that keeps nothing more: the next start is told that some of it may be lost.
        .catch(() => undefined);
    }
    await this.#connection.close();
  }
}
