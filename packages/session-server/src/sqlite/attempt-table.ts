import type {
  Attempt,
  AttemptStatus,
  AttemptTokens,
  DueLook,
  OpeningRequest,
  StoreRules,
} from '../checkout/checkout-store.js';
import { hashToken, randomId } from '../random-id.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { toAttempt } from './sqlite-rows.js';

/** 2025-01-01T00:00:00Z: `order_id` starts at the seconds since then, and only grows. */
const EPOCH_SECONDS = 1_735_689_600;
/** The pause before the first look that nobody asked for; it doubles up to the longest pause. */
const FIRST_LOOK_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 6 * 3600;
const HOUR_MS = 3_600_000;

/** Thrown when no `order_id` is left below the configured maximum. */
export class OrderIdsExhaustedError extends Error {
  override readonly name = 'OrderIdsExhaustedError';
}

/** Attempts and their return tokens. Its writes run inside the caller's step. */
export class AttemptTable {
  readonly #connection: SqliteConnection;
  readonly #rules: StoreRules;

  constructor(connection: SqliteConnection, rules: StoreRules) {
    this.#connection = connection;
    this.#rules = rules;
  }

  get(orderId: number): Attempt & { readonly leaseUntil: number } {
    const row = this.#connection.get('SELECT * FROM attempts WHERE order_id = :orderId', {
      orderId,
    });
    if (!row) throw new Error('no such attempt');
    return toAttempt(row);
  }

  findOfCheckout(checkout: string): Attempt[] {
    return this.#connection
      .all('SELECT * FROM attempts WHERE checkout = :checkout ORDER BY order_id', { checkout })
      .map(toAttempt);
  }

  findLive(
    merchant: string,
    order: string,
  ): (Attempt & { readonly leaseUntil: number }) | undefined {
    const row = this.#connection.get(
      `SELECT * FROM attempts WHERE merchant = :merchant AND order_name = :order
         AND status IN ('sending', 'exposed')`,
      { merchant, order },
    );
    return row && toAttempt(row);
  }

  findByReferences(providerMerchantId: number, references: readonly string[]): Attempt[] {
    return this.#connection
      .all(
        `SELECT * FROM attempts
         WHERE order_id IN (SELECT CAST(value AS INTEGER) FROM json_each(:orderIds))
            OR merchant_reference IN (SELECT value FROM json_each(:references))`,
        {
          orderIds: JSON.stringify(references.filter((text) => /^\d{1,15}$/.test(text))),
          references: JSON.stringify(references),
        },
      )
      .map(toAttempt)
      .filter((attempt) => attempt.providerMerchantId === providerMerchantId);
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

  /** A new attempt with an `order_id`, a reference and four tokens of its own, ready to be sent. */
  insertSending(
    request: OpeningRequest,
    checkout: string,
    isRenewal: boolean,
    now: number,
  ): { attempt: Attempt; tokens: AttemptTokens } {
    const orderId = this.#allocateOrderId(now);
    this.#connection.insert('attempts', {
      order_id: orderId,
      merchant_reference: `${request.order}.${String(orderId)}`,
      checkout,
      merchant: request.merchant,
      order_name: request.order,
      provider_merchant_id: request.providerMerchantId,
      status: 'sending',
      session_id: null,
      is_renewal: isRenewal ? 1 : 0,
      lease_until: now + this.#rules.sendLeaseSeconds * 1000,
      created_at: now,
      next_look_at: now + FIRST_LOOK_SECONDS * 1000,
      looks: 0,
    });
    const tokens: AttemptTokens = {
      return: randomId(),
      cancel: randomId(),
      back: randomId(),
      webhook: randomId(),
    };
    for (const [kind, token] of Object.entries(tokens) as [string, string][]) {
      this.#connection.insert('tokens', { hash: hashToken(token), order_id: orderId, kind });
    }
    return { attempt: this.get(orderId), tokens };
  }

  setStatus(orderId: number, status: AttemptStatus, sessionId?: string): void {
    this.#connection.run(
      `UPDATE attempts SET status = :status, session_id = coalesce(:sessionId, session_id),
         next_look_at = CASE WHEN :isWatched = 1 THEN next_look_at END
       WHERE order_id = :orderId`,
      {
        orderId,
        status,
        sessionId: sessionId ?? null,
        // No session exists that could be paid.
        isWatched: status === 'refused' || status === 'not_sent' ? 0 : 1,
      },
    );
  }

  /** The sender of every attempt that is still `sending` is dead: this process has just started. */
  endAllSending(): void {
    this.#connection.run("UPDATE attempts SET status = 'unknown' WHERE status = 'sending'");
  }

  findToken(hash: string): { kind: string; attempt: Attempt } | undefined {
    const row = this.#connection.get('SELECT kind, order_id FROM tokens WHERE hash = :hash', {
      hash,
    });
    return row && { kind: String(row['kind']), attempt: this.get(Number(row['order_id'])) };
  }

  /** Plans the next look at an attempt for now, also after its watch has ended; pauses begin anew. */
  lookSoon(orderId: number, now: number): void {
    this.#connection.run(
      'UPDATE attempts SET next_look_at = :now, looks = 0 WHERE order_id = :orderId',
      { orderId, now },
    );
  }

  /** Takes the attempts that are due for a look, and plans the next look of each, later and later. */
  claimDueLooks(now: number, limit: number, isPaid: (checkout: string) => boolean): DueLook[] {
    const rows = this.#connection.all(
      'SELECT * FROM attempts WHERE next_look_at <= :now ORDER BY next_look_at LIMIT :limit',
      { now, limit },
    );
    return rows.map((row) => {
      const attempt = toAttempt(row);
      const looks = Number(row['looks']) + 1;
      const pause = Math.min(FIRST_LOOK_SECONDS * 2 ** looks, LONGEST_PAUSE_SECONDS);
      const next = now + pause * 1000;
      const watchSeconds = isPaid(attempt.checkout)
        ? this.#rules.refundWatchSeconds
        : this.#rules.watchSeconds;
      const isOver = next > attempt.createdAt + watchSeconds * 1000;
      this.#connection.run(
        'UPDATE attempts SET looks = :looks, next_look_at = :next WHERE order_id = :orderId',
        { orderId: attempt.orderId, looks, next: isOver ? null : next },
      );
      const { orderId, checkout, merchant, createdAt } = attempt;
      return { orderId, checkout, merchant, createdAt, looks };
    });
  }

  #allocateOrderId(now: number): number {
    const row = this.#connection.get("SELECT value FROM counters WHERE name = 'order_id'");
    const last = Number(row?.['value'] ?? 0);
    const next = Math.max(last + 1, Math.floor(now / 1000) - EPOCH_SECONDS);
    if (next > this.#rules.maxOrderId) {
      throw new OrderIdsExhaustedError('no order_id is left below the configured maximum');
    }
    this.#connection.run(
      `INSERT INTO counters (name, value) VALUES ('order_id', :next)
       ON CONFLICT (name) DO UPDATE SET value = :next`,
      { next },
    );
    return next;
  }
}
