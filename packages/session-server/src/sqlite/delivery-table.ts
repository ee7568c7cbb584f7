import type { Attempt } from '../checkout/checkout-store.js';
import { hashToken } from '../random-id.js';
import type {
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryCounts,
  DeliveryFlag,
  IncomingDelivery,
} from '../webhooks/delivery-store.js';
import type { SqliteConnection, Value } from './sqlite-connection.js';

const TESTS_COUNTER = 'webhook_tests';

/** Deliveries of the provider, encrypted. Its writes run inside the caller's step. */
export class DeliveryTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * Stores it as it came: at the end of a table that has no index, since an index would make each
   * commit of deliveries write several times the pages.
   */
  insert(delivery: IncomingDelivery, orderId: number | undefined, now: number): void {
    this.#connection.insert('arrivals', {
      token_hash: delivery.tokenHash,
      digest: delivery.digest,
      order_id: orderId ?? null,
      sealed: delivery.sealed,
      received_at: now,
    });
  }

  claim(
    now: number,
    limit: number,
    leaseSeconds: number,
    attemptOf: (orderId: number) => Attempt,
  ): DeliveryClaim {
    const repeated = this.#fileArrivals(limit);
    const rows = this.#connection.all(
      'SELECT * FROM deliveries WHERE due_at <= :now ORDER BY due_at, id LIMIT :limit',
      { now, limit },
    );
    this.#connection.run(
      'UPDATE deliveries SET due_at = :until WHERE id IN (SELECT value FROM json_each(:ids))',
      { until: now + leaseSeconds * 1000, ids: JSON.stringify(rows.map((row) => row['id'])) },
    );
    const deliveries = rows.map((row) => {
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
    return { deliveries, repeated };
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
    const due = [
      'SELECT min(due_at) AS due FROM deliveries WHERE due_at IS NOT NULL',
      'SELECT received_at AS due FROM arrivals ORDER BY id LIMIT 1',
    ]
      .map((sql) => this.#connection.get(sql)?.['due'])
      .filter((at) => typeof at === 'number');
    return due.length === 0 ? undefined : Math.min(...due);
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
      this.#countRows('SELECT count(*) AS count FROM deliveries WHERE status = :name', {
        name: status,
      });
    const byFlag = (flag: DeliveryFlag): number =>
      this.#countRows(
        `SELECT count(*) AS count FROM deliveries
         WHERE EXISTS (SELECT 1 FROM json_each(flags) WHERE value = :name)`,
        { name: flag },
      );
    return {
      waiting: byStatus('waiting') + this.#countRows('SELECT count(*) AS count FROM arrivals'),
      parked: byStatus('parked'),
      processed: byStatus('processed'),
      flagged: {
        verified: byFlag('verified'),
        signature_refused: byFlag('signature_refused'),
        contradicts: byFlag('contradicts'),
        unreadable: byFlag('unreadable'),
      },
      tests: this.#countRows('SELECT value AS count FROM counters WHERE name = :name', {
        name: TESTS_COUNTER,
      }),
    };
  }

  #countRows(sql: string, values: Record<string, Value> = {}): number {
    return Number(this.#connection.get(sql, values)?.['count'] ?? 0);
  }

  /** Puts what arrived first among the deliveries; answers how many of it were there already. */
  #fileArrivals(limit: number): number {
    const last = this.#connection.get(
      'SELECT max(id) AS id FROM (SELECT id FROM arrivals ORDER BY id LIMIT :limit)',
      { limit },
    )?.['id'];
    if (typeof last !== 'number') return 0;
    const filed = this.#connection.run(
      `INSERT INTO deliveries
         (token_hash, digest, order_id, sealed, status, flags, due_at, received_at)
       SELECT token_hash, digest, order_id, sealed, 'waiting', '[]', received_at, received_at
       FROM arrivals WHERE id <= :last ORDER BY id
       ON CONFLICT DO NOTHING`,
      { last },
    );
    return this.#connection.run('DELETE FROM arrivals WHERE id <= :last', { last }) - filed;
  }

  /** Most often there are none: whoever gives us a token for each attempt parks nothing. */
  #hasReferences(): boolean {
    return this.#connection.get('SELECT 1 FROM parked_references LIMIT 1') !== undefined;
  }

  #forgetReferences(delivery: number): void {
    this.#connection.run('DELETE FROM parked_references WHERE delivery = :delivery', { delivery });
  }
}
