import type { OrderEventType } from '../checkout/checkout.js';
import type { OutboxEvent } from '../checkout/checkout-store.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Events waiting to be taken by a shop. Its writes run inside the caller's step. */
export class EventTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  claim(now: number, limit: number, leaseSeconds: number): OutboxEvent[] {
    const rows = this.#connection.all(
      'SELECT * FROM events WHERE due_at <= :now ORDER BY due_at, sequence LIMIT :limit',
      { now, limit },
    );
    return rows.map((row) => {
      const id = String(row['id']);
      this.#connection.run('UPDATE events SET due_at = :until WHERE id = :id', {
        id,
        until: now + leaseSeconds * 1000,
      });
      return {
        id,
        checkout: String(row['checkout']),
        merchant: String(row['merchant']),
        type: row['type'] as OrderEventType,
        body: String(row['body']),
        tries: Number(row['tries']),
      };
    });
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
       WHERE id = :id AND status = 'pending'`,
      { id, status: dueAt === undefined ? 'dead' : 'pending', dueAt: dueAt ?? null },
    );
  }

  nextDueAt(): number | undefined {
    const row = this.#connection.get(
      'SELECT min(due_at) AS due FROM events WHERE due_at IS NOT NULL',
    );
    const due = row?.['due'];
    return typeof due === 'number' ? due : undefined;
  }
}
