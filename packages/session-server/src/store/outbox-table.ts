import type { EventType } from '../checkouts/state-machine.js';
import {
  type DeadLetter,
  type DeadLetterFilter,
  type EventClaim,
  isRetrying,
  type OutboxEvent,
  type RedeliverFilter,
} from '../outbox/repository.js';
import type { SqliteConnection } from './sqlite-connection.js';
import type { Row } from './rows.js';

/** Which rows a filter means; a filter that names nothing means all. */
const MEANT_ROWS = `(:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
  AND (:merchant IS NULL OR merchant = :merchant)`;
const DEAD_ROWS = `status = 'dead' AND ${MEANT_ROWS}`;

/** What is due of a merchant, and not behind another event of its checkout. */
const SENDABLE = `merchant = :merchant AND due_at <= :now
  AND NOT EXISTS (
    SELECT 1 FROM events AS other
    WHERE other.checkout = event.checkout AND other.id <> event.id
      AND (other.status = 'sending' AND other.due_at > :now
        OR other.due_at <= :now AND other.sequence < event.sequence))`;

/** How many events of a merchant are polled through for one that was never sent. */
const NEWS_WITHIN = 100;

/**
 * Events waiting to be taken by a shop. Its writes run inside the caller's step.
 *
 * `pending` → `sending` (under a lease that `due_at` ends) → `delivered`, or `pending` again, or
 * `dead`. The columns of a merchant are read by index, so that a shop with a long backlog costs the
 * others nothing.
 */
