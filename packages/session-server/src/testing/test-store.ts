import type { StoredToken } from '../checkouts/attempt-ids.js';
import {
  activateSession,
  type AttemptRequest,
  type FoundAttempt,
  findAttempts,
  findAttemptsByReference,
  findToken,
  getAttempt,
  markSendFailed,
} from '../checkouts/attempt-repository.js';
import { findOrderIdRange } from '../checkouts/order-ids.js';
import {
  findCheckout,
  findCheckouts,
  findCheckoutsOfOrder,
  claimPriceChecks,
  getCheckout,
} from '../checkouts/repository.js';
import type { CheckoutFact } from '../checkouts/state-machine.js';
import {
  applyFacts,
  applyTime,
  beginAttempt,
  recordHint,
  type StepContext,
} from '../checkouts/checkout-transactions.js';
import { refreshOrder } from '../checkouts/order-state.js';
import type { CheckoutRules } from '../checkouts/rules.js';
import type { Clock } from '../clock.js';
import type { HintRequest } from '../contract.js';
import { findOrdersToErase } from '../erasure/order-data.js';
import { type RemovalStep, removeHistory, removeOrders } from '../erasure/removal.js';
import { recoverFromCrash } from '../crash-recovery.js';
import { readBacklog } from '../metrics/backlog.js';
import {
  claimEvents,
  type DeadLetterFilter,
  type EventClaim,
  type EventResult,
  findDeadLetters,
  findFeed,
  findLastPosition,
  placeEvents,
  type RedeliverFilter,
  redeliverEvents,
  settleEvents,
} from '../outbox/repository.js';
import { DEFAULT_ACCOUNT } from '../merchants/merchant.js';
import type { ProviderMerchant } from '../provider/gateway.js';
import { listOrders, type OrderListFilter } from '../orders/order-list.js';
import {
  findOrder,
  type OrderKey,
  type PutOrder,
  savePutOrder,
  voidOrder,
} from '../orders/repository.js';
import { hashToken } from '../random-id.js';
import type { PaymentEvidence } from '../reconciliation/payment-rules.js';
import { settleUnpaid } from '../reconciliation/failures.js';
import { recordPayment } from '../reconciliation/order-batch.js';
import { requestPoll } from '../checkouts/poll-requests.js';
import type { ListRead } from '../reconciliation/list-reader.js';
import {
  type DueAttempt,
  findDueAttempts,
  findDuePlaces,
  planNextPolls,
} from '../reconciliation/polls.js';
import { findKnownRow, findTransactions } from '../reconciliation/repository.js';
import { adoptAttempt, declareLoss, findLoss, markLossRead } from '../restore/repository.js';
import { recordReturn } from '../returns/record-return.js';
import {
  type ClaimedWebhook,
  claimWebhooks,
  countWebhooks,
  eraseWebhooks,
  findNextWebhookTime,
  type IncomingWebhook,
  retryUnmatched,
  TESTS_COUNTER,
  type WebhookOutcome,
} from '../webhooks/repository.js';
import { completeWebhook, keepUnmatched, recordWebhook } from '../webhooks/webhook-transactions.js';
import { type Database, incrementCounter, optionalNumber, ping } from '../store/database.js';
import { sql } from '../store/sql.js';
import { SqliteDatabase } from '../store/sqlite-database.js';
import { ensureDataFile } from './new-data-file.js';

export interface StoreUnderTest {
  readonly store: TestStore;
  /** Closes the store, and opens what it left behind as a process that has just started would. */
  reopen(): Promise<TestStore>;
  /** Closes it and removes what it left behind. */
  remove(): Promise<void>;
}

/** Makes an empty store with a clock and rules of the test's own. */
export type OpenStore = (options: {
  readonly clock: Clock;
  readonly rules: CheckoutRules;
}) => Promise<StoreUnderTest>;

export interface TestStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly rules: CheckoutRules;
}

/** A database with the steps of the server as methods, for tests. */
export class TestStore {
  readonly context: StepContext;
  readonly #clock: Clock;
  readonly #rules: CheckoutRules;

  readonly database: Database;
  /** Names of transactions that fail, as on a full disk. */
  readonly failing = new Set<string>();
  /** Names of the transactions so far. */
  readonly begun: string[] = [];

  constructor(database: Database, { clock, rules }: Pick<TestStoreOptions, 'clock' | 'rules'>) {
    this.database = {
      isShared: database.isShared,
      get: (query) => database.get(query),
      all: (query) => database.all(query),
      run: (name, first, ...others) => {
        this.begun.push(name);
        return this.failing.has(name)
          ? Promise.reject(new Error('the disk is full'))
          : database.run(name, first, ...others);
      },
      write: (build) => database.write(build),
      clockAheadMs: () => database.clockAheadMs(),
      countConnections: () => database.countConnections(),
      purgeDeleted: () => database.purgeDeleted(),
      close: () => database.close(),
      transaction: (name, work) => {
        this.begun.push(name);
        return this.failing.has(name)
          ? Promise.reject(new Error('the disk is full'))
          : database.transaction(name, work);
      },
    };
    this.#clock = clock;
    this.#rules = rules;
    this.context = {
      rules,
      clock,
      onChange: () => undefined,
      orderIds: {},
    };
  }

