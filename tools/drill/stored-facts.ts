import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const NUMBERS = ['amountMinor', 'isVoid', 'orderId', 'count'];

type Rows = Record<string, unknown>[];
/** Runs a statement in a database. */
export type Query = (sql: string) => Rows | Promise<Rows>;

/** What the database of a session server holds at a moment. */
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
export async function readDataFile(path: string): Promise<StoredFacts> {
  const folder = mkdtempSync(`${path}.copy-`);
  try {
    const copy = join(folder, 'copy.sqlite');
    if (existsSync(path)) cpSync(path, copy);
    if (existsSync(`${path}-wal`)) cpSync(`${path}-wal`, `${copy}-wal`);
    const database = new DatabaseSync(copy);
    try {
      const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'counters'").all();
      return await readFacts((sql) => (tables.length === 0 ? [] : database.prepare(sql).all()));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function readFacts(all: Query): Promise<StoredFacts> {
  const read = async <T>(sql: string): Promise<T[]> =>
    (await all(sql)).map((row) => ({ ...row, ...numbersOf(row) }) as T);
  return {
    orders: await read(
      `SELECT order_name AS "order", amount_minor AS "amountMinor", is_void AS "isVoid"
       FROM orders WHERE order_version IS NOT NULL`,
    ),
    checkouts: await read(
      'SELECT id, order_name AS "order", state, refund, attention FROM checkouts',
    ),
    attempts: await read(
      `SELECT order_id AS "orderId", checkout, status, session_id AS "sessionId" FROM attempts`,
    ),
    events: await read('SELECT id, checkout, type, status FROM outbox_events'),
    transactions: await read(
      'SELECT id, checkout FROM matched_transactions WHERE proves_price = 1',
    ),
    webhooks: new Map(
      (
        await read<{ orderId: number | null; count: number }>(
          `SELECT CASE WHEN receiver = CAST(order_id AS TEXT) THEN order_id END AS "orderId",
             count(DISTINCT digest) AS count FROM webhooks GROUP BY 1`,
        )
      ).map(({ orderId, count }) => [orderId, count]),
    ),
  };
}

/** PostgreSQL's driver gives the whole numbers of a BIGINT as texts. */
function numbersOf(row: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    NUMBERS.filter((name) => typeof row[name] === 'string').map((name) => [
      name,
      Number(row[name]),
    ]),
  );
}