export class OutboxTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  claim(now: number, claim: EventClaim): OutboxEvent[] {
    const until = now + claim.leaseSeconds * 1000;
    let doubtfulLeft = claim.doubtfulLimit ?? claim.limit;
    const hasRoom = (event: OutboxEvent): boolean =>
      !isRetrying(event, claim.answeringMerchants) || doubtfulLeft-- > 0;
    return this.#merchantsWithEvents()
      .flatMap((merchant) => this.#turnsOf(merchant, now, claim))
      .toSorted((one, other) => one.turn - other.turn || one.dueAt - other.dueAt)
      .map(({ row }) => toOutboxEvent(row))
      .filter(hasRoom)
      .slice(0, claim.limit)
      .map((event) => {
        this.#connection.run(
          "UPDATE events SET status = 'sending', due_at = :until WHERE id = :id",
          { id: event.id, until },
        );
        return event;
      });
  }

  /** The sender of every event that is still `sending` is dead: each is due again at once. */
  releaseAllSending(now: number): void {
    this.#connection.run(
      "UPDATE events SET status = 'pending', due_at = :now WHERE status = 'sending'",
      { now },
    );
  }

  markDelivered(id: string): void {
    this.#connection.run(
      "UPDATE events SET status = 'delivered', tries = tries + 1, due_at = NULL WHERE id = :id",
      { id },
    );
  }

  /** Due again at a time, or dead when there is none; what was delivered stays delivered. */
  markFailed(id: string, dueAt: number | undefined): void {
    this.#connection.run(
      `UPDATE events SET status = :status, tries = tries + 1, due_at = :dueAt
       WHERE id = :id AND status IN ('pending', 'sending')`,
      { id, status: dueAt === undefined ? 'dead' : 'pending', dueAt: dueAt ?? null },
    );
  }

  /** Events that are due already wait for a sender to be free, not for a time. */
  nextDueAt(now: number): number | undefined {
    const row = this.#connection.get('SELECT min(due_at) AS due FROM events WHERE due_at > :now', {
      now,
    });
    const due = row?.['due'];
    return typeof due === 'number' ? due : undefined;
  }

  findDead(filter: DeadLetterFilter, limit: number): DeadLetter[] {
    return this.#connection
      .all(
        `SELECT events.*, checkouts.order_name FROM events
         JOIN checkouts ON checkouts.id = events.checkout
         WHERE events.id IN (SELECT id FROM events WHERE ${DEAD_ROWS})
         ORDER BY events.created_at, events.sequence LIMIT :limit`,
        { ...valuesOf(filter), limit },
      )
      .map((row) => ({
        id: String(row['id']),
        merchant: String(row['merchant']),
        order: String(row['order_name']),
        checkout: String(row['checkout']),
        type: row['type'] as EventType,
        sequence: Number(row['sequence']),
        createdAt: Number(row['created_at']),
      }));
  }

  redrive(filter: RedeliverFilter, now: number): number {
    const revived = this.#connection.run(
      `UPDATE events SET status = 'pending', tries = 0, due_at = :now WHERE ${DEAD_ROWS}`,
      { ...valuesOf(filter), now },
    );
    return revived + (filter.waiting === true ? this.#hurry(filter, now) : 0);
  }

  /** Those that are being sent are left alone. */
  #hurry(filter: DeadLetterFilter, now: number): number {
    return this.#connection.run(
      `UPDATE events SET tries = 0, due_at = :now
       WHERE due_at > :now AND status = 'pending' AND ${MEANT_ROWS}`,
      { ...valuesOf(filter), now },
    );
  }

  /** Hops from merchant to merchant along the index, however many events each has. */
  #merchantsWithEvents(): string[] {
    return this.#connection
      .all(
        `WITH RECURSIVE waiting (merchant) AS (
           SELECT min(merchant) FROM events WHERE due_at IS NOT NULL
           UNION ALL
           SELECT (SELECT min(merchant) FROM events
                   WHERE due_at IS NOT NULL AND merchant > waiting.merchant)
           FROM waiting WHERE waiting.merchant IS NOT NULL
         )
         SELECT merchant FROM waiting WHERE merchant IS NOT NULL`,
      )
      .map((row) => String(row['merchant']));
  }

  /** What a merchant may have sent now, with how many of its events go before each. */
  #turnsOf(
    merchant: string,
    now: number,
    { perMerchant, answeringMerchants }: EventClaim,
  ): { readonly row: Row; readonly turn: number; readonly dueAt: number }[] {
    const underWay = this.#countUnderWay(merchant, now);
    const most = answeringMerchants?.has(merchant) === false ? 1 : perMerchant;
    if (underWay >= most) return [];
    const news = this.#newestUntried(merchant, now);
    const oldest = this.#oldestDue(merchant, now, Math.max(1, most - 1) - underWay);
    const rows = most === 1 && news ? [news] : withRow(oldest, news);
    return rows.map((row, index) => ({
      row,
      turn: underWay + index,
      dueAt: Number(row['due_at']),
    }));
  }
  #oldestDue(merchant: string, now: number, limit: number): Row[] {
    return this.#connection.all(
      `SELECT * FROM events AS event WHERE ${SENDABLE} ORDER BY due_at, sequence LIMIT :limit`,
      { merchant, now, limit },
    );
  }

  /** Looked for where it must be: what was not sent yet has fallen due later than most of the rest. */
  #newestUntried(merchant: string, now: number): Row | undefined {
    return this.#connection.get(
      `SELECT * FROM (
         SELECT * FROM events AS event WHERE ${SENDABLE}
         ORDER BY due_at DESC, sequence DESC LIMIT ${String(NEWS_WITHIN)}
       ) WHERE tries = 0 LIMIT 1`,
      { merchant, now },
    );
  }

  #countUnderWay(merchant: string, now: number): number {
    const row = this.#connection.get(
      `SELECT count(*) AS count FROM events INDEXED BY events_sending
       WHERE merchant = :merchant AND status = 'sending' AND due_at > :now`,
      { merchant, now },
    );
    return Number(row?.['count'] ?? 0);
  }
}

function withRow(rows: Row[], more: Row | undefined): Row[] {
  return more === undefined || rows.some(({ id }) => id === more['id']) ? rows : [...rows, more];
}

function toOutboxEvent(row: Row): OutboxEvent {
  return {
    id: String(row['id']),
    checkout: String(row['checkout']),
    merchant: String(row['merchant']),
    type: row['type'] as EventType,
    body: String(row['body']),
    tries: Number(row['tries']),
  };
}

function valuesOf({ ids, merchant }: DeadLetterFilter): Record<string, string | null> {
  return {
    ids: ids === undefined ? null : JSON.stringify(ids),
    merchant: merchant ?? null,
  };
}
