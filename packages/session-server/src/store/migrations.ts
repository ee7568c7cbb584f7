import { DatabaseSync } from 'node:sqlite';
import { DataFileError } from './data-file.js';

/** Words in which the engines differ. */
interface Dialect {
  readonly bigint: string;
  readonly bytes: string;
  /** A primary key that counts the rows. */
  readonly identity: string;
  /** After the columns of a table. */
  readonly strict: string;
}

const SQLITE: Dialect = {
  bigint: 'INTEGER',
  bytes: 'BLOB',
  identity: 'INTEGER PRIMARY KEY',
  strict: 'STRICT',
};

type Migration = (dialect: Dialect) => string;

/**
 * What brings a database up to date, oldest first. One that has shipped never changes.
 *
 * Expand first, contract later: the previous version of the server runs on the schema of this one. A
 * column that is no longer needed is dropped in the release after the one that stopped using it, and
 * a renamed one is added, filled by both, and dropped like that.
 *
 * Times are milliseconds since 1970.
 */
export const MIGRATIONS: readonly Migration[] = [
  ({ bigint, bytes, identity, strict }) => `
  CREATE TABLE checkouts (
    number ${identity},
    id TEXT NOT NULL UNIQUE,
    merchant TEXT NOT NULL,
    order_name TEXT NOT NULL,
    order_version TEXT NOT NULL,
    shop_version TEXT,
    amount_minor ${bigint} NOT NULL,
    currency TEXT NOT NULL,
    decimals ${bigint} NOT NULL,
    state TEXT NOT NULL,
    revision ${bigint} NOT NULL,
    sequence ${bigint} NOT NULL,
    refund TEXT NOT NULL,
    refunded_minor ${bigint} NOT NULL,
    attention TEXT NOT NULL,
    return_url TEXT,
    created_at ${bigint} NOT NULL,
    expires_at ${bigint} NOT NULL,
    settle_by ${bigint},
    paid_by TEXT,
    payment TEXT,
    due_at ${bigint},
    -- When to compare the price that it was paid at with that of its shop.
    price_check_at ${bigint},
    -- Whether it was ever erased: it gets no personal facts any more.
    is_erased ${bigint} NOT NULL DEFAULT 0,
    UNIQUE (merchant, order_name, order_version)
  ) ${strict};
  CREATE INDEX checkouts_due ON checkouts (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX checkouts_price_check ON checkouts (price_check_at)
    WHERE price_check_at IS NOT NULL;
  CREATE INDEX checkouts_attention ON checkouts (created_at) WHERE attention <> '[]';
  CREATE INDEX checkouts_attention_of_merchant ON checkouts (merchant, created_at)
    WHERE attention <> '[]';

  -- One row for each order that was put, or has a checkout.
  CREATE TABLE orders (
    merchant TEXT NOT NULL,
    order_name TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at ${bigint} NOT NULL,
    updated_at ${bigint} NOT NULL,
    -- When it was last put, or got its newest checkout.
    renewed_at ${bigint} NOT NULL,
    -- When it was erased, unless it has changed since.
    erased_at ${bigint},
    is_void ${bigint} NOT NULL,
    -- As it was put: NULL where the shop is asked for its price.
    order_version TEXT,
    amount_minor ${bigint},
    currency TEXT,
    decimals ${bigint},
    split TEXT,
    return_url TEXT,
    -- Description, customer and address, encrypted.
    sealed ${bytes},
    PRIMARY KEY (merchant, order_name)
  ) ${strict};
  CREATE INDEX orders_newest ON orders (merchant, created_at, order_name);
  CREATE INDEX orders_in_state ON orders (merchant, state, created_at, order_name);
  CREATE INDEX orders_to_erase ON orders (renewed_at) WHERE erased_at IS NULL;

  CREATE TABLE attempts (
    order_id ${bigint} PRIMARY KEY,
    merchant_reference TEXT NOT NULL,
    checkout TEXT NOT NULL REFERENCES checkouts (id),
    merchant TEXT NOT NULL,
    order_name TEXT NOT NULL,
    -- The provider account that it was made at.
    account TEXT NOT NULL,
    provider_merchant_id ${bigint} NOT NULL,
    status TEXT NOT NULL,
    -- Whether it is the one attempt of its order that is sent or active.
    is_active ${bigint} NOT NULL,
    session_id TEXT,
    is_renewal ${bigint} NOT NULL,
    lease_until ${bigint} NOT NULL,
    created_at ${bigint} NOT NULL,
    -- When it last became the attempt of its order.
    active_since ${bigint} NOT NULL,
    submitted_at ${bigint},
    -- A failure that counts once the provider's list was read since, and shows no payment.
    failure_reported_at ${bigint},
    next_poll_at ${bigint},
    polls ${bigint} NOT NULL,
    watched_from ${bigint} NOT NULL,
    return_token TEXT,
    cancel_token TEXT,
    back_token TEXT,
    webhook_token TEXT
  ) ${strict};
  CREATE UNIQUE INDEX attempts_active ON attempts (merchant, order_name) WHERE is_active = 1;
  CREATE INDEX attempts_of_checkout ON attempts (checkout);
  CREATE INDEX attempts_renewals ON attempts (merchant, order_name, created_at) WHERE is_renewal = 1;
  CREATE INDEX attempts_failure_reported ON attempts (failure_reported_at)
    WHERE failure_reported_at IS NOT NULL;
  CREATE INDEX attempts_next_poll ON attempts (next_poll_at) WHERE next_poll_at IS NOT NULL;

  CREATE TABLE matched_transactions (
    account TEXT NOT NULL,
    id TEXT NOT NULL,
    checkout TEXT NOT NULL REFERENCES checkouts (id),
    order_id ${bigint} NOT NULL,
    status TEXT NOT NULL,
    -- Whether it was only ever seen with a status that means refunded.
    is_refund_row ${bigint} NOT NULL,
    -- Whether it is of the price of its checkout.
    proves_price ${bigint} NOT NULL,
    amount TEXT NOT NULL,
    taken_minor ${bigint} NOT NULL,
    refunded_minor ${bigint} NOT NULL,
    -- What the row of a refund shares with the row of its payment.
    reference TEXT,
    currency TEXT NOT NULL,
    transaction_time TEXT NOT NULL,
    recorded_at ${bigint} NOT NULL,
    PRIMARY KEY (account, id)
  ) ${strict};
  CREATE INDEX matched_transactions_of_checkout ON matched_transactions (checkout);
  CREATE INDEX matched_transactions_of_reference ON matched_transactions (reference);

  CREATE TABLE webhooks (
    id ${identity},
    token_hash TEXT NOT NULL,
    -- Its attempt or, for a registered endpoint, its token: one body counts once for each.
    receiver TEXT NOT NULL,
    digest TEXT NOT NULL,
    -- That of its address, or the one that it turned out to name.
    order_id ${bigint} REFERENCES attempts (order_id),
    sealed ${bytes} NOT NULL,
    status TEXT NOT NULL,
    flags TEXT NOT NULL,
    due_at ${bigint},
    received_at ${bigint} NOT NULL
  ) ${strict};
  CREATE INDEX webhooks_of_receiver ON webhooks (receiver, digest);
  CREATE INDEX webhooks_of_attempt ON webhooks (order_id) WHERE order_id IS NOT NULL;
  CREATE INDEX webhooks_due ON webhooks (due_at, id) WHERE due_at IS NOT NULL;
  CREATE INDEX webhooks_received ON webhooks (received_at);
  CREATE INDEX webhooks_unmatched_of_token ON webhooks (token_hash, received_at, id)
    WHERE status = 'unmatched';
  CREATE INDEX webhooks_unmatched ON webhooks (received_at, id) WHERE status = 'unmatched';

  -- What an unmatched webhook calls its attempt, hashed.
  CREATE TABLE webhook_references (
    reference TEXT NOT NULL,
    webhook ${bigint} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    PRIMARY KEY (reference, webhook)
  ) ${strict};
  CREATE INDEX webhook_references_of_webhook ON webhook_references (webhook);

  CREATE TABLE outbox_events (
    id TEXT PRIMARY KEY,
    checkout TEXT NOT NULL REFERENCES checkouts (id),
    merchant TEXT NOT NULL,
    type TEXT NOT NULL,
    sequence ${bigint} NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL,
    tries ${bigint} NOT NULL,
    due_at ${bigint},
    created_at ${bigint} NOT NULL,
    -- Its place in the feed of its merchant, given once it is committed.
    position ${bigint},
    UNIQUE (checkout, sequence)
  ) ${strict};
  CREATE UNIQUE INDEX outbox_events_feed ON outbox_events (merchant, position)
    WHERE position IS NOT NULL;
  CREATE INDEX outbox_events_without_position ON outbox_events (created_at, sequence)
    WHERE position IS NULL;
  CREATE INDEX outbox_events_due ON outbox_events (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX outbox_events_of_merchant ON outbox_events (merchant, due_at, sequence)
    WHERE due_at IS NOT NULL;
  CREATE INDEX outbox_events_sending ON outbox_events (merchant) WHERE status = 'sending';
  CREATE INDEX outbox_events_dead_lettered ON outbox_events (created_at, sequence)
    WHERE status = 'dead_lettered';

  CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value ${bigint} NOT NULL
  ) ${strict};
  `,
];

