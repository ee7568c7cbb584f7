import type { DatabaseSync } from 'node:sqlite';
import { DataFileError } from './data-file-error.js';

/** Steps that bring a data file up to date, oldest first; a step that has shipped never changes. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE checkouts (
    id TEXT PRIMARY KEY,
    merchant TEXT NOT NULL,
    order_name TEXT NOT NULL,
    order_version TEXT NOT NULL,
    shop_version TEXT,
    amount_minor INTEGER NOT NULL,
    currency TEXT NOT NULL,
    decimals INTEGER NOT NULL,
    state TEXT NOT NULL,
    revision INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    refund TEXT NOT NULL,
    attention TEXT NOT NULL,
    return_url TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    settle_by INTEGER,
    paid_by TEXT,
    due_at INTEGER,
    UNIQUE (merchant, order_name, order_version)
  ) STRICT;
  CREATE INDEX checkouts_due ON checkouts (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX checkouts_attention ON checkouts (created_at) WHERE attention <> '[]';

  CREATE TABLE attempts (
    order_id INTEGER PRIMARY KEY,
    merchant_reference TEXT NOT NULL,
    checkout TEXT NOT NULL REFERENCES checkouts (id),
    merchant TEXT NOT NULL,
    order_name TEXT NOT NULL,
    provider_merchant_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    session_id TEXT,
    is_renewal INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    next_look_at INTEGER,
    looks INTEGER NOT NULL,
    token_hashes TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX attempts_live ON attempts (merchant, order_name)
    WHERE status IN ('sending', 'exposed');
  CREATE INDEX attempts_of_checkout ON attempts (checkout);
  CREATE INDEX attempts_renewals ON attempts (merchant, order_name, created_at) WHERE is_renewal = 1;
  CREATE INDEX attempts_next_look ON attempts (next_look_at) WHERE next_look_at IS NOT NULL;

  CREATE TABLE transactions (
    id TEXT PRIMARY KEY,
    checkout TEXT NOT NULL REFERENCES checkouts (id),
    order_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    is_refund_row INTEGER NOT NULL,
    amount TEXT NOT NULL,
    currency TEXT NOT NULL,
    transaction_time TEXT NOT NULL,
    recorded_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX transactions_of_checkout ON transactions (checkout);

  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL,
    digest TEXT NOT NULL,
    order_id INTEGER REFERENCES attempts (order_id),
    sealed BLOB NOT NULL,
    status TEXT NOT NULL,
    flags TEXT NOT NULL,
    due_at INTEGER,
    received_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX deliveries_once ON deliveries (coalesce(order_id, token_hash), digest);
  CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX deliveries_received ON deliveries (received_at);
  CREATE INDEX deliveries_parked ON deliveries (token_hash, received_at) WHERE status = 'parked';
  CREATE INDEX deliveries_parked_since ON deliveries (received_at) WHERE status = 'parked';

  CREATE TABLE parked_references (
    reference TEXT NOT NULL,
    delivery INTEGER NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    PRIMARY KEY (reference, delivery)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX parked_references_of_delivery ON parked_references (delivery);

  CREATE TABLE events (
    id TEXT PRIMARY KEY,
    checkout TEXT NOT NULL REFERENCES checkouts (id),
    merchant TEXT NOT NULL,
    type TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL,
    tries INTEGER NOT NULL,
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (checkout, sequence)
  ) STRICT;
  CREATE INDEX events_due ON events (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX events_of_merchant ON events (merchant, due_at, sequence) WHERE due_at IS NOT NULL;
  CREATE INDEX events_sending ON events (merchant) WHERE status = 'sending';
  CREATE INDEX events_dead ON events (created_at, sequence) WHERE status = 'dead';

  CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE arrivals (
    id INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL,
    digest TEXT NOT NULL,
    order_id INTEGER REFERENCES attempts (order_id),
    sealed BLOB NOT NULL,
    received_at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE attempts ADD COLUMN watched_from INTEGER;
  ALTER TABLE attempts ADD COLUMN submitted_at INTEGER;
  ALTER TABLE attempts ADD COLUMN is_live INTEGER;
  UPDATE attempts SET is_live = 1 WHERE status IN ('sending', 'exposed');
  DROP INDEX attempts_live;
  CREATE UNIQUE INDEX attempts_live ON attempts (merchant, order_name) WHERE is_live = 1;
  `,
  // One index for both: in a unique one, each NULL differs from every other.
  `
  DROP INDEX attempts_live;
  DROP INDEX attempts_of_checkout;
  CREATE UNIQUE INDEX attempts_of_order ON attempts (merchant, order_name, is_live);
  `,
];

/**
 * Pages of 4 KB in the log before they are moved into the file. Everything waits meanwhile, so it is
 * done seldom: the log then holds many versions of a page, and only the last one is moved.
 */
const LOG_PAGES = 10_000;

/**
 * What each connection that writes needs; the rest is kept in the file. With 12 MB of pages in
 * memory an opening costs the same whatever the number of orders before it. With more, each commit
 * costs more: when a page of an index was split, SQLite goes through all pages that it remembers.
 */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 5000;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -12288;
`;

/**
 * Sets the file up for the process that holds it, and brings its tables up to date. From then on
 * that process makes each commit durable by itself (`GroupCommit`, `WalFile`); SQLite still does so
 * before and after it moves what is in the log into the file.
 */
export function prepareAlone(database: DatabaseSync, steps = MIGRATIONS): void {
  refuseStrange(database, steps.length);
  database.exec(`PRAGMA journal_mode = WAL; ${SETTINGS}`);
  bringUpToDate(database, steps);
  database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${String(LOG_PAGES)}`);
}

/** Takes the steps that are missing, all of them or none. */
function bringUpToDate(database: DatabaseSync, steps: readonly string[]): void {
  const version = versionOf(database);
  if (version === steps.length) return;
  const missing = steps.slice(version).join('\n');
  try {
    database.exec(
      `BEGIN IMMEDIATE; ${missing} PRAGMA user_version = ${String(steps.length)}; COMMIT;`,
    );
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Before anything is changed: the file of a newer version, or of another program, is left alone. */
function refuseStrange(database: DatabaseSync, newest: number): void {
  const path = database.location() ?? '';
  const version = versionOf(database);
  if (version > newest) {
    throw new DataFileError(
      path,
      'it was written by a newer version of the server, and nothing was changed; start that version, or restore the backup that was made before the upgrade',
    );
  }
  const tables = Number(
    database.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table'").get()?.[
      'count'
    ],
  );
  const isOurs = version === 0 ? tables === 0 : tables > 0;
  if (!isOurs) {
    throw new DataFileError(
      path,
      'it is the file of another program, and nothing was changed; check PAY_DATABASE_FILE',
    );
  }
}

/** Sets up a connection beside the server that holds the file: its tables are not touched. */
export function prepareBeside(database: DatabaseSync): void {
  database.exec(SETTINGS);
  if (versionOf(database) !== MIGRATIONS.length) {
    throw new DataFileError(
      database.location() ?? '',
      'it is of another version of the server; use that version',
    );
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}
