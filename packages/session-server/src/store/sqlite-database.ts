import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConfigError } from '../errors.js';
import { createForOwner, explainDataFile, resolveDataFile, takeDataFileLock } from './data-file.js';
import {
  type Database,
  DiskFailedError,
  type Row,
  takeNumber,
  type Transaction,
} from './database.js';
import { prepareAlone, prepareBeside, refuseStrange, requireVersion } from './sqlite-migrations.js';
import { type Sql, sql } from './sql.js';

/** Whether the file is locked, only read, or written to while another process holds the lock. */
export type SqliteMode = 'hold' | 'read' | 'alongside';

/** Statements that are kept prepared. Lists of values make their number unlimited. */
const MAX_PREPARED = 1000;
/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const FAILED_SYNCS: readonly unknown[] = [1034, 1290];

const SAVEPOINT = sql`SAVEPOINT one`;
const RELEASE = sql`RELEASE one`;

interface Job {
  readonly name: string;
  readonly work: (tx: Transaction) => Promise<unknown>;
  /** Whether it is answered only once a power cut cannot undo it. */
  readonly isSynced: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A database in one SQLite file, with a write-ahead log.
 *
 * Transactions that are asked for in one turn of the event loop share one commit: each runs under a
 * savepoint, and none is answered before SQLite has synced the commit (`synchronous=FULL`). Reads
 * have a connection of their own, which sees only what is committed.
 */
export class SqliteDatabase implements Database {
  readonly isShared = false;
  readonly #lock: DatabaseSync | undefined;
  /** Absent where the file is only read. */
  readonly #writer: Connection | undefined;
  readonly #reader: Connection;
  readonly #queue: Job[] = [];
  #running: Promise<void> | undefined;
  /** Why nothing is written or read any more. */
  #failure: DiskFailedError | undefined;

  /**
   * @param mode `read` and `alongside` take no lock, for the file of a running server: the one changes
   *   nothing, the other writes between the server's writes
   * @throws {DatabaseInUseError} when another process holds the file
   * @throws {DataFileError} when the file cannot be used as it is
   */
  constructor(path: string, mode: SqliteMode = 'hold') {
    const open: { close(): void }[] = [];
    const opened = <T extends { close(): void }>(connection: T): T => {
      open.unshift(connection);
      return connection;
    };
    try {
      const file = resolveDataFile(path);
      this.#lock = mode === 'hold' ? opened(takeDataFileLock(file)) : undefined;
      if (mode === 'hold') createForOwner(file);
      if (mode === 'alongside' && !existsSync(file)) {
        throw new ConfigError(path, ['there is no such data file; check PAY_DATABASE_FILE']);
      }
      if (mode !== 'read') {
        const writer = opened(new DatabaseSync(file));
        if (mode === 'hold') prepareAlone(writer);
        else prepareBeside(writer);
        this.#writer = new Connection(writer);
      }
      const reader = opened(new DatabaseSync(file, { readOnly: true }));
      reader.exec('PRAGMA busy_timeout = 5000');
      if (mode === 'read') requireVersion(reader);
      this.#reader = new Connection(reader);
    } catch (error) {
      for (const connection of open) connection.close();
      throw explainDataFile(path, error);
    }
  }

  get(query: Sql): Promise<Row | undefined> {
    return settle(() => this.#trustedReader().get(query));
  }

  all(query: Sql): Promise<Row[]> {
    return settle(() => this.#trustedReader().all(query));
  }

  transaction<T>(name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#enqueue(name, work, true);
  }

  run(name: string, first: Sql, ...others: readonly Sql[]): Promise<Row[]> {
    return this.transaction(name, (tx) => {
      tx.queue(...others);
      return tx.all(first);
    });
  }

  write(build: (unsynced: Sql) => Sql): Promise<Row[]> {
    return this.#enqueue('store:write', (tx) => tx.all(build(sql``)), false);
  }

  #enqueue<T>(name: string, work: (tx: Transaction) => Promise<T>, isSynced: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ name, work, isSynced, resolve: resolve as Job['resolve'], reject });
      this.#running ??= this.#runQueue();
    });
  }

  clockAheadMs(): undefined {
    return undefined;
  }

  countConnections(): undefined {
    return undefined;
  }

  async purgeDeleted(): Promise<boolean> {
    await this.#running;
    return this.#writer?.truncateLog() ?? false;
  }

