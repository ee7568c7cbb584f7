import { isDeepStrictEqual } from 'node:util';
import {
  compareAttempts,
  getAttempt,
  setFailureReported,
  type StoredAttempt,
  supersedeSending,
  toAttempt,
} from '../checkouts/attempt-repository.js';
import {
  type Change,
  moveCheckout,
  type StepContext,
  storeChanges,
  toChange,
} from '../checkouts/checkout-transactions.js';
import { isBeingPaid } from '../checkouts/opening-rules.js';
import { findCheckoutsWhere } from '../checkouts/repository.js';
import type { AttentionCode, Checkout, CheckoutFact } from '../checkouts/state-machine.js';
import type { EvidenceSettings } from '../merchants/merchant.js';
import { insertEntry, type LogEntry } from '../orders/order-log.js';
import {
  lockOrders,
  type OrderKey,
  ordersOf,
  type StoredOrder,
  touch,
} from '../orders/repository.js';
import type { TransactionRow } from '../provider/gateway.js';
import { optionalText, type Reader, type Transaction } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import type { Match, StoredEvidence } from './candidates.js';
import { paymentFactsOf, timeOf } from './matching.js';
import { type MatchedRow, type PaymentEvidence, planPayment } from './payment-rules.js';
import { watchForRefunds } from './polls.js';
import { toMatchedRow, upsertRow } from './repository.js';

/** Values of the provider that are longer than any that we know of are cut off. */
const MAX_VALUE_CHARS = 60;

/** An order as it is stored, and what rows change of it. */
interface BatchedOrder {
  readonly key: OrderKey;
  readonly attempts: StoredAttempt[];
  /** As they are stored, oldest first. */
  readonly before: Checkout[];
  /** As they are now, by id. */
  readonly checkouts: Map<string, Checkout>;
  readonly rows: Set<MatchedRow>;
  readonly entries: LogEntry[];
  /** When the failure of an attempt was reported, by order_id. */
  readonly failures: Map<number, number>;
  /** The attempts that paid a checkout. */
  readonly paid: Set<number>;
}

/** What a batch is about. */
export interface BatchOptions {
  readonly context: StepContext;
  readonly account: string;
  /** Rows of the account that are read, whatever orders they are of. */
  readonly transactions: readonly string[];
}

/**
 * Orders, and what rows of the provider's list change of them: rows are applied in memory, then what has
 * changed of an order is stored together. In memory alone it tells whether there is anything to store.
 */
export class OrderBatch implements StoredEvidence {
  readonly #context: StepContext;
  readonly #orders = new Map<string, BatchedOrder>();
  /** By order_id. */
  readonly #attempts: ReadonlyMap<number, StoredAttempt>;
  readonly #stored: ReadonlyMap<string, StoredOrder>;
  readonly #rows: Map<string, MatchedRow>;
  readonly #logged = new Set<string>();

  private constructor(
    context: StepContext,
    checkouts: readonly Checkout[],
    attempts: readonly StoredAttempt[],
    rows: readonly MatchedRow[],
    stored: readonly StoredOrder[],
  ) {
    this.#context = context;
    for (const checkout of checkouts) {
      const order = this.#orders.get(nameOf(checkout)) ?? newOrder(checkout);
      this.#orders.set(nameOf(checkout), order);
      order.before.push(checkout);
      order.checkouts.set(checkout.id, checkout);
    }
    this.#attempts = new Map(attempts.map((attempt) => [attempt.orderId, attempt]));
    for (const attempt of attempts) this.#orders.get(nameOf(attempt))?.attempts.push(attempt);
    this.#rows = new Map(rows.map((row) => [placeOf(row), row]));
    this.#stored = new Map(stored.map((order) => [nameOf(order), order]));
  }

  /** Reads orders outside a transaction; `of` selects their merchants and names. */
  static async read(
    reader: Reader,
    of: Sql | undefined,
    options: BatchOptions,
  ): Promise<OrderBatch> {
    if (!of) return new OrderBatch(options.context, [], [], [], []);
    return OrderBatch.#load(reader, of, options, []);
  }

  /** Reads orders that no other transaction changes before this one ends. */
  static async lock(
    tx: Transaction,
    keys: readonly OrderKey[],
    options: BatchOptions,
  ): Promise<OrderBatch> {
    return OrderBatch.#load(tx, ordersOf(keys), options, await lockOrders(tx, keys));
  }