  /** Opens a data file as a process that has just started would. */
  static async open(options: TestStoreOptions): Promise<TestStore> {
    await ensureDataFile(options.path);
    const database = new SqliteDatabase(options.path);
    await recoverFromCrash(database, options.clock.now());
    return new TestStore(database, options);
  }

  /** Opens the file of a server that may be running. */
  static openAlongside(options: TestStoreOptions, mode: 'read' | 'alongside'): TestStore {
    return new TestStore(new SqliteDatabase(options.path, mode), options);
  }

  putOrder(key: OrderKey, put: PutOrder) {
    return this.database.transaction('order:put', async (tx) => {
      await savePutOrder(tx, key, put, this.#clock.now());
      return refreshOrder(tx, key, this.#clock.now());
    });
  }

  voidOrder(key: OrderKey) {
    return this.database.transaction('order:void', async (tx) => {
      await voidOrder(tx, key);
      return refreshOrder(tx, key, this.#clock.now());
    });
  }

  findStoredOrder(key: OrderKey) {
    return findOrder(this.database, key);
  }

  listOrders(filter: OrderListFilter) {
    return listOrders(this.database, filter);
  }

  findOrdersToErase(before: number) {
    return findOrdersToErase(this.database, { from: 0, before, limit: 10 });
  }

  removeHistory(step: RemovalStep) {
    return this.database.transaction('retention:remove-history', (tx) =>
      removeHistory(tx, step, this.#clock.now()),
    );
  }

  removeOrders(step: RemovalStep) {
    return this.database.transaction('retention:remove-orders', (tx) => removeOrders(tx, step));
  }

  beginAttempt(request: AttemptRequest) {
    return this.database.transaction('create:begin-attempt', (tx) =>
      beginAttempt(tx, request, this.context),
    );
  }

  async activateSession(orderId: number, sessionId: string) {
    const attempt = await getAttempt(this.database, orderId);
    return activateSession(this.database, attempt, sessionId, this.#clock.now());
  }

  async endAttempt(orderId: number, result: 'unknown' | 'refused' | 'not_sent') {
    const attempt = await getAttempt(this.database, orderId);
    return markSendFailed(this.database, attempt, { result }, this.#clock.now());
  }

  find(checkout: string) {
    return findCheckout(this.database, checkout);
  }

  findMany(checkouts: readonly string[]) {
    return findCheckouts(this.database, checkouts);
  }

  findOrder(merchant: string, order: string) {
    return findCheckoutsOfOrder(this.database, merchant, order);
  }

  findAttempts(checkout: string) {
    return findAttempts(this.database, checkout);
  }

  findAttemptsByReference(at: ProviderMerchant, references: readonly string[]) {
    return findAttemptsByReference(this.database, at, references);
  }

  findTransactions(checkout: string) {
    return findTransactions(this.database, checkout);
  }

  async findServed(transaction: string) {
    return (await findKnownRow(this.database, DEFAULT_ACCOUNT, transaction))?.checkout;
  }

  apply(checkout: string, fact: CheckoutFact) {
    return this.database.transaction('checkout:apply', async (tx) =>
      applyFacts(tx, await getCheckout(tx, checkout), [fact], this.context),
    );
  }

  recordHint(checkout: string, hint: HintRequest) {
    return this.database.transaction('hint:record', async (tx) =>
      recordHint(tx, await getCheckout(tx, checkout), hint, this.context),
    );
  }

  recordPayment(evidence: PaymentEvidence) {
    return this.database.transaction('poll:record-payment', (tx) =>
      recordPayment(tx, evidence, this.context),
    );
  }

  settleUnpaid(read: ListRead) {
    return settleUnpaid(
      this.database,
      read,
      ({ createdAt }) => createdAt >= read.sinceMs,
      this.context,
    );
  }

  recordReturn(token: StoredToken) {
    return this.database.transaction('return:record', (tx) =>
      recordReturn(tx, token, this.context),
    );
  }

  async findWebhookAttempt(token: StoredToken) {
    const found = await findToken(this.database, token);
    return found?.kind === 'webhook' ? found : undefined;
  }

  recordWebhook(webhook: IncomingWebhook, orderId: number | undefined, maxBytes = Infinity) {
    return this.database.transaction('webhook:record', (tx) =>
      recordWebhook(tx, webhook, { orderId, maxBytes, now: this.#clock.now() }),
    );
  }

  claimWebhooks(limit: number, leaseSeconds: number) {
    return this.database.transaction('webhook:claim', (tx) =>
      claimWebhooks(tx, { limit, leaseSeconds }, this.#clock.now()),
    );
  }

  completeWebhook(webhook: number, outcome: WebhookOutcome) {
    return this.database.transaction('webhook:complete', (tx) =>
      completeWebhook(tx, webhook, outcome, this.context),
    );
  }

  markUnmatched(
    webhook: Pick<ClaimedWebhook, 'id' | 'claimedAt'>,
    references: readonly string[],
    limits: { readonly most: number },
  ) {
    return this.database.transaction('webhook:mark-unmatched', (tx) =>
      keepUnmatched(tx, webhook, { references, max: limits.most, hash: hashToken }),
    );
  }

  retryUnmatched() {
    return this.database.transaction('webhook:retry-unmatched', (tx) =>
      retryUnmatched(tx, this.#clock.now()),
    );
  }

  nextWebhookAt() {
    return findNextWebhookTime(this.database);
  }

  eraseWebhooks(before: { receivedBefore: number; unmatchedBefore: number; limit: number }) {
    return this.database.transaction('webhook:erase', (tx) => eraseWebhooks(tx, before));
  }

  purgeErased() {
    return this.database.purgeDeleted();
  }

  countTestWebhook() {
    return this.database.transaction('webhook:count-test', (tx) =>
      incrementCounter(tx, TESTS_COUNTER),
    );
  }

  countWebhooks() {
    return countWebhooks(this.database);
  }

  applyTime(limit: number) {
    return this.database.transaction('schedule:apply-time', (tx) =>
      applyTime(tx, limit, this.context),
    );
  }

  claimPriceChecks(limit: number, leaseUntil: number) {
    return this.database.transaction('payment:claim-price-checks', (tx) =>
      claimPriceChecks(tx, { now: this.#clock.now(), leaseUntil, limit }),
    );
  }

  /** Polls for the attempts that are due, at a list that is empty. */
  async pollDue(): Promise<DueAttempt[]> {
    const now = this.#clock.now();
    const { settleWindowSeconds } = this.#rules;
    const lists = await findDuePlaces(this.database, now);
    const due = await Promise.all(
      lists.map((list) => findDueAttempts(this.database, list, now, settleWindowSeconds)),
    );
    const attempts = due.flat();
    await planNextPolls(this.database, attempts, {
      readAt: now,
      now,
      result: 'read',
      rules: this.#rules,
      isStored: () => true,
      reportsSubmitted: () => true,
    });
    return attempts.map((attempt) => ({ ...attempt, polls: attempt.polls + 1 }));
  }

  /** A hint that each attempt of a checkout may have been paid. */
  hint(checkout: string) {
    return this.database.transaction('test:hint', async (tx) => {
      for (const { orderId } of await findAttempts(tx, checkout)) {
        requestPoll(tx, orderId, { now: this.#clock.now() });
      }
    });
  }

  async claimEvents(claim: EventClaim) {
    const { events } = await this.database.transaction('outbox:claim', (tx) =>
      claimEvents(tx, claim, this.#clock.now()),
    );
    return events;
  }

  placeEvents() {
    return this.database.transaction('outbox:place', placeEvents);
  }

  async findFeed(merchant: string, after: number) {
    const last = await findLastPosition(this.database, merchant);
    const { events } = await findFeed(this.database, merchant, { after, limit: 10 });
    return { last, events };
  }

  #settle(result: EventResult) {
    return this.database.transaction('outbox:settle', (tx) => settleEvents(tx, [result]));
  }

  skipEvent(id: string) {
    return this.#settle({ id, status: 'skipped' });
  }

  markDelivered(id: string) {
    return this.#settle({ id, status: 'delivered' });
  }

  markFailed(id: string, retryInSeconds: number | undefined, leaseUntil?: number) {
    if (retryInSeconds === undefined) {
      return this.#settle({ id, status: 'dead_lettered', leaseUntil });
    }
    const dueAt = this.#clock.now() + Math.round(retryInSeconds * 1000);
    return this.#settle({ id, status: 'pending', dueAt, leaseUntil });
  }

  /** When the next event is due that is not due yet. */
  async nextEventAt() {
    const row = await this.database.get(sql`
      SELECT min(due_at) AS due FROM outbox_events WHERE due_at > ${this.#clock.now()}`);
    return optionalNumber(row?.['due']);
  }

  findDeadLetters(filter: DeadLetterFilter, limit: number) {
    return findDeadLetters(this.database, filter, limit);
  }

  redeliverEvents(filter: RedeliverFilter) {
    return this.database.transaction('outbox:redeliver', (tx) =>
      redeliverEvents(tx, filter, this.#clock.now()),
    );
  }

  readBacklog() {
    return readBacklog(this.database, this.#rules, this.context.clock.now());
  }

  declareLoss(since?: number) {
    return this.database.transaction('restore:declare', (tx) =>
      declareLoss(tx, since, this.#clock.now(), this.#rules),
    );
  }

  findLoss() {
    return findLoss(this.database);
  }

  findOrderIdRange() {
    return findOrderIdRange(this.database, this.#clock.now());
  }

  markLossRead() {
    return this.database.transaction('restore:mark-read', (tx) => markLossRead(tx));
  }

  adoptAttempt(found: FoundAttempt) {
    return this.database.transaction('restore:adopt', (tx) =>
      adoptAttempt(tx, found, this.context, hashToken),
    );
  }

  ping() {
    return ping(this.database);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
