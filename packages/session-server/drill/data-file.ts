import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What the data file of a session server holds at a moment when no process has it open. */
export interface StoredFacts {
  /** Those that were put. */
  readonly orders: readonly { order: string; amountMinor: number; isVoid: number }[];
  readonly checkouts: readonly {
    id: string;
    order: string;
    state: string;
    refund: string;
    attention: string;
  }[];
  readonly attempts: readonly {
    orderId: number;
    checkout: string;
    status: string;
    sessionId: string | null;
  }[];
  readonly events: readonly { id: string; checkout: string; type: string; status: string }[];
  readonly transactions: readonly { id: string; checkout: string }[];
  /**
   * How many webhooks of different bodies are stored, by the `order_id` that they came for; null for
   * those that came to an endpoint.
   */
  readonly webhooks: ReadonlyMap<number | null, number>;
}

/** Reads a copy, so that the next process finds the file just as the dead one left it. */
export function readDataFile(path: string): StoredFacts {
  const folder = mkdtempSync(`${path}.copy-`);
  try {
    const copy = join(folder, 'copy.sqlite');
    if (existsSync(path)) cpSync(path, copy);
    if (existsSync(`${path}-wal`)) cpSync(`${path}-wal`, `${copy}-wal`);
    const database = new DatabaseSync(copy);
    try {
      return readFacts(database);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readFacts(database: DatabaseSync): StoredFacts {
  const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'outbox_events'").all();
  const all = <T>(sql: string): T[] =>
    tables.length === 0 ? [] : (database.prepare(sql).all() as T[]);
  return {
    orders: all(
      `SELECT order_name AS "order", amount_minor AS amountMinor, is_void AS isVoid
       FROM orders WHERE order_version IS NOT NULL`,
    ),
    checkouts: all('SELECT id, order_name AS "order", state, refund, attention FROM checkouts'),
    attempts: all(
      'SELECT order_id AS orderId, checkout, status, session_id AS sessionId FROM attempts',
    ),
    events: all('SELECT id, checkout, type, status FROM outbox_events'),
    transactions: all('SELECT id, checkout FROM matched_transactions WHERE proves_price = 1'),
    webhooks: new Map(
      all<{ orderId: number | null; count: number }>(
        `SELECT iif(receiver = CAST(order_id AS TEXT), order_id, NULL) AS orderId,
           count(DISTINCT digest) AS count FROM webhooks GROUP BY 1`,
      ).map(({ orderId, count }) => [orderId, count]),
    ),
  };
}
