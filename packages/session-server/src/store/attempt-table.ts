import type { AttemptTokens } from '../checkouts/attempt-token.js';
import type {
  Attempt,
  AttemptStatus,
  DuePoll,
  AttemptRequest,
  StoreRules,
} from '../checkouts/repository.js';
import type { ActiveAttempt } from '../checkouts/opening-rules.js';
import { merchantReferenceOf, orderIdsIn } from '../checkouts/merchant-reference.js';
import type { FoundAttempt, OrderIdRange } from '../restore/restore-store.js';
import { MAX_AHEAD } from './group-commit.js';
import { TO_ORDER_ID } from './loss-table.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { toAttempt } from './rows.js';
import type { TokenTable } from './token-table.js';

/** 2025-01-01T00:00:00Z: `order_id` starts at the seconds since then, and only grows. */
const EPOCH_SECONDS = 1_735_689_600;
/** The pause before the first look that nobody asked for; it doubles up to the longest pause. */
const FIRST_POLL_SECONDS = 30;
const MAX_POLL_PAUSE_SECONDS = 6 * 3600;
const HOUR_MS = 3_600_000;

/** Which rows are called by one of the references; found by the `order_id` that these end with. */
const NAMED = `order_id IN (SELECT value FROM json_each(:orderIds))
  AND (CAST(order_id AS TEXT) IN (SELECT value FROM json_each(:references))
    OR merchant_reference IN (SELECT value FROM json_each(:references)))`;

/** The attempts of a checkout, by the index of those of its order. */
const OF_CHECKOUT = `FROM checkouts AS its CROSS JOIN attempts
  ON attempts.merchant = its.merchant AND attempts.order_name = its.order_name
    AND attempts.checkout = its.id
  WHERE its.id = :checkout`;

/** Thrown when no `order_id` is left below the configured maximum. */
export class OrderIdsExhaustedError extends Error {
  override readonly name = 'OrderIdsExhaustedError';
}

/** Attempts. Its writes run inside the caller's step. */
export class AttemptTable {
  readonly #connection: SqliteConnection;
  readonly #rules: StoreRules;
  readonly #tokens: TokenTable;
  /** The `order_id` that was given out last. */
  #lastOrderId: number | undefined;

  constructor(connection: SqliteConnection, rules: StoreRules, tokens: TokenTable) {
    this.#connection = connection;
    this.#rules = rules;
    this.#tokens = tokens;
  }

