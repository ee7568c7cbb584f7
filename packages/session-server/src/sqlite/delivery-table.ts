import type { Attempt } from '../checkout/checkout-store.js';
import { hashToken } from '../random-id.js';
import type {
  ClaimedDelivery,
  DeliveryCounts,
  DeliveryFlag,
  DeliveryReceipt,
  IncomingDelivery,
} from '../webhooks/delivery-store.js';
import type { SqliteConnection } from './sqlite-connection.js';

const TESTS_COUNTER = 'webhook_tests';

/** Deliveries of the provider, encrypted. Its writes run inside the caller's step. */
export class DeliveryTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  insert(delivery: IncomingDelivery, orderId: number | undefined, now: number): DeliveryReceipt {
    const isNew = this.#connection.insertIfNew('deliveries', {
      token_hash: delivery.tokenHash,
      digest: delivery.digest,
      order_id: orderId ?? null,
      sealed: delivery.sealed,
      status: 'waiting',
      flags: '[]',
      due_at: now,
      received_at: now,
    });
    return isNew ? 'stored' : 'repeated';
  }

  claim(
    now: number,
    limit: number,
    leaseSeconds: number,
    attemptOf: (orderId: number) => Attempt,
  ): ClaimedDelivery[] {
    const rows = this.#connection.all(
      'SELECT * FROM deliveries WHERE due_at <= :now ORDER BY due_at, id LIMIT :limit',
      { now, limit },
    );
    this.#connection.run(
      'UPDATE deliveries SET due_at = :until WHERE id IN (SELECT value FROM json_each(:ids))',
      { until: now + leaseSeconds * 1000, ids: JSON.stringify(rows.map((row) => row['id'])) },
    );
    return rows.map((row) => {
      const orderId = row['order_id'];
      return {
        id: Number(row['id']),
        tokenHash: String(row['token_hash']),
        digest: String(row['digest']),
        sealed: row['sealed'] as Uint8Array,
        attempt: typeof orderId === 'number' ? attemptOf(orderId) : undefined,
        receivedAt: Number(row['received_at']),
        claimedAt: now,
      };
    });
  }

  /** Whoever worked on a delivery that is still waiting is dead: each is due again at once. */
  releaseAllClaimed(now: number): void {
    this.#connection.run('UPDATE deliveries SET due_at = :now WHERE due_at > :now', { now });
  }

  /** False when it was processed before, or is not there any more. */
  markProcessed(id: number, flags: readonly DeliveryFlag[]): boolean {
    if (this.#hasReferences()) this.#forgetReferences(id);
    const changed = this.#connection.run(
      `UPDATE deliveries SET status = 'processed', flags = :flags, due_at = NULL
       WHERE id = :id AND status <> 'processed'`,
      { id, flags: JSON.stringify(flags) },
    );
    return changed === 1;
  }

  /** @param isNew an attempt appeared while it was worked on, which has not been looked at */
  park(
    { id, claimedAt }: Pick<ClaimedDelivery, 'id' | 'claimedAt'>,
    references: readonly string[],
    { most, isNew }: { readonly most: number; readonly isNew: boolean },
  ): void {
    const row = this.#connection.get(
      `UPDATE deliveries SET status = :status, due_at = :dueAt
       WHERE id = :id AND status <> 'processed' RETURNING token_hash`,
      { id, status: isNew ? 'waiting' : 'parked', dueAt: isNew ? claimedAt : null },
    );
    if (!row) return;
    this.#forgetReferences(id);
    for (const reference of new Set(references)) {
      this.#connection.insert('parked_references', {
        reference: hashToken(reference),
        delivery: id,
      });
    }
    this.#connection.run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries WHERE token_hash = :tokenHash AND status = 'parked'
         ORDER BY received_at DESC, id DESC LIMIT -1 OFFSET :most)`,
      { tokenHash: String(row['token_hash']), most },
    );
  }

  /** Lets the parked deliveries that name an attempt be looked at again. */
  unparkFor(attempt: Pick<Attempt, 'orderId' | 'merchantReference'>, now: number): void {
    if (!this.#hasReferences()) return;
    this.#connection.run(
      `UPDATE deliveries SET status = 'waiting', due_at = :now
       WHERE status = 'parked' AND id IN (
         SELECT delivery FROM parked_references WHERE reference IN (:orderId, :merchantReference))`,
      {
        now,
        orderId: hashToken(String(attempt.orderId)),
        merchantReference: hashToken(attempt.merchantReference),
      },
    );
  }

  unparkAll(now: number): void {
    this.#connection.run(
      "UPDATE deliveries SET status = 'waiting', due_at = :now WHERE status = 'parked'",
      { now },
    );
  }

  nextDueAt(): number | undefined {
    const row = this.#connection.get(
      'SELECT min(due_at) AS due FROM deliveries WHERE due_at IS NOT NULL',
    );
    const due = row?.['due'];
    return typeof due === 'number' ? due : undefined;
  }

  erase(receivedBefore: number, parkedBefore: number, limit: number): number {
    const old = this.#connection.run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries WHERE received_at < :receivedBefore
         ORDER BY received_at LIMIT :limit)`,
      { receivedBefore, limit },
    );
    const parked = this.#connection.run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries INDEXED BY deliveries_parked_since
         WHERE status = 'parked' AND received_at < :parkedBefore
         ORDER BY received_at LIMIT :limit)`,
      { parkedBefore, limit },
    );
    return old + parked;
  }

  countTest(): void {
    this.#connection.run(
      `INSERT INTO counters (name, value) VALUES (:name, 1)
       ON CONFLICT (name) DO UPDATE SET value = value + 1`,
      { name: TESTS_COUNTER },
    );
  }

  count(): DeliveryCounts {
    const byStatus = (status: string): number =>
      this.#countWhere('SELECT count(*) AS count FROM deliveries WHERE status = :name', status);
    const byFlag = (flag: DeliveryFlag): number =>
      this.#countWhere(
        `SELECT count(*) AS count FROM deliveries
         WHERE EXISTS (SELECT 1 FROM json_each(flags) WHERE value = :name)`,
        flag,
      );
    return {
      waiting: byStatus('waiting'),
      parked: byStatus('parked'),
      processed: byStatus('processed'),
      flagged: {
        verified: byFlag('verified'),
        signature_refused: byFlag('signature_refused'),
        contradicts: byFlag('contradicts'),
        unreadable: byFlag('unreadable'),
      },
      tests: this.#countWhere(
        'SELECT value AS count FROM counters WHERE name = :name',
        TESTS_COUNTER,
      ),
    };
  }

  #countWhere(sql: string, name: string): number {
    return Number(this.#connection.get(sql, { name })?.['count'] ?? 0);
  }

  /** Most often there are none: whoever gives us a token for each attempt parks nothing. */
  #hasReferences(): boolean {
    return this.#connection.get('SELECT 1 FROM parked_references LIMIT 1') !== undefined;
  }

  #forgetReferences(delivery: number): void {
    this.#connection.run('DELETE FROM parked_references WHERE delivery = :delivery', { delivery });
  }
}
