import { DatabaseSync } from 'node:sqlite';
import { DataFileError } from './data-file.js';
import { type Dialect, type Migration, MIGRATIONS, PAYMENT_JSON } from './migrations.js';

const SQLITE: Dialect = {
  bigint: 'INTEGER',
  bytes: 'BLOB',
  text: 'TEXT',
  identity: 'INTEGER PRIMARY KEY',
  strict: 'STRICT',
  payment: PAYMENT_JSON.sqlite,
};

/**
 * What each connection that writes needs; the rest is kept in the file. The log is moved into the file
 * every 10,000 pages: everything waits until that is done, and a page that changed often is moved once. What a
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
  try {
    database.exec(
      `BEGIN IMMEDIATE; ${statementsOf(migrations.slice(version))} PRAGMA user_version = ${String(migrations.length)}; COMMIT;`,
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
  const expected = tablesAfter(migrations.slice(0, versionOf(database)));
  const tables = tablesOf(database);
  for (const [name, sql] of expected) {
    if (tables.get(name) === sql) continue;
    throw new DataFileError(
      database.location() ?? '',
      `its table ${name} is not that of any release, and nothing was changed; start the build that wrote it, or move the file away to begin with an empty one`,
    );
  }
}

/** By the statements that made them, which take ten milliseconds. */
const made = new Map<string, ReadonlyMap<string, string>>();

/** The tables that migrations make. */
function tablesAfter(migrations: readonly Migration[]): ReadonlyMap<string, string> {
  const statements = statementsOf(migrations);
  const known = made.get(statements);
  if (known) return known;
  const empty = new DatabaseSync(':memory:');
  migrate(empty, migrations);
  const tables = tablesOf(empty);
  empty.close();
  made.set(statements, tables);
  return tables;
}

function statementsOf(migrations: readonly Migration[]): string {
  return migrations.map((migration) => migration(SQLITE)).join('\n');
}

/** The statement that makes each table, by its name. */
function tablesOf(database: DatabaseSync): ReadonlyMap<string, string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]));
}

/** Sets up a second connection while a server holds the file; its tables are left alone. */
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
