import type { Attempt } from '../checkouts/repository.js';
import {
  type ClaimedWebhook,
  type WebhookCounts,
  type WebhookFlag,
  type WebhookOutcome,
  type IncomingWebhook,
  type CompletedWebhook,
  weigh,
} from '../webhooks/repository.js';
import { KeptBytes } from './kept-bytes.js';
import type { Row } from './rows.js';
import type { Value } from './named-statement.js';
import type { SqliteConnection } from './sqlite-connection.js';

const TESTS_COUNTER = 'webhook_tests';
/**
 * Stands in the column `digest` of a repetition, between the digest and some random text: the index
 * lets each text in once. No digest has it.
 */
const REPETITION = '.';

/** Deliveries of the provider, encrypted. Its writes run inside the caller's step. */
export class WebhookTable {
  readonly #connection: SqliteConnection;
  readonly #hashReference: (reference: string) => string;
  /** What is kept for the address of each attempt. */
  readonly kept: KeptBytes;

  /** @param hashReference what is stored in the place of a name that a delivery speaks of */
  constructor(connection: SqliteConnection, hashReference: (reference: string) => string) {
    this.#connection = connection;
    this.#hashReference = hashReference;
    this.kept = new KeptBytes((orderId) => this.#sumKept(orderId));
  }

  /**
   * Stores it as it came: at the end of a table that has no index, since an index would make each
   * commit of deliveries write several times the pages.
   */
  insert(delivery: IncomingWebhook, orderId: number | undefined, now: number): void {
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
  ): ClaimedWebhook[] {
    this.#fileArrivals(limit);
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
        digest: digestOf(row),
        sealed: row['sealed'] as Uint8Array,
        attempt: typeof orderId === 'number' ? attemptOf(orderId) : undefined,
        receivedAt: Number(row['received_at']),
        claimedAt: now,
      };
    });
  }

  /**
   * Whoever worked on a delivery that is still waiting is dead: each is due again at once. What it
   * left unfiled is filed, so that it is found when what is kept is summed up.
   */
  releaseAllClaimed(now: number): void {
    this.#connection.run('UPDATE deliveries SET due_at = :now WHERE due_at > :now', { now });
    this.#fileArrivals(-1);
  }

  /** Marks a delivery processed, in the place of those that count for less, or drops a repetition. */
  settle(
    id: number,
    { flags, otherDigests = [] }: Pick<WebhookOutcome, 'flags' | 'otherDigests'>,
  ): CompletedWebhook['became'] {
    const row = this.#connection.get(
      `SELECT id, coalesce(order_id, token_hash) AS receiver, digest FROM deliveries
       WHERE id = :id AND status <> 'processed'`,
      { id },
    );
    if (!row) return 'gone';
    if (this.#hasReferences()) this.#forgetReferences(id);
    const twins = [digestOf(row), ...otherDigests].flatMap((digest) =>
      this.#findProcessed(row['receiver'] as string | number, digest),
    );
    if (twins.some((twin) => weigh(twin.flags) >= weigh(flags))) {
      this.#drop(id);
      return 'repeated';
    }
    for (const twin of twins) this.#drop(twin.id);
    this.#connection.run(
      "UPDATE deliveries SET status = 'processed', flags = :flags, due_at = NULL WHERE id = :id",
      { id, flags: JSON.stringify(flags) },
    );
    return 'processed';
  }

  /** @param isNew an attempt appeared while it was worked on, which has not been polled at */
  park(
    { id, claimedAt }: Pick<ClaimedWebhook, 'id' | 'claimedAt'>,
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
        reference: this.#hashReference(reference),
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

  /** Lets the parked deliveries that name an attempt be polled at again. */
  unparkFor(attempt: Pick<Attempt, 'orderId' | 'merchantReference'>, now: number): void {
    if (!this.#hasReferences()) return;
    this.#connection.run(
      `UPDATE deliveries SET status = 'waiting', due_at = :now
       WHERE status = 'parked' AND id IN (
         SELECT delivery FROM parked_references WHERE reference IN (:orderId, :merchantReference))`,
      {
        now,
        orderId: this.#hashReference(String(attempt.orderId)),
        merchantReference: this.#hashReference(attempt.merchantReference),
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
    const old = this.#connection.all(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries WHERE received_at < :receivedBefore
         ORDER BY received_at LIMIT :limit)
       RETURNING order_id, length(sealed) AS bytes`,
      { receivedBefore, limit },
    );
    this.#makeRoom(old);
    const parked = this.#connection.run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries INDEXED BY deliveries_parked_since
         WHERE status = 'parked' AND received_at < :parkedBefore
         ORDER BY received_at LIMIT :limit)`,
      { parkedBefore, limit },
    );
    return old.length + parked;
  }

  countTest(): void {
    this.#connection.run(
      `INSERT INTO counters (name, value) VALUES (:name, 1)
       ON CONFLICT (name) DO UPDATE SET value = value + 1`,
      { name: TESTS_COUNTER },
    );
  }

  count(): WebhookCounts {
    const byStatus = (status: string): number =>
      this.#countRows('SELECT count(*) AS count FROM deliveries WHERE status = :name', {
        name: status,
      });
    const byFlag = (flag: WebhookFlag): number =>
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

  /** Puts what arrived first among the deliveries; of what is there already, one more each. */
  #fileArrivals(limit: number): void {
    const arrived = this.#connection.get(
      `SELECT max(id) AS last, count(*) AS count
       FROM (SELECT id FROM arrivals ORDER BY id LIMIT :limit)`,
      { limit },
    );
    const last = arrived?.['last'];
    if (typeof last !== 'number') return;
    // Each gets an id that says which arrival it was: so the ones that were let in are known.
    const before = this.#connection.get('SELECT max(id) AS id FROM deliveries')?.['id'] ?? 0;
    const filed = this.#connection.run(
      `INSERT INTO deliveries
         (id, token_hash, digest, order_id, sealed, status, flags, due_at, received_at)
       SELECT :before + id, token_hash, digest, order_id, sealed, 'waiting', '[]', received_at,
         received_at
       FROM arrivals WHERE id <= :last ORDER BY id
       ON CONFLICT DO NOTHING`,
      { before: Number(before), last },
    );
    if (filed < Number(arrived?.['count'])) this.#fileRepetitions(Number(before), last);
    this.#connection.run('DELETE FROM arrivals WHERE id <= :last', { last });
  }

  #fileRepetitions(before: number, last: number): void {
    this.#connection.run(
      `INSERT INTO deliveries
         (id, token_hash, digest, order_id, sealed, status, flags, due_at, received_at)
       SELECT :before + id, token_hash, digest || '${REPETITION}' || lower(hex(randomblob(8))),
         order_id, sealed, 'waiting', '[]', received_at, received_at
       FROM arrivals WHERE id <= :last
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = :before + arrivals.id)
       ORDER BY id`,
      { before, last },
    );
  }

  /** Those of one body to one receiver: the token of an attempt, or of an endpoint. */
  #findProcessed(
    receiver: string | number,
    digest: string,
  ): { id: number; flags: WebhookFlag[] }[] {
    return this.#connection
      .all(
        `SELECT id, flags FROM deliveries
         WHERE coalesce(order_id, token_hash) = :receiver AND digest >= :digest AND digest < :end
           AND status = 'processed'`,
        { receiver, digest, end: `${digest}${String.fromCharCode(REPETITION.charCodeAt(0) + 1)}` },
      )
      .map((row) => ({
        id: Number(row['id']),
        flags: JSON.parse(String(row['flags'])) as WebhookFlag[],
      }));
  }

  #drop(id: number): void {
    this.#makeRoom(
      this.#connection.all(
        'DELETE FROM deliveries WHERE id = :id RETURNING order_id, length(sealed) AS bytes',
        { id },
      ),
    );
  }

  #makeRoom(dropped: readonly Row[]): void {
    if (dropped.length === 0) return;
    this.#connection.afterCommit(() => {
      for (const { order_id: orderId, bytes } of dropped) {
        if (typeof orderId === 'number') this.kept.giveBack(orderId, Number(bytes));
      }
    });
  }

  #sumKept(orderId: number): number {
    return this.#countRows(
      `SELECT coalesce(sum(length(sealed)), 0) AS count FROM deliveries
       WHERE coalesce(order_id, token_hash) = :orderId`,
      { orderId },
    );
  }

  /** Most often there are none: whoever gives us a token for each attempt parks nothing. */
  #hasReferences(): boolean {
    return this.#connection.get('SELECT 1 FROM parked_references LIMIT 1') !== undefined;
  }

  #forgetReferences(delivery: number): void {
    this.#connection.run('DELETE FROM parked_references WHERE delivery = :delivery', { delivery });
  }
}

/** The digest as it came, of a repetition too. */
function digestOf(row: Row): string {
  return String(row['digest']).split(REPETITION)[0] ?? '';
}
