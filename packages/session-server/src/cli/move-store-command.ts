import type { Config } from '../config.js';
import { AppError, ConfigError } from '../errors.js';
import type { Reader, Row, Transaction } from '../store/database.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { Sql, sql, type SqlValue } from '../store/sql.js';
import { SqliteDatabase } from '../store/sqlite-database.js';

/** Rows read and written per statement. */
const BATCH = 1000;

/**
 * The tables to move, parents first, and the columns to sum in each, in addition to counting its rows. Not
 * `read_turns` and `servers`: no server runs.
 */
export const MOVED_TABLES: Readonly<Record<string, readonly string[]>> = {
  checkouts: ['amount_minor', 'refunded_minor', 'revision', 'sequence'],
  orders: ['coalesce(amount_minor, 0)', 'coalesce(length(sealed), 0)'],
  attempts: ['order_id', 'provider_merchant_id'],
  matched_transactions: ['taken_minor', 'refunded_minor'],
  webhooks: ['length(sealed)', 'received_at'],
  webhook_references: ['webhook'],
  outbox_events: ['sequence', 'length(body)', 'coalesce(position, 0)'],
  order_log: ['at'],
  audit: ['at'],
  removed_events: ['position', 'events'],
  removed_orders: ['paid', 'unpaid', 'amount_minor', 'refunded_minor'],
  operator_sign_outs: ['expires_at'],
  counters: ['value'],
};

/** Columns that PostgreSQL counts from where the moved rows end. */
const COUNTED = [
  ['checkouts', 'number'],
  ['webhooks', 'id'],
  ['order_log', 'id'],
  ['audit', 'id'],
] as const;

/**
 * `pay-session-server move-store`: copies the data file into an empty PostgreSQL database, in one
 * transaction, and compares rows and sums before it is committed. The data file stays as it is.
 *
 * @throws {AppError} when the settings are not those of a move, or the database has orders
 * @throws {DatabaseInUseError} while a server runs on the data file
 */
export async function runMoveStore(
  { databaseFile, databaseUrl }: Pick<Config, 'databaseFile' | 'databaseUrl'>,
  words: readonly string[] = [],
): Promise<string[]> {
  if (words.length > 0 || databaseFile === undefined || databaseUrl === undefined) {
    throw new AppError(
      400,
      'invalid_request',
      'expected: move-store, with PAY_DATABASE_FILE set to the data file and DATABASE_URL to the database',
    );
  }
  const source = new SqliteDatabase(databaseFile);
  try {
    const target = await PostgresDatabase.open(databaseUrl.reveal());
    try {
      const moved = await target.transaction('store:move', (tx) => moveTables(source, tx));
      return [
        ...moved,
        'All rows and sums are the same. Start the servers with DATABASE_URL, and none on the data file any more.',
      ];
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function moveTables(source: Reader, tx: Transaction): Promise<string[]> {
  const tables = Object.keys(MOVED_TABLES);
  await tx.run(text(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`));
  for (const table of tables) {
    // A server that has started has counters, and no order yet.
    if (table === 'counters') await tx.run(sql`DELETE FROM counters`);
    else if ((await tx.get(text(`SELECT 1 FROM ${table} LIMIT 1`))) !== undefined) {
      throw new ConfigError('DATABASE_URL', [
        `the database is not empty: its table ${table} has rows, and nothing was changed`,
      ]);
    }
  }
  const lines: string[] = [];
  for (const [table, sums] of Object.entries(MOVED_TABLES)) {
    await copyTable(source, tx, table);
    const [before, after] = [await sumUp(source, table, sums), await sumUp(tx, table, sums)];
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      throw new Error(`table ${table} is not the same in both: ${before.join()}, ${after.join()}`);
    }
    const [rows = 0, ...values] = after;
    const shown = sums.map((name, at) => `${name} ${String(values[at])}`).join(', ');
    lines.push(`${table.padEnd(20)} ${String(rows)} rows; sums: ${shown}`);
  }
  for (const [table, column] of COUNTED) {
    const last = sql`coalesce((SELECT max(${text(column)}) FROM ${text(table)}), 0) + 1`;
    await tx.get(sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), ${last}, false)`);
  }
  return lines;
}

async function copyTable(source: Reader, tx: Transaction, table: string): Promise<void> {
  for (let after = 0; ;) {
    const rows = await source.all(sql`
      SELECT rowid AS source_row, * FROM ${text(table)}
      WHERE rowid > ${after} ORDER BY rowid LIMIT ${BATCH}`);
    const last = rows.at(-1);
    if (!last) return;
    await tx.run(insertAll(table, rows));
    after = Number(last['source_row']);
  }
}

/** `INSERT` of rows that have the same columns. */
function insertAll(table: string, rows: readonly Row[]): Sql {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'source_row');
  const values = rows.flatMap((row) => columns.map((column) => row[column] as SqlValue));
  const parts = values.map((_, at) => (at % columns.length === 0 ? '), (' : ', ')).slice(1);
  return new Sql([`INSERT INTO ${table} (${columns.join(', ')}) VALUES (`, ...parts, ')'], values);
}

/** How many rows a table has, and its sums. */
async function sumUp(reader: Reader, table: string, sums: readonly string[]): Promise<number[]> {
  const columns = sums.map((value, at) => `coalesce(sum(${value}), 0) AS sum${String(at)}`);
  const row = await reader.get(
    text(`SELECT count(*) AS count, ${columns.join(', ')} FROM ${table}`),
  );
  return Object.values(row ?? {}).map(Number);
}

/** SQL from constants, with no values in it. */
function text(words: string): Sql {
  return new Sql([words], []);
}
