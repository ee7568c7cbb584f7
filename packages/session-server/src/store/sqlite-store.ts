import type { StoredToken } from '../checkouts/attempt-token.js';
import {
  activateSession,
  type AttemptRequest,
  type CheckoutStore,
  endAllSending,
  findAttempts,
  findAttemptsByReference,
  findCheckout,
  findCheckouts,
  findCheckoutsOfOrder,
  findToken,
  getCheckout,
  type PaymentEvidence,
  type SessionHint,
  type StoreRules,
} from '../checkouts/repository.js';
import type { CheckoutFact } from '../checkouts/state-machine.js';
import {
  applyFacts,
  applyTime,
  beginAttempt,
  endSending,
  recordHint,
  type StepContext,
} from '../checkouts/steps.js';
import type { Clock } from '../clock.js';
import { crashPoint } from '../crash-points.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import type { AttentionFilter } from '../operator/operator-store.js';
import { findAttention, findUnmatchedWebhooks, report } from '../operator/repository.js';
import {
  claimEvents,
  type DeadLetterFilter,
  type EventClaim,
  findDeadLetters,
  findNextEventTime,
  markEventDelivered,
  markEventFailed,
  type RedeliverFilter,
  redeliverEvents,
  releaseSendingEvents,
} from '../outbox/repository.js';
import { hashToken } from '../random-id.js';
import { recordPayment } from '../reconciliation/record-payment.js';
import {
  claimDuePolls,
  findKnownTransaction,
  findTransactions,
} from '../reconciliation/repository.js';
import {
  adoptAttempt,
  declareLoss,
  findLoss,
  findUnused,
  markLossRead,
} from '../restore/repository.js';
import type { FoundAttempt } from '../restore/restore-store.js';
import { recordReturn } from '../returns/record-return.js';
import {
  type ClaimedWebhook,
  claimWebhooks,
  countWebhooks,
  eraseWebhooks,
  findNextWebhookTime,
  type IncomingWebhook,
  releaseClaimedWebhooks,
  retryUnmatched,
  TESTS_COUNTER,
  type UnmatchedLimits,
  type WebhookOutcome,
} from '../webhooks/repository.js';
import {
  completeWebhook,
  keepUnmatched,
  recordWebhook,
  retryUnmatchedFor,
} from '../webhooks/steps.js';
import { incrementCounter, setCounter } from './counters.js';
import type { Transaction } from './database.js';
import { SqliteDatabase, type SqliteMode } from './sqlite-database.js';

export interface SqliteCheckoutStoreOptions {
  /** Path of the data file; its folder must exist. */
  readonly path: string;
  readonly clock: Clock;
  readonly rules: StoreRules;
  /** Hears of every change of a checkout. */
  readonly observer?: Pick<Observer, 'checkoutChanged'>;
  /**
   * What is stored in the place of a name that an unmatched webhook speaks of. Default: a hash with
   * which a reader of the file can check a guess.
   */
  readonly hashReference?: (reference: string) => string;
}

/** The store in one SQLite file. */
export class SqliteCheckoutStore implements CheckoutStore {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly #rules: StoreRules;
  readonly #hash: (reference: string) => string;
  readonly #context: StepContext;
  #closed: Promise<void> | undefined;