  get(orderId: number): ActiveAttempt {
    const row = this.#connection.get('SELECT * FROM attempts WHERE order_id = :orderId', {
      orderId,
    });
    if (!row) throw new Error('no such attempt');
    return toAttempt(row);
  }

  findOfCheckout(checkout: string): Attempt[] {
    return this.#connection
      .all(`SELECT attempts.* ${OF_CHECKOUT}`, { checkout })
      .map(toAttempt)
      .sort((one, other) => one.orderId - other.orderId);
  }

  /** The `order_id` of the newest attempt of a checkout: a larger one was made later. */
  findLastOrderId(checkout: string): number {
    const row = this.#connection.get(`SELECT max(order_id) AS last ${OF_CHECKOUT}`, { checkout });
    return Number(row?.['last'] ?? 0);
  }

  findActive(merchant: string, order: string): ActiveAttempt | undefined {
    const row = this.#connection.get(
      'SELECT * FROM attempts WHERE merchant = :merchant AND order_name = :order AND is_live = 1',
      { merchant, order },
    );
    return row && toAttempt(row);
  }

  /** The attempt of a checkout whose session a page shows. */
  findShown(checkout: string, sessionId: string): ActiveAttempt | undefined {
    const row = this.#connection.get(
      `SELECT attempts.* ${OF_CHECKOUT}
         AND is_live = 1 AND status = 'exposed' AND session_id = :sessionId`,
      { checkout, sessionId },
    );
    return row && toAttempt(row);
  }

  findByReferences(providerMerchantId: number, references: readonly string[]): Attempt[] {
    return this.#connection
      .all(`SELECT * FROM attempts WHERE ${NAMED} AND provider_merchant_id = :providerMerchantId`, {
        ...namedBy(references),
        providerMerchantId,
      })
      .map(toAttempt);
  }

  /** Whether an attempt that is called by one of the references was made since a time. */
  hasAppeared(references: readonly string[], since: number): boolean {
    const row = this.#connection.get(
      `SELECT 1 FROM attempts WHERE ${NAMED} AND created_at >= :since`,
      { ...namedBy(references), since },
    );
    return row !== undefined;
  }

  recentRenewals(merchant: string, order: string, now: number): number[] {
    return this.#connection
      .all(
        `SELECT created_at FROM attempts WHERE merchant = :merchant AND order_name = :order
           AND is_renewal = 1 AND created_at > :since ORDER BY created_at`,
        { merchant, order, since: now - HOUR_MS },
      )
      .map((row) => Number(row['created_at']));
  }

  /** A new attempt with an `order_id`, a reference and tokens of its own, ready to be sent. */
  insertSending(
    request: AttemptRequest,
    checkout: string,
    isRenewal: boolean,
    now: number,
  ): { attempt: Attempt; tokens: AttemptTokens } {
    const orderId = this.#allocateOrderId(now);
    const { tokens, hashes } = this.#tokens.make(orderId);
    const row = {
      order_id: orderId,
      merchant_reference: merchantReferenceOf(request.order, orderId),
      checkout,
      merchant: request.merchant,
      order_name: request.order,
      provider_merchant_id: request.providerMerchantId,
      status: 'sending',
      session_id: null,
      is_renewal: isRenewal ? 1 : 0,
      lease_until: now + this.#rules.sendLeaseSeconds * 1000,
      created_at: now,
      next_look_at: now + FIRST_POLL_SECONDS * 1000,
      looks: 0,
      token_hashes: hashes,
      // `sending` or `exposed`: of those an order has one. An index of the status itself would have to
      // be written anew when the session is exposed.
      is_live: 1,
    };
    this.#connection.insert('attempts', row);
    return { attempt: toAttempt(row), tokens };
  }

  /** An attempt that was lost and is found again: watched, and its session can be shown to nobody. */
  insertFound(found: FoundAttempt, checkout: string, now: number): void {
    this.#connection.insert('attempts', {
      order_id: found.orderId,
      merchant_reference: found.merchantReference,
      checkout,
      merchant: found.request.merchant,
      order_name: found.request.order,
      provider_merchant_id: found.request.providerMerchantId,
      status: 'superseded',
      session_id: null,
      is_renewal: 0,
      lease_until: now,
      created_at: found.createdAt,
      next_look_at: now + FIRST_POLL_SECONDS * 1000,
      looks: 0,
      token_hashes: '',
      is_live: null,
    });
  }

  /** The attempt that was made last, of those made until a time. */
  findLast(until: number): Pick<Attempt, 'orderId' | 'createdAt'> | undefined {
    const row = this.#connection.get(
      'SELECT * FROM attempts WHERE created_at <= :until ORDER BY order_id DESC LIMIT 1',
      { until },
    );
    return row && toAttempt(row);
  }

  /** The `order_id` that would be given out next. */
  peekOrderId(now: number): number {
    this.#lastOrderId ??= this.#findLastOrderId();
    return Math.max(this.#lastOrderId + 1, Math.floor(now / 1000) - EPOCH_SECONDS);
  }

  /**
   * The ids between the last one that was given out and the one of this moment; none in a file that
   * has no attempt yet, since the references of whoever came before us may look like ours.
   */
  findUnused(now: number): OrderIdRange {
    const toOrderId = Math.floor(now / 1000) - EPOCH_SECONDS;
    return { afterOrderId: this.#findLastOrderId() || toOrderId, toOrderId };
  }

  /** Gives out none that a power cut may have taken out of the file after they were sent. */
  skipLostOrderIds(): void {
    this.skipOrderIds(this.#findLastOrderId() + MAX_AHEAD);
  }

  /** Whether the next one that is given out is not the one after the last in the file. */
  get hasGap(): boolean {
    return (this.#lastOrderId ?? 0) > this.#findLastOrderId();
  }

  /** Gives out none up to this one. */
  skipOrderIds(to: number): void {
    this.#lastOrderId = Math.max(to, this.#lastOrderId ?? 0);
  }

  has(orderId: number): boolean {
    const row = this.#connection.get('SELECT 1 FROM attempts WHERE order_id = :orderId', {
      orderId,
    });
    return row !== undefined;
  }

  /** Stores the session of an attempt; says whether it is still the one that may be shown. */
  expose(orderId: number, sessionId: string): boolean {
    const exposed = this.#connection.run(
      `UPDATE attempts SET status = 'exposed', session_id = :sessionId
       WHERE order_id = :orderId AND status = 'sending'`,
      { orderId, sessionId },
    );
    if (exposed === 1) return true;
    const kept = this.#connection.run(
      'UPDATE attempts SET session_id = :sessionId WHERE order_id = :orderId',
      { orderId, sessionId },
    );
    if (kept === 0) throw new Error('no such attempt');
    return false;
  }

  /** The session that is being asked for will be shown to nobody: money of its order may be moving. */
  supersedeSending(merchant: string, order: string): void {
    this.#connection.run(
      `UPDATE attempts SET status = 'superseded', is_live = NULL
       WHERE merchant = :merchant AND order_name = :order AND is_live = 1 AND status = 'sending'`,
      { merchant, order },
    );
  }

  /** When a payment was sent off in its session; undefined when it was declined. */
  setSubmitted(orderId: number, at: number | undefined): void {
    this.#connection.run(
      `UPDATE attempts SET submitted_at = :at
       WHERE order_id = :orderId AND submitted_at IS NOT :at`,
      { orderId, at: at ?? null },
    );
  }

  /** It has ended, or gave way. */
  end(orderId: number, status: Exclude<AttemptStatus, 'sending' | 'exposed'>): void {
    this.#connection.run(
      `UPDATE attempts SET status = :status, is_live = NULL,
         next_look_at = CASE WHEN :isWatched = 1 THEN next_look_at END
       WHERE order_id = :orderId`,
      {
        orderId,
        status,
        // No session exists that could be paid.
        isWatched: status === 'refused' || status === 'not_sent' ? 0 : 1,
      },
    );
  }

  /**
   * The sender of every attempt that is still `sending` is dead: this process has just started. Each
   * of them is watched, so that it is found without going through all of history.
   */
  endAllSending(): void {
    this.#connection.run(
      `UPDATE attempts INDEXED BY attempts_next_look SET status = 'unknown', is_live = NULL
       WHERE status = 'sending' AND next_look_at IS NOT NULL`,
    );
  }

  /** Plans the next look at an attempt for now; its watch and its pauses begin anew. */
  pollSoon(orderId: number, now: number): void {
    this.#connection.run(
      `UPDATE attempts SET next_look_at = :now, looks = 0, watched_from = :now
       WHERE order_id = :orderId`,
      { orderId, now },
    );
  }

  /** Its session is shown again, and may be paid from now on: its watch begins anew, once an hour. */
  watchAgain(orderId: number, now: number): void {
    this.#connection.run(
      `UPDATE attempts SET next_look_at = :at, looks = 0, watched_from = :now
       WHERE order_id = :orderId
         AND (next_look_at IS NULL OR coalesce(watched_from, created_at) <= :since)`,
      { orderId, now, at: now + FIRST_POLL_SECONDS * 1000, since: now - HOUR_MS },
    );
  }

  /** It has just been paid: the watch for refunds begins, at long pauses. */
  watchForRefunds(orderId: number, now: number): void {
    this.#connection.run(
      `UPDATE attempts SET next_look_at = coalesce(next_look_at, :at), watched_from = :now
       WHERE order_id = :orderId`,
      { orderId, now, at: now + MAX_POLL_PAUSE_SECONDS * 1000 },
    );
  }

  /**
   * Takes the attempts that are due for a look, and plans the next look of each, later and later. The
   * first look after the end of a watch is its last.
   */
  claimDuePolls(now: number, limit: number, isPaid: (checkout: string) => boolean): DuePoll[] {
    const rows = this.#connection.all(
      'SELECT * FROM attempts WHERE next_look_at <= :now ORDER BY next_look_at LIMIT :limit',
      { now, limit },
    );
    return rows.map((row) => {
      const attempt = toAttempt(row);
      const looks = Number(row['looks']) + 1;
      const pause = Math.min(FIRST_POLL_SECONDS * 2 ** looks, MAX_POLL_PAUSE_SECONDS);
      const next = now + pause * 1000;
      const watchSeconds = isPaid(attempt.checkout)
        ? this.#rules.refundWatchSeconds
        : this.#rules.watchSeconds;
      const watchedFrom = Number(row['watched_from'] ?? attempt.createdAt);
      const isOver = now > watchedFrom + watchSeconds * 1000;
      this.#connection.run(
        'UPDATE attempts SET looks = :looks, next_look_at = :next WHERE order_id = :orderId',
        { orderId: attempt.orderId, looks, next: isOver ? null : next },
      );
      const { orderId, checkout, merchant, providerMerchantId, createdAt } = attempt;
      return { orderId, checkout, merchant, providerMerchantId, createdAt, looks };
    });
  }

  /**
   * No attempt is ever deleted, so the largest `order_id` is the one that was given out last, but for
   * those that a backup has lost; it is polled for once, since only the process that holds the file
   * makes attempts.
   */
  #allocateOrderId(now: number): number {
    const next = this.peekOrderId(now);
    if (next <= this.#rules.maxOrderId) return (this.#lastOrderId = next);
    throw new OrderIdsExhaustedError('no order_id is left below the configured maximum');
  }

  #findLastOrderId(): number {
    const row = this.#connection.get(
      `SELECT max(coalesce((SELECT max(order_id) FROM attempts), 0),
         coalesce((SELECT value FROM counters WHERE name = :name), 0)) AS last`,
      { name: TO_ORDER_ID },
    );
    return Number(row?.['last'] ?? 0);
  }
}

function namedBy(references: readonly string[]): { orderIds: string; references: string } {
  return {
    orderIds: JSON.stringify(orderIdsIn(references)),
    references: JSON.stringify(references),
  };
}