/**
 * What each connection that writes needs; the rest is kept in the file. The log is moved into the file
 * every 10,000 pages: everything waits meanwhile, and a page that changed often is moved once. What a
 * savepoint may have to undo stays in memory; it would be a temporary file of each larger group.
 */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 5000;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -12288;
  PRAGMA wal_autocheckpoint = 10000;
  PRAGMA temp_store = MEMORY;
`;

/**
 * Sets the file up for the process that holds it, and brings its tables up to date. What a dead
 * process left in its log is moved into the file and synced: after a failed sync, the system may
 * still show what the disk does not have.
 */
export function prepareAlone(database: DatabaseSync, migrations = MIGRATIONS): void {
  refuseStrange(database, migrations);
  database.exec(`PRAGMA journal_mode = WAL; ${SETTINGS}`);
  migrate(database, migrations);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Runs the migrations that are missing, all of them or none. */
function migrate(database: DatabaseSync, migrations: readonly Migration[]): void {
  const version = versionOf(database);
  if (version === migrations.length) return;
  const missing = migrations.slice(version).map((migration) => migration(SQLITE));
  try {
    database.exec(
      `BEGIN IMMEDIATE; ${missing.join('\n')} PRAGMA user_version = ${String(migrations.length)}; COMMIT;`,
    );
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Before anything is changed: the file of another version, or of another program, is left alone. */
export function refuseStrange(database: DatabaseSync, migrations = MIGRATIONS): void {
  const path = database.location() ?? '';
  const version = versionOf(database);
  if (version > migrations.length) {
    throw new DataFileError(
      path,
      'it was written by a newer version of the server, and nothing was changed; start that version, or restore the backup that was made before the upgrade',
    );
  }
  const tables = tablesOf(database);
  const isOurs = version === 0 ? tables.size === 0 : tables.size > 0;
  if (!isOurs) {
    throw new DataFileError(
      path,
      'it is the file of another program, and nothing was changed; check PAY_DATABASE_FILE',
    );
  }
  refuseOtherTables(database, migrations);
}

/** Tables that no release had: those of a build between releases, or changed by hand. */
function refuseOtherTables(database: DatabaseSync, migrations: readonly Migration[]): void {
  const empty = new DatabaseSync(':memory:');
  migrate(empty, migrations.slice(0, versionOf(database)));
  const expected = tablesOf(empty);
  empty.close();
  const tables = tablesOf(database);
  for (const [name, sql] of expected) {
    if (tables.get(name) === sql) continue;
    throw new DataFileError(
      database.location() ?? '',
      `its table ${name} is not that of any release, and nothing was changed; start the build that wrote it, or move the file away to begin with an empty one`,
    );
  }
}

/** The statement that makes each table, by its name. */
function tablesOf(database: DatabaseSync): ReadonlyMap<string, string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]));
}

/** Sets up a connection beside the server that holds the file; its tables are left alone. */
export function prepareBeside(database: DatabaseSync): void {
  database.exec(SETTINGS);
  requireVersion(database);
}

/** @throws {DataFileError} unless the tables are those of this version */
export function requireVersion(database: DatabaseSync): void {
  if (versionOf(database) !== MIGRATIONS.length) {
    throw new DataFileError(
      database.location() ?? '',
      'it is of another version of the server; use that version',
    );
  }
  refuseOtherTables(database, MIGRATIONS);
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}