  private constructor(options: SqliteCheckoutStoreOptions, mode: SqliteMode) {
    const { clock, rules, observer = SILENT_OBSERVER, hashReference = hashToken } = options;
    this.#clock = clock;
    this.#rules = rules;
    this.#hash = hashReference;
    this.#context = {
      rules,
      clock,
      onChange: (before, after) => {
        observer.checkoutChanged(before, after);
      },
      onAttempt: (tx, attempt) =>
        retryUnmatchedFor(tx, attempt, { hash: hashReference, now: clock.now() }),
    };
    this.#database = new SqliteDatabase(options.path, mode);
  }

  /**
   * Opens the file, and settles what a dead process left in the middle: attempts that it was sending
   * become `unknown`, events that it was sending are due again.
   */
  static async open(options: SqliteCheckoutStoreOptions): Promise<SqliteCheckoutStore> {
    const store = new SqliteCheckoutStore(options, 'hold');
    const now = options.clock.now();
    await store.#database.transaction('store:recover', async (tx) => {
      await endAllSending(tx);
      await releaseSendingEvents(tx, now);
      await releaseClaimedWebhooks(tx, now);
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

  beginAttempt(request: AttemptRequest) {
    return this.#database.transaction('create:begin-attempt', (tx: Transaction) =>
      beginAttempt(tx, request, this.#context),
    );
  }

  activateSession(orderId: number, sessionId: string) {
    return this.#database.transaction('create:activate-session', (tx: Transaction) =>
      activateSession(tx, orderId, sessionId),
    );
  }

  endAttempt(orderId: number, status: 'unknown' | 'refused' | 'not_sent') {
    return this.#database.transaction('create:end-attempt', (tx: Transaction) =>
      endSending(tx, orderId, status),
    );
  }

  find(checkout: string) {
    return findCheckout(this.#database, checkout);
  }

  findMany(checkouts: readonly string[]) {
    return findCheckouts(this.#database, checkouts);
  }

  findOrder(merchant: string, order: string) {
    return findCheckoutsOfOrder(this.#database, merchant, order);
  }

  findAttempts(checkout: string) {
    return findAttempts(this.#database, checkout);
  }

  findAttemptsByReference(providerMerchantId: number, references: readonly string[]) {
    return findAttemptsByReference(this.#database, providerMerchantId, references);
  }

  findTransactions(checkout: string) {
    return findTransactions(this.#database, checkout);
  }

  async findServed(transaction: string) {
    return (await findKnownTransaction(this.#database, transaction))?.checkout;
  }

  apply(checkout: string, fact: CheckoutFact) {
    return this.#database.transaction('checkout:apply', async (tx) =>
      applyFacts(tx, await getCheckout(tx, checkout), [fact], this.#context),
    );
  }

  recordHint(checkout: string, hint: SessionHint) {
    return this.#database.transaction('hint:record', (tx: Transaction) =>
      recordHint(tx, checkout, hint, this.#context),
    );
  }

  recordPayment(evidence: PaymentEvidence) {
    return this.#database.transaction('poll:record-payment', (tx: Transaction) =>
      recordPayment(tx, evidence, this.#context),
    );
  }

  recordReturn(token: StoredToken) {
    return this.#database.transaction('return:record', (tx: Transaction) =>
      recordReturn(tx, token, this.#context),
    );
  }

  async findWebhookAttempt(token: StoredToken) {
    const found = await findToken(this.#database, token);
    return found?.kind === 'webhook' ? found : undefined;
  }

  recordWebhook(webhook: IncomingWebhook, orderId: number | undefined, maxBytes = Infinity) {
    return this.#database.transaction('webhook:record', (tx: Transaction) =>
      recordWebhook(tx, webhook, { orderId, maxBytes, now: this.#clock.now() }),
    );
  }

  claimWebhooks(limit: number, leaseSeconds: number) {
    return this.#database.transaction('webhook:claim', (tx: Transaction) =>
      claimWebhooks(tx, { limit, leaseSeconds }, this.#clock.now()),
    );
  }

  completeWebhook(webhook: number, outcome: WebhookOutcome) {
    return this.#database.transaction('webhook:complete', (tx: Transaction) =>
      completeWebhook(tx, webhook, outcome, this.#context),
    );
  }

  markUnmatched(
    webhook: Pick<ClaimedWebhook, 'id' | 'claimedAt'>,
    references: readonly string[],
    limits: UnmatchedLimits,
  ) {
    return this.#database.transaction('webhook:mark-unmatched', (tx: Transaction) =>
      keepUnmatched(tx, webhook, { references, max: limits.most, hash: this.#hash }),
    );
  }

  retryUnmatched() {
    return this.#database.transaction('webhook:retry-unmatched', (tx: Transaction) =>
      retryUnmatched(tx, this.#clock.now()),
    );
  }

  nextWebhookAt() {
    return findNextWebhookTime(this.#database);
  }

  eraseWebhooks(before: { receivedBefore: number; parkedBefore: number; limit: number }) {
    return this.#database.transaction('webhook:erase', (tx: Transaction) =>
      eraseWebhooks(tx, { ...before, unmatchedBefore: before.parkedBefore }),
    );
  }

  purgeErased() {
    return this.#database.purgeDeleted();
  }

  countTestWebhook() {
    return this.#database.transaction('webhook:count-test', (tx: Transaction) =>
      incrementCounter(tx, TESTS_COUNTER),
    );
  }

  countWebhooks() {
    return countWebhooks(this.#database);
  }

  applyTime(limit: number) {
    return this.#database.transaction('schedule:apply-time', (tx: Transaction) =>
      applyTime(tx, limit, this.#context),
    );
  }

  claimDuePolls(limit: number) {
    return this.#database.transaction('schedule:claim-polls', (tx: Transaction) =>
      claimDuePolls(tx, limit, this.#clock.now(), this.#rules),
    );
  }

  claimEvents(claim: EventClaim) {
    return this.#database.transaction('outbox:claim', (tx: Transaction) =>
      claimEvents(tx, claim, this.#clock.now()),
    );
  }

  markDelivered(event: string) {
    return this.#database.transaction('outbox:mark-delivered', (tx: Transaction) =>
      markEventDelivered(tx, event),
    );
  }

  markFailed(event: string, retryInSeconds: number | undefined) {
    const dueAt =
      retryInSeconds === undefined
        ? undefined
        : this.#clock.now() + Math.round(retryInSeconds * 1000);
    return this.#database.transaction('outbox:mark-failed', (tx) =>
      markEventFailed(tx, event, dueAt),
    );
  }

  nextEventAt() {
    return findNextEventTime(this.#database, this.#clock.now());
  }

  findDeadLetters(filter: DeadLetterFilter, limit: number) {
    return findDeadLetters(this.#database, filter, limit);
  }

  redeliverEvents(filter: RedeliverFilter) {
    return this.#database.transaction('outbox:redeliver', (tx: Transaction) =>
      redeliverEvents(tx, filter, this.#clock.now()),
    );
  }

  report() {
    return report(this.#database, this.#rules);
  }

  findAttention(filter: AttentionFilter, limit: number) {
    return findAttention(this.#database, filter, limit);
  }

  findUnmatchedWebhooks(limit: number) {
    return findUnmatchedWebhooks(this.#database, limit);
  }

  declareLoss(since?: number) {
    return this.#database.transaction('restore:declare', (tx: Transaction) =>
      declareLoss(tx, since, this.#clock.now(), this.#rules),
    );
  }

  findLoss() {
    return findLoss(this.#database);
  }

  findUnused() {
    return findUnused(this.#database, this.#clock.now());
  }

  markLossRead() {
    return this.#database.transaction('restore:mark-read', (tx: Transaction) => markLossRead(tx));
  }

  adoptAttempt(found: FoundAttempt) {
    return this.#database.transaction('restore:adopt', (tx: Transaction) =>
      adoptAttempt(tx, found, this.#context),
    );
  }

  ping() {
    return this.#database.transaction('store:ping', (tx: Transaction) =>
      setCounter(tx, 'pinged_at', this.#clock.now()),
    );
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#database.close());
  }
}
