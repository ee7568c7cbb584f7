import type { StoreRules } from '../checkouts/repository.js';
import {
  type AttentionEntry,
  type AttentionFilter,
  MAX_COUNTED,
  type UnmatchedWebhook,
  type StoreReport,
} from '../operator/operator-store.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { toCheckout } from './rows.js';

/** What operators ask of the file. Each query follows an index of what waits, and stops early. */
export class ReportQueries {
  readonly #connection: SqliteConnection;
  readonly #rules: StoreRules;

  constructor(connection: SqliteConnection, rules: StoreRules) {
    this.#connection = connection;
    this.#rules = rules;
  }

  report(): StoreReport {
    const attempts = this.#summarise(
      `SELECT next_look_at AS at FROM attempts INDEXED BY attempts_next_look
       WHERE next_look_at IS NOT NULL ORDER BY next_look_at`,
    );
    const returns = this.#summarise(
      `SELECT CASE state WHEN 'returned' THEN settle_by END AS at
       FROM checkouts INDEXED BY checkouts_due WHERE due_at IS NOT NULL ORDER BY due_at`,
    );
    const deliveries = this.#summarise(
      `SELECT at FROM (
         SELECT received_at AS at FROM deliveries INDEXED BY deliveries_due
         WHERE due_at IS NOT NULL ORDER BY due_at LIMIT :most)
       UNION ALL SELECT received_at FROM arrivals`,
    );
    const parked = this.#summarise(
      `SELECT received_at AS at FROM deliveries INDEXED BY deliveries_parked_since
       WHERE status = 'parked'`,
    );
    const events = this.#summarise(
      `SELECT created_at AS at FROM events INDEXED BY events_due
       WHERE due_at IS NOT NULL ORDER BY due_at`,
    );
    const dead = this.#summarise(
      `SELECT created_at AS at FROM events INDEXED BY events_dead WHERE status = 'dead'`,
    );
    const settleWindowMs = this.#rules.settleWindowSeconds * 1000;
    return {
      watchedAttempts: attempts.count,
      nextLookAt: attempts.oldest,
      oldestReturnAt: returns.oldest === undefined ? undefined : returns.oldest - settleWindowMs,
      waitingDeliveries: deliveries.count,
      oldestDeliveryAt: deliveries.oldest,
      parkedDeliveries: parked.count,
      waitingEvents: events.count,
      oldestEventAt: events.oldest,
      deadEvents: dead.count,
      lastOrderId: this.#lastOrderId(),
    };
  }

  findAttention({ merchant, since }: AttentionFilter, limit: number): AttentionEntry[] {
    return this.#connection
      .all(
        `SELECT * FROM checkouts INDEXED BY checkouts_attention
         WHERE attention <> '[]' AND created_at >= :since
           AND (:merchant IS NULL OR merchant = :merchant)
         ORDER BY created_at DESC LIMIT :limit`,
        { merchant: merchant ?? null, since, limit },
      )
      .map(toCheckout)
      .map(({ merchant, order, id: checkout, state, attention, createdAt }) => ({
        merchant,
        order,
        checkout,
        state,
        attention,
        createdAt,
      }));
  }

  findUnmatchedWebhooks(limit: number): UnmatchedWebhook[] {
    return this.#connection
      .all(
        `SELECT id, token_hash, received_at FROM deliveries INDEXED BY deliveries_parked_since
         WHERE status = 'parked' ORDER BY received_at, id LIMIT :limit`,
        { limit },
      )
      .map((row) => ({
        id: Number(row['id']),
        tokenHash: String(row['token_hash']),
        receivedAt: Number(row['received_at']),
      }));
  }

  /** How many rows a query has, up to the most that is counted, and the smallest `at` of them. */
  #summarise(sql: string): { readonly count: number; readonly oldest: number | undefined } {
    const row = this.#connection.get(
      `SELECT count(*) AS count, min(at) AS oldest FROM (${sql} LIMIT :most)`,
      { most: MAX_COUNTED },
    );
    const oldest = row?.['oldest'];
    return {
      count: Number(row?.['count'] ?? 0),
      oldest: typeof oldest === 'number' ? oldest : undefined,
    };
  }

  #lastOrderId(): number {
    const row = this.#connection.get('SELECT max(order_id) AS value FROM attempts');
    return Number(row?.['value'] ?? 0);
  }
}