  static async #load(
    reader: Reader,
    of: Sql,
    { context, account, transactions }: BatchOptions,
    stored: readonly StoredOrder[],
  ): Promise<OrderBatch> {
    const ofOrders = sql`(merchant, order_name) IN ${of}`;
    const ids = sql`SELECT id FROM checkouts WHERE ${ofOrders}`;
    const [checkouts, attempts, rows] = await Promise.all([
      findCheckoutsWhere(reader, ofOrders),
      reader.all(sql`SELECT * FROM attempts WHERE checkout IN (${ids})`),
      reader.all(sql`
        ${
          transactions.length === 0
            ? sql``
            : sql`SELECT * FROM matched_transactions
                WHERE account = ${account} AND id IN ${sql.list(transactions)} UNION ALL`
        } SELECT * FROM matched_transactions WHERE checkout IN (${ids})`),
    ]);
    const all = rows.map(toMatchedRow);
    const inOrder = attempts.map(toAttempt).toSorted((one, next) => one.orderId - next.orderId);
    return new OrderBatch(context, checkouts, inOrder, all, stored);
  }

  get attempts(): readonly StoredAttempt[] {
    return [...this.#attempts.values()];
  }

  get checkouts(): ReadonlyMap<string, Checkout> {
    const all = [...this.#orders.values()].flatMap(({ checkouts }) => [...checkouts]);
    return new Map(all);
  }

  get rows(): readonly MatchedRow[] {
    return [...this.#rows.values()];
  }

  /** Reads which of the matches are logged, where their rows do not say so. */
  async readLog(reader: Reader, matches: readonly Match[]): Promise<void> {
    const asked = matches.filter((match) => this.#logStateOf(match) === 'unknown');
    if (asked.length === 0) return;
    const keys = asked.map(({ attempt: { merchant, order } }) => ({ merchant, order }));
    const subjects = asked.map(({ row }) => shorten(row.id) ?? '');
    const entries = await reader.all(sql`
      SELECT merchant, order_name, subject, detail FROM order_log
      WHERE (merchant, order_name) IN ${ordersOf(keys)} AND kind = 'match'
        AND coalesce(subject, '') IN ${sql.list(subjects)}`);
    for (const row of entries) {
      const key = { merchant: String(row['merchant']), order: String(row['order_name']) };
      this.#logged.add(digestOf(key, optionalText(row['subject']), String(row['detail'])));
    }
  }

  /** Applies what a row says about an attempt. */
  record(match: Match): void {
    const { row, attempt, result, settings } = match;
    const { id: transaction = '', status = '' } = row;
    const { account, checkout, orderId } = attempt;
    const order = this.#orderOf(attempt);
    const known = this.#rows.get(placeOf({ account, transaction }));
    this.#log(order, match);
    const isOfAnother = known !== undefined && known.checkout !== checkout;
    if (result.kind === 'none' && result.status === undefined) return;
    if (result.kind === 'mismatch' && (isOfAnother || !result.money)) {
      if (!(isOfAnother && known.provesPrice)) this.#raise(order, checkout, result.code);
    } else if (result.kind !== 'none' && result.kind !== 'failed' && result.money) {
      const { amount = '', currencyCode: currency = '', transactionTime = '' } = row;
      this.recordPayment({
        ...{ transaction, orderId, status, amount, currency, transactionTime },
        ...result.money,
        provesPrice: result.kind === 'paid',
        joinsRefundRow: settings.joinsRefundRow,
        payment: paymentFactsOf(row, settings),
        ...(result.kind === 'mismatch' && { attention: result.code }),
      });
    } else if (result.kind === 'failed' && !known?.provesPrice) {
      this.#reportFailure(order, attempt, timeOf(row));
    } else if (!known) {
      // Such as a chargeback: a payment took a status that is not configured, in another row.
      const payments = this.rows.filter((each) => each.checkout === checkout);
      const isOfPayment = payments.some(
        (payment) => payment.account === account && mayChange(payment, row, orderId, settings),
      );
      if (isOfPayment) this.#raise(order, checkout, 'status_changed');
    } else if (known.provesPrice && !isOfAnother && known.status !== status) {
      this.#setRow(order, { ...known, status });
      this.#raise(order, checkout, 'status_changed');
    }
  }

  /** Applies a payment or refund of an attempt. False, and nothing, when its row serves another checkout. */
  recordPayment(evidence: PaymentEvidence): boolean {
    const attempt = this.#attempts.get(evidence.orderId);
    if (!attempt) throw new Error('no such attempt');
    const { account } = attempt;
    const order = this.#orderOf(attempt);
    const checkouts = [...order.checkouts.values()];
    const checkout = checkouts.find(({ id }) => id === attempt.checkout);
    if (!checkout) throw new Error('no such checkout');
    const siblings = checkouts.filter(({ id }) => id !== checkout.id);
    const known = this.#rows.get(placeOf({ account, transaction: evidence.transaction }));
    const newest = order.attempts.toSorted(compareAttempts).at(-1);
    const plan = planPayment(
      {
        account,
        checkout,
        siblings,
        isSuperseded: newest?.checkout !== checkout.id,
        known,
        rows: this.rows.filter((row) => order.checkouts.has(row.checkout)),
      },
      evidence,
    );
    if (!plan) return false;
    if (!isDeepStrictEqual(plan.row, known)) this.#setRow(order, plan.row);
    for (const each of checkouts) {
      const moved = this.#apply(order, each.id, plan.facts.get(each.id) ?? []);
      if (each.state !== 'paid' && moved.state === 'paid') order.paid.add(attempt.orderId);
    }
    return true;
  }

  /** The orders of which something is to be stored. */
  get changed(): OrderKey[] {
    return [...this.#orders.values()].filter((order) => isChanged(order)).map(({ key }) => key);
  }

  /** Stores what has changed of an order. Answers for each of its checkouts, that of `first` first. */
  async store(tx: Transaction, key: OrderKey, first?: string): Promise<Change[]> {
    const order = this.#orders.get(nameOf(key));
    if (!order) throw new Error('no such order');
    const all = order.before.map((before) => {
      const now = order.checkouts.get(before.id) ?? before;
      return now === before ? { before, after: before } : toChange(before, now);
    });
    const answer = all.toSorted(
      (one, other) => Number(other.before.id === first) - Number(one.before.id === first),
    );
    if (!isChanged(order)) return answer;
    const now = this.#context.clock.now();
    const others = [
      ...[...order.rows].map((row) => upsertRow(row, now)),
      ...order.entries.map((entry) => insertEntry(key, entry, now)),
    ];
    const changes = all.filter(({ before, after }) => after !== before);
    const stored = this.#stored.get(nameOf(key));
    const checkouts = all.map(({ after }) => after);
    if (changes.length === 0) tx.queue(touch(key), ...others);
    else {
      const locked = { stored, checkouts, attempts: order.attempts };
      await storeChanges(tx, locked, changes, others, this.#context);
    }
    for (const [orderId, at] of order.failures) await setFailureReported(tx, orderId, at);
    for (const orderId of order.paid) watchForRefunds(tx, orderId, now);
    const isSending = order.attempts.some(({ status }) => status === 'sending');
    if (order.paid.size > 0 && isSending) supersedeSending(tx, key.merchant, key.order);
    return answer;
  }

  #orderOf(key: OrderKey): BatchedOrder {
    const order = this.#orders.get(nameOf(key));
    if (!order) throw new Error('no such order');
    return order;
  }

  #setRow(order: BatchedOrder, row: MatchedRow): void {
    const before = this.#rows.get(placeOf(row));
    if (before) for (const each of this.#orders.values()) each.rows.delete(before);
    this.#rows.set(placeOf(row), row);
    order.rows.add(row);
  }

  #apply(order: BatchedOrder, id: string, facts: readonly CheckoutFact[]): Checkout {
    const checkout = order.checkouts.get(id);
    if (!checkout) throw new Error('no such checkout');
    const moved = moveCheckout(checkout, facts, this.#stored.get(nameOf(order.key)), this.#context);
    order.checkouts.set(id, moved);
    return moved;
  }

  #raise(order: BatchedOrder, checkout: string, code: AttentionCode): void {
    this.#apply(order, checkout, [{ type: 'attention-needed', code }]);
  }

  /**
   * The shopper may have paid in the same session since then: the failure counts once a later read of the
   * list shows no payment.
   */
  #reportFailure(order: BatchedOrder, attempt: StoredAttempt, at = Infinity): void {
    const { clock, rules } = this.#context;
    const now = clock.now();
    const checkout = order.checkouts.get(attempt.checkout);
    if (!checkout || isBeingPaid(checkout, now, rules) || !mayFail(attempt, checkout)) return;
    if (!order.failures.has(attempt.orderId))
      order.failures.set(attempt.orderId, Math.min(at, now));
  }

  /** What the stored row of a payment says of its log entry, which was stored with it. */
  #logStateOf({ row, attempt, result }: Match): 'logged' | 'new' | 'unknown' {
    const { account, checkout } = attempt;
    const known = this.#rows.get(placeOf({ account, transaction: row.id ?? '' }));
    if (result.kind !== 'paid') return 'unknown';
    if (!known) return 'new';
    const isSame =
      known.checkout === checkout &&
      known.status === row.status &&
      known.amount === row.amount &&
      known.currency === row.currencyCode;
    return isSame ? 'logged' : 'unknown';
  }

  /** Each poll reads a row again; what it says is logged once. */
  #log({ key, entries }: BatchedOrder, match: Match): void {
    if (this.#logStateOf(match) === 'logged') return;
    const entry = toLogEntry(match);
    const digest = digestOf(key, entry.subject, JSON.stringify(entry.detail));
    if (this.#logged.has(digest)) return;
    this.#logged.add(digest);
    entries.push(entry);
  }
}

/** Keeps a payment that a verified webhook proves, with what follows for each checkout of its order. */
export async function recordPayment(
  tx: Transaction,
  evidence: PaymentEvidence,
  context: StepContext,
): Promise<Change[]> {
  const attempt = await getAttempt(tx, evidence.orderId);
  const { account, checkout } = attempt;
  const transactions = [evidence.transaction];
  const batch = await OrderBatch.lock(tx, [attempt], { context, account, transactions });
  return batch.recordPayment(evidence) ? batch.store(tx, attempt, checkout) : [];
}

/** Whether a reported failure says anything: that of a superseded session says nothing about the next one. */
export function mayFail(
  { status, failureReportedAt }: StoredAttempt,
  { state }: Pick<Checkout, 'state'>,
): boolean {
  return (
    status === 'active' && failureReportedAt === undefined && state !== 'paid' && state !== 'failed'
  );
}

function newOrder({ merchant, order }: OrderKey): BatchedOrder {
  return {
    key: { merchant, order },
    attempts: [],
    before: [],
    checkouts: new Map(),
    rows: new Set(),
    entries: [],
    failures: new Map(),
    paid: new Set(),
  };
}

function isChanged({ before, checkouts, rows, entries, failures }: BatchedOrder): boolean {
  const isMoved = before.some((checkout) => checkouts.get(checkout.id) !== checkout);
  return isMoved || rows.size > 0 || entries.length > 0 || failures.size > 0;
}

/** Whether a row belongs to a payment that has its own row, as a refund would. */
function mayChange(
  payment: MatchedRow,
  row: TransactionRow,
  orderId: number,
  { refundMatchField, joinsRefundRow }: EvidenceSettings,
): boolean {
  if (!payment.provesPrice) return false;
  const { reference } = payment;
  if (reference !== undefined && reference === row.references[refundMatchField]) return true;
  const isLater = (timeOf(payment) ?? Infinity) < (timeOf(row) ?? -Infinity);
  return joinsRefundRow && payment.orderId === orderId && isLater;
}

function toLogEntry({ row, attempt, result }: Match): LogEntry {
  const reason =
    result.kind === 'none' ? result.reason : result.kind === 'mismatch' ? result.code : undefined;
  return {
    kind: 'match',
    checkout: attempt.checkout,
    subject: shorten(row.id),
    detail: {
      result: result.kind,
      reason,
      status: shorten(row.status),
      amount: shorten(row.amount),
      currency: shorten(row.currencyCode),
    },
  };
}

function shorten(text: string | undefined): string | undefined {
  return text?.slice(0, MAX_VALUE_CHARS);
}

function digestOf(key: OrderKey, subject: string | undefined, detail: string): string {
  return JSON.stringify([nameOf(key), subject, detail]);
}

/** Names have no spaces. */
export function nameOf({ merchant, order }: OrderKey): string {
  return `${merchant} ${order}`;
}

/** Ids of transactions are unique at one account. */
function placeOf({ account, transaction }: Pick<MatchedRow, 'account' | 'transaction'>): string {
  return `${account} ${transaction}`;
}
