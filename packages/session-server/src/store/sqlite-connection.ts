import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ConfigError } from '../errors.js';
import { DataFileError, explainDataFile } from './data-file-error.js';
import { resolveDataFile } from './data-file-path.js';
import { GroupCommit, type WriteOptions } from './group-commit.js';
import { NamedStatement, type Value } from './named-statement.js';
import { WalFile } from './wal-file.js';
import { prepareAlone, prepareBeside } from './migrations.js';
import type { Row } from './rows.js';

/** Whether the file is held, only read, or written to beside the process that holds it. */
export type ConnectionMode = 'write' | 'read' | 'beside';

/** SQLITE_BUSY: somebody else has the lock. */
const BUSY = 5;
/** SQLITE_NOTADB: the file holds something else. */
const NO_DATABASE = 26;

/** Thrown when another process holds the data file. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
}

/**
 * One open data file: statements by their text, grouped writes, and a lock that one process holds.
 *
 * The lock is a second, empty database in an open exclusive transaction. The operating system lets
 * go of it when the process ends in any way, so a crash never leaves it behind; readers and backup
 * tools can still open the data file itself.
 */
export class SqliteConnection {
  /** Whether nobody else writes to the file as long as this is open. */
  readonly isOnlyWriter: boolean;
  readonly #database: DatabaseSync;
  readonly #lock: DatabaseSync | undefined;
  readonly #log: WalFile | undefined;
  readonly #statements = new Map<string, NamedStatement>();
  /** By table. */
  readonly #inserts = new Map<string, StatementSync>();
  readonly #commits: GroupCommit;

  /**
   * @param mode `read` and `beside` take no lock, for the file of a running server: the one changes
   *   nothing, the other writes between the writes of the server
   * @throws {DatabaseInUseError} when another process has the file open for writing
   * @throws {DataFileError} when the file cannot be used as it is
   */
  constructor(path: string, mode: ConnectionMode = 'write') {
    this.isOnlyWriter = mode === 'write';
    let lock: DatabaseSync | undefined;
    let database: DatabaseSync | undefined;
    try {
      const file = resolveDataFile(path);
      if (mode === 'write') lock = takeDataFileLock(file);
      if (mode === 'write') makeForOwner(file);
      if (mode === 'beside' && !existsSync(file)) {
        throw new ConfigError(path, ['there is no such data file; check PAY_DATABASE_FILE']);
      }
      database = new DatabaseSync(file, { readOnly: mode === 'read' });
      if (mode === 'write') {
        prepareAlone(database);
        moveLogIntoFile(database);
      }
      if (mode === 'beside') prepareBeside(database);
      const log = mode === 'write' ? new WalFile(file) : undefined;
      this.#log = log;
      this.#commits = new GroupCommit(database, log && (() => log.sync()));
      this.#database = database;
      this.#lock = lock;
    } catch (error) {
      if (database?.isOpen) database.close();
      lock?.close();
      throw explainDataFile(path, error);
    }
  }

  /** Runs `work` in a transaction; resolves when it is durable, or as the options say. */
  write<T>(work: () => T, options?: WriteOptions<T>): Promise<T> {
    return this.#commits.write(work, options);
  }

  /** Called inside a step: `tell` runs if that is committed, before anybody is answered. */
  afterCommit(tell: () => void): void {
    this.#commits.afterCommit(tell);
  }

  /** Reads what is on the disk: waits for it if it has only just been committed. */
  read<T>(work: () => T): Promise<T> {
    return this.#commits.read(work);
  }

  get(sql: string, values: Record<string, Value> = {}): Row | undefined {
    return this.#prepare(sql).get(values);
  }

  all(sql: string, values: Record<string, Value> = {}): Row[] {
    return this.#prepare(sql).all(values);
  }

  /** Answers how many rows changed. */
  run(sql: string, values: Record<string, Value> = {}): number {
    return this.#prepare(sql).run(values);
  }

  /** Every row of a table must name the same columns in the same order. */
  insert(table: string, row: Record<string, Value>): void {
    this.#insertion(table, row).run(...Object.values(row));
  }

  /**
   * Moves the log into the file and leaves none of it. Waits for nobody: false, and some of it is left,
   * when somebody else reads from it or writes to it just now.
   */
  emptyLog(): boolean {
    const patience = this.#database.prepare('PRAGMA busy_timeout').get()?.['timeout'];
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${String(patience)}`);
    }
  }

  async close(): Promise<void> {
    await this.#commits.flush();
    this.#log?.close();
    this.#database.close();
    this.#lock?.close();
  }

  #insertion(table: string, row: Record<string, Value>): StatementSync {
    const known = this.#inserts.get(table);
    if (known) return known;
    const columns = Object.keys(row);
    const places = columns.map(() => '?');
    const statement = this.#database.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
    );
    this.#inserts.set(table, statement);
    return statement;
  }

  #prepare(sql: string): NamedStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = new NamedStatement(this.#database, sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/**
 * A new data file is for the owner of the process only, since it holds sessions and the shops' own
 * return addresses; SQLite gives the files beside it the same rights. One that is there is left
 * alone: to close it here would let go of the locks that SQLite has on it.
 */
function makeForOwner(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * What a dead process has left in its log is written anew, and synced by SQLite: after a failed sync,
 * the system may still show what it holds without having it on the disk.
 */
function moveLogIntoFile(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

/**
 * Holds a data file against every other process that would write to it, until it is closed.
 *
 * @param file with no link in it
 */
export function takeDataFileLock(file: string): DatabaseSync {
  const path = `${file}.lock`;
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isNoDatabase(error)) {
      const what = 'it is no lock of ours, and holds nothing: delete it, and start again';
      throw new DataFileError(path, what, { cause: error });
    }
    if (!isBusy(error)) throw error;
    throw new DatabaseInUseError(
      'another process has this data file open; stop it first, or use PostgreSQL for several',
      { cause: error },
    );
  }
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === NO_DATABASE;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