  async close(): Promise<void> {
    await this.#running;
    this.#reader.close();
    this.#writer?.close();
    if (this.#lock?.isOpen === true) this.#lock.close();
  }

  #trustedReader(): Connection {
    if (this.#failure) throw this.#failure;
    return this.#reader;
  }

  async #runQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      await nextTurn();
      await this.#commitTogether(this.#queue.splice(0));
    }
    this.#running = undefined;
  }

  async #commitTogether(jobs: readonly Job[]): Promise<void> {
    const effects: (() => void)[] = [];
    const answers: (() => void)[] = [];
    try {
      if (this.#failure) throw this.#failure;
      if (!this.#writer) throw new Error('the data file is open for reading only');
      this.#writer.setSynced(jobs.some(({ isSynced }) => isSynced));
      this.#writer.exec('BEGIN IMMEDIATE');
      for (const job of jobs) answers.push(await runUnderSavepoint(this.#writer, job, effects));
      this.#writer.exec('COMMIT');
    } catch (error) {
      this.#writer?.rollBack();
      if (isFailedSync(error)) this.#failure = new DiskFailedError(error);
      for (const { reject } of jobs) reject(this.#failure ?? error);
      return;
    }
    for (const effect of effects) effect();
    for (const answer of answers) answer();
  }
}

/**
 * Runs one transaction of a group. What it throws undoes itself alone.
 *
 * @returns what answers its caller, once the group is durable
 * @throws what made SQLite undo the whole group, a full disk for example
 */
async function runUnderSavepoint(
  connection: Connection,
  { name, work, resolve, reject }: Job,
  effects: (() => void)[],
): Promise<() => void> {
  const tx = new SqliteTransaction(name, connection);
  connection.run(SAVEPOINT);
  try {
    const value = await settleInThisTurn(name, work(tx));
    connection.run(RELEASE);
    effects.push(...tx.end());
    return () => {
      resolve(value);
    };
  } catch (error) {
    tx.end();
    if (!connection.isInTransaction) throw error;
    connection.exec('ROLLBACK TO one; RELEASE one');
    return () => {
      reject(error);
    };
  }
}

/** The statements of a transaction settle before the event loop turns; anything else takes longer. */
async function settleInThisTurn<T>(name: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Immediate | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setImmediate(() => {
      reject(new Error(`transaction "${name}" awaits something other than its own statements`));
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearImmediate(timer);
  }
}

class SqliteTransaction implements Transaction {
  readonly skipLocked = sql``;
  readonly forUpdate = sql``;
  readonly #name: string;
  readonly #connection: Connection;
  readonly #effects: (() => void)[] = [];
  #isOver = false;

  constructor(name: string, connection: Connection) {
    this.#name = name;
    this.#connection = connection;
  }

  get(query: Sql): Promise<Row | undefined> {
    return settle(() => this.#open().get(query));
  }

  all(query: Sql): Promise<Row[]> {
    return settle(() => this.#open().all(query));
  }

  run(statement: Sql): Promise<number> {
    return settle(() => this.#open().run(statement));
  }

  queue(...statements: readonly Sql[]): void {
    for (const statement of statements) this.#open().run(statement);
  }

  async takeNumber(name: string, atLeast: number): Promise<number> {
    return Number((await this.get(takeNumber(name, atLeast)))?.['value']);
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** Refuses every later statement; answers what is to run after the commit. */
  end(): readonly (() => void)[] {
    this.#isOver = true;
    return this.#effects;
  }

  #open(): Connection {
    if (this.#isOver) throw new Error(`transaction "${this.#name}" is over`);
    return this.#connection;
  }
}

/**
 * Finds out, without changing it, whether a server could hold a data file, which may be missing.
 *
 * @throws {DatabaseInUseError} when another process holds the file
 * @throws {DataFileError} when the file cannot be used as it is
 */
export function checkDataFile(path: string): void {
  try {
    const file = resolveDataFile(path);
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK);
    if (existsSync(`${file}.lock`)) takeDataFileLock(file).close();
    if (!existsSync(file)) return;
    const reader = new DatabaseSync(file, { readOnly: true });
    try {
      refuseStrange(reader);
    } finally {
      reader.close();
    }
  } catch (error) {
    throw explainDataFile(path, error);
  }
}

/** An open file, with the statements that were prepared for it. */
class Connection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #isSynced = true;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  get(query: Sql): Row | undefined {
    return this.#prepare(query).get(...bind(query));
  }

  all(query: Sql): Row[] {
    return this.#prepare(query).all(...bind(query));
  }

  run(statement: Sql): number {
    return Number(this.#prepare(statement).run(...bind(statement)).changes);
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  /** Whether the next commits are synced. The first one that is syncs those before it, too. */
  setSynced(isSynced: boolean): void {
    if (isSynced === this.#isSynced) return;
    this.exec(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`);
    this.#isSynced = isSynced;
  }

  rollBack(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  /** Moves the log into the file and empties it, unless someone else is using it. */
  truncateLog(): boolean {
    const timeout = this.#database.prepare('PRAGMA busy_timeout').get()?.['timeout'];
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${String(timeout)}`);
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare({ parts }: Sql): StatementSync {
    const text = parts.join('?');
    let statement = this.#prepared.get(text);
    if (!statement) {
      if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
      statement = this.#database.prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement;
  }
}

/** What SQLite answers at once, as a promise. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

function bind({ values }: Sql): SQLInputValue[] {
  return values.map((value) => value ?? null);
}

function isFailedSync(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && FAILED_SYNCS.includes(error.errcode);
}
