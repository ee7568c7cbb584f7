import { type Sql, sql } from './sql.js';

export type Row = Readonly<Record<string, unknown>>;

/** Reads rows. Outside a transaction it sees only what is committed. */
export interface Reader {
  get(query: Sql): Promise<Row | undefined>;
  all(query: Sql): Promise<Row[]>;
}

/** One atomic step of {@link Database.transaction}, which sees its own writes. */
export interface Transaction extends Reader {
  /** Answers how many rows changed. */
  run(statement: Sql): Promise<number>;
  /**
   * Runs statements whose answer no one reads, at the latest with the commit. Those of one call may run as
   * one: none reads or changes a row that another one of them changes.
   */
  queue(...statements: readonly Sql[]): void;
  /**
   * Ends a `SELECT` of rows to claim, so that it skips rows that another transaction has locked. Only
   * PostgreSQL runs several transactions at once.
   */
  readonly skipLocked: Sql;
  /** Ends a `SELECT` of rows that no other transaction may change before this one ends. */
  readonly forUpdate: Sql;
  /**
   * The next number of a named sequence: above those given out before, and at least this much. A
   * transaction that fails may leave a gap; a unique index catches two that got the same number.
   */
  takeNumber(name: string, atLeast: number): Promise<number>;
  /** Runs once the step is durable, before its caller is answered. It must not throw. */
  afterCommit(effect: () => void): void;
}

/** How the connections of this process to the database are used. */
export interface ConnectionCounts {
  readonly inUse: number;
  /** How many callers wait for a free one. */
  readonly waiting: number;
}

/**
 * Everything that the server must not forget. The SQL is what SQLite and PostgreSQL share.
 *
 * When the promise of a transaction resolves, its writes survive a power cut; when it rejects, it
 * changed nothing.
 */
export interface Database extends Reader {
  /** Whether other servers use it at the same time. */
  readonly isShared: boolean;
  /**
   * Runs `work`, which may await nothing but the calls of its transaction. It may run again when it
   * collides with another transaction, so it changes nothing except through `tx`; what follows from it
   * goes into `tx.afterCommit`.
   *
   * @param name for errors and crash points, such as `outbox:claim`
   */
  transaction<T>(name: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs statements in one atomic step that may run twice without harm, since it does when its answer is
   * lost. Each of them sees the rows as they were before, and changes others than the rest.
   *
   * @returns the rows of the `RETURNING` of the first one
   */
  run(name: string, first: Sql, ...others: readonly Sql[]): Promise<Row[]>;
  /**
   * Runs one statement that a crash may undo, since it is not synced: for leases, quotas and plans, never
   * for what was acknowledged. It may run twice where its answer was lost.
   *
   * @param build gets a condition that belongs at the end of its `WHERE`
   * @returns the rows of its `RETURNING`
   */
  write(build: (unsynced: Sql) => Sql): Promise<Row[]>;
  /** How far the clock of this server is ahead of the database's, when they were last compared. */
  clockAheadMs(): number | undefined;
  /** Undefined where there are none: a data file. */
  countConnections(): ConnectionCounts | undefined;
  /**
   * Leaves no copy of what was deleted in the engine's log. Everything else waits until then. False when
   * another process is using the log, and nothing was done.
   */
  purgeDeleted(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The disk could not keep what was written to it. What it holds is unknown from then on, so nothing
 * is written or read until the next start.
 */
export class DiskFailedError extends Error {
  override readonly name = 'DiskFailedError';
  readonly code = 'SYNC_FAILED';

  constructor(cause: unknown) {
    super('the disk did not keep what was written: restart the server', { cause });
  }
}

export function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function optionalNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** Whole numbers that are kept by name. */
export async function getCounter(reader: Reader, name: string): Promise<number | undefined> {
  const row = await reader.get(sql`SELECT value FROM counters WHERE name = ${name}`);
  return row && Number(row['value']);
}

export async function setCounter(tx: Transaction, name: string, value: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO counters (name, value) VALUES (${name}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
}

export async function incrementCounter(tx: Transaction, name: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO counters (name, value) VALUES (${name}, 1)
    ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`);
}

export function takeNumber(name: string, atLeast: number): Sql {
  return sql`
    INSERT INTO counters (name, value) VALUES (${name}, ${atLeast})
    ON CONFLICT (name) DO UPDATE SET value =
      CASE WHEN counters.value < excluded.value THEN excluded.value ELSE counters.value + 1 END
    RETURNING value`;
}

/** Writes something: rejects when the database cannot keep anything. */
export function ping(database: Database): Promise<void> {
  return database.transaction('store:ping', (tx) => setCounter(tx, 'pinged_at', Date.now()));
}
