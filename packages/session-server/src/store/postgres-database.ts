import type { ClientBase, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.js';
import { ConfigError } from '../errors.js';
import { type Observer, SILENT_OBSERVER } from '../observer.js';
import { createLogger, describeError, type Logger } from '../logger.js';
import { type ConnectionCounts, type Database, type Row, type Transaction } from './database.js';
import {
  codeDriverError,
  explain,
  isCollision,
  isStalePlan,
  isUnavailable,
  unavailable,
} from './postgres-errors.js';
import { migrate, requireTables } from './postgres-migrations.js';
import { Sql, sql, type SqlValue } from './sql.js';

/** Types of a BIGINT and of a sum of them, which the driver would give as texts. */
const WHOLE_NUMBERS: readonly number[] = [20, 1700];
const OLDEST_VERSION = 15;
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5000;
/**
 * A database that hangs neither answers nor refuses. A read outside a transaction is given up
 * after this, so that a request that has waited for 25 seconds is answered within 35, as proxies expect.
 */
const READ_MS = 9000;
/** A transaction that collides is run again for so long, and then refused. All of its statements end by then. */
const TRANSACTION_MS = 15_000;
const TO_END = { query_timeout: 5000 };
const MAX_RETRY_PAUSE_MS = 100;
/** Statements with a list of values are as many as there are lengths: beyond this they have no name. */
const MAX_NAMED = 500;
/** Connections that were lost when the database restarted are replaced so often before it counts as down. */
const MAX_LOST_CONNECTIONS = 3;
/** How long to ask for the outcome of a commit that was not answered. */
const OUTCOME_WAIT_MS = 5000;
const MAX_CLOCK_DIFFERENCE_MS = 1000;
const CLOCK_INTERVAL_MS = 600_000;
const OUTCOME_PAUSE_MS = 100;

/**
 * A transaction sees the database as it was when it began, and collides with what another one has
 * changed since of the rows that it changes: see docs/decisions/0010-postgresql.md. The settings last for
 * the transaction only, since a pooler gives its connection to another one then. By its id the server
 * knows its outcome when its commit is not answered.
 */
const BEGIN = `
  BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL statement_timeout = 10000;
  SET LOCAL lock_timeout = 5000;
  SET LOCAL idle_in_transaction_session_timeout = 10000;
  SELECT pg_current_xact_id()::text AS id`;

/** Sets it for the transaction of one statement, before that commits. */
const UNSYNCED = sql`AND set_config('synchronous_commit', 'off', true) IS NOT NULL`;

/** The result of one run of a transaction. */
type Outcome<T> =
  | { readonly kind: 'committed'; readonly value: T; readonly effects: readonly (() => void)[] }
  /** Its commit was sent, and no answer came. */
  | { readonly kind: 'unanswered'; readonly id: string; readonly error: unknown }
  /** Nothing was changed, and it may run again. */
  | { readonly kind: 'collided' | 'lost'; readonly error: unknown };

type StoreObserver = Pick<Observer, 'transactionRetried'>;

export interface PostgresOptions {
  /** Default: none. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly observer?: StoreObserver;
  /** Compared with that of the database. Default: the system's. */
  readonly clock?: Clock;
  /** Whether the database keeps the plans of statements. Default: no, since poolers may not know them. */
  readonly hasNamedStatements?: boolean;
  /** `alongside`: for a command, which migrates nothing. Default: a server. */
  readonly mode?: 'server' | 'alongside';
}

/**
 * A PostgreSQL database that several servers share. It keeps nothing in a session, so a pooler may stand
 * before it that gives each transaction another connection.
 */
export class PostgresDatabase implements Database {
  readonly isShared = true;
  readonly #pool: Pool;
  readonly #observer: StoreObserver;
  readonly #names: StatementNames;
  #closing: Promise<void> | undefined;
  #comparing: NodeJS.Timeout | undefined;
  #clockAheadMs: number | undefined;

  private constructor(pool: Pool, observer: StoreObserver, hasNamedStatements: boolean) {
    this.#pool = pool;
    this.#observer = observer;
    this.#names = new StatementNames(hasNamedStatements ? MAX_NAMED : 0);
  }

  /** @throws {ConfigError} when the database cannot be used */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresDatabase> {
    const { logger = createLogger('silent'), observer = SILENT_OBSERVER } = options;
    const { mode = 'server', clock = systemClock, hasNamedStatements = false } = options;
    const ssl = await withClient(url, async (client) => {
      await (mode === 'server' ? migrate : requireTables)(client);
      return (client as ClientBase & WithTls).connectionParameters.ssl;
    });
    const { Pool, TypeOverrides } = await importDriver();
    const types = new TypeOverrides();
    for (const type of WHOLE_NUMBERS) types.setTypeParser(type, Number);
    const pool = new Pool({
      ...connectionOptions(withoutFiles(url)),
      ssl,
      max: MAX_CONNECTIONS,
      types,
      // Statements go out without waiting for the answers of those before.
      pipeline: true,
    });
    // A lost connection fails its query, too. Without a listener it would end the process, at any moment
    // from the first: the server may say that it shuts down in the packet that makes the connection ready.
    pool.on('connect', (client) => {
      client.on('error', ignore);
    });
    // An idle connection was lost: the next use makes another one.
    pool.on('error', (error) => {
      logger.warn(describeError(codeDriverError(error)), 'a connection to the database was lost');
    });
    const database = new PostgresDatabase(pool, observer, hasNamedStatements);
    if (mode === 'server') {
      const compare = () => database.#compareClocks(clock, logger);
      await compare();
      database.#comparing = setInterval(() => void compare(), CLOCK_INTERVAL_MS).unref();
    }
    return database;
  }

  async get(query: Sql): Promise<Row | undefined> {
    return (await this.all(query))[0];
  }

  run(_name: string, ...statements: readonly [Sql, ...Sql[]]): Promise<Row[]> {
    return this.all(joinStatements(statements));
  }

  write(build: (unsynced: Sql) => Sql): Promise<Row[]> {
    return this.all(build(UNSYNCED));
  }

  async all(query: Sql): Promise<Row[]> {
    const giveUpAt = performance.now() + READ_MS;
    for (let lost = 1; ; lost += 1) {
      try {
        return (await this.#pool.query<Row>({ ...this.#names.toQuery(query), ...until(giveUpAt) }))
          .rows;
      } catch (error) {
        if (!isUnavailable(error) && !isCollision(error)) throw error;
        if (isStalePlan(error)) this.#names.reset();
        const isOver = performance.now() + CONNECT_TIMEOUT_MS > giveUpAt;
        if (lost === MAX_LOST_CONNECTIONS || isOver) throw unavailable(error);
      }
    }
  }

  async transaction<T>(name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + TRANSACTION_MS;
    let lost = 0;
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#runOnce(name, work, giveUpAt);
      if (outcome.kind === 'committed') {
        for (const effect of outcome.effects) effect();
        return outcome.value;
      }
      if (outcome.kind === 'unanswered') await this.#waitForAbort(outcome);
      if (outcome.kind === 'lost') lost += 1;
      // Who has lost a connection may wait for another one.
      const pause = outcome.kind === 'collided' ? 0 : CONNECT_TIMEOUT_MS;
      const isOver = lost === MAX_LOST_CONNECTIONS || performance.now() + pause > giveUpAt;
      if (isOver) throw unavailable(outcome.error);
      this.#observer.transactionRetried(outcome.kind === 'collided' ? 'collision' : 'connection');
      await sleep(Math.random() * Math.min(2 ** tries, MAX_RETRY_PAUSE_MS));
    }
  }

  clockAheadMs(): number | undefined {
    return this.#clockAheadMs;
  }

  countConnections(): ConnectionCounts {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { inUse: totalCount - idleCount, waiting: waitingCount };
  }

  /** PostgreSQL's vacuum removes what was deleted. */
  purgeDeleted(): Promise<boolean> {
    return Promise.resolve(true);
  }

  close(): Promise<void> {
    clearInterval(this.#comparing);
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  /** Leases, deadlines and the times of attempts are by the clocks of servers, which should agree. */
  async #compareClocks(clock: Clock, logger: Logger): Promise<void> {
    const before = clock.now();
    const now = sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;
    const row = await this.get(now).catch(() => undefined);
    if (!row) return;
    const after = clock.now();
    const aheadMs = Math.round((before + after) / 2 - Number(row['now']));
    this.#clockAheadMs = aheadMs;
    // The answer came at some time between the two.
    if (Math.abs(aheadMs) - (after - before) / 2 <= MAX_CLOCK_DIFFERENCE_MS) return;
    logger.warn({ aheadMs }, 'the clocks of this server and of its database differ');
  }

  async #runOnce<T>(
    name: string,
    work: (tx: Transaction) => Promise<T>,
    giveUpAt: number,
  ): Promise<Outcome<T>> {
    const client = await this.#connect();
    if ('error' in client) return { kind: 'lost', error: client.error };
    const tx = new PostgresTransaction(name, client, this.#names, giveUpAt);
    let isUsable = false;
    try {
      const value = await work(tx);
      const outcome = await tx.commit(value);
      isUsable = outcome.kind !== 'unanswered';
      return outcome;
    } catch (thrown) {
      tx.end();
      // What the database refused counts, whatever its outcome above.
      const { failure } = tx;
      if (failure !== undefined && isUnavailable(failure)) return { kind: 'lost', error: failure };
      if (isStalePlan(failure)) this.#names.reset();
      isUsable = await tx.rollBack();
      if (isCollision(failure)) return { kind: 'collided', error: failure };
      throw failure ?? thrown;
    } finally {
      client.release(!isUsable);
    }
  }

  /**
   * Asks the server about a commit that was not answered. After a crash it may give the id of a transaction
   * that was lost to another one, so only that it was aborted is certain.
   *
   * @throws {AppError} when it may have been committed
   */
  async #waitForAbort({ id, error }: Extract<Outcome<unknown>, { kind: 'unanswered' }>) {
    const giveUpAt = performance.now() + OUTCOME_WAIT_MS;
    for (;;) {
      const status = await this.#pool
        .query<{ status: string | null }>({
          text: 'SELECT pg_xact_status($1::xid8) AS status',
          values: [id],
          ...until(giveUpAt),
        })
        .then(({ rows }) => rows[0]?.status)
        .catch(() => undefined);
      if (status === 'aborted') return;
      if (status === 'committed' || performance.now() > giveUpAt) throw unavailable(error);
      await sleep(OUTCOME_PAUSE_MS);
    }
  }

  async #connect(): Promise<PoolClient | { readonly error: unknown }> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      return { error };
    }
  }
}

class PostgresTransaction implements Transaction {
  readonly skipLocked = sql` FOR UPDATE SKIP LOCKED`;
  readonly forUpdate = sql` FOR UPDATE`;
  /** What the database refused first. */
  failure: unknown;
  readonly #name: string;
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  readonly #giveUpAt: number;
  readonly #effects: (() => void)[] = [];
  readonly #queued: QueryConfig[] = [];
  /** The answer to BEGIN, which is sent with the first statement. */
  #begun: Promise<QueryResult<Row>> | undefined;
  #isOver = false;

  constructor(name: string, client: PoolClient, names: StatementNames, giveUpAt: number) {
    this.#name = name;
    this.#client = client;
    this.#names = names;
    this.#giveUpAt = giveUpAt;
  }

  async get(query: Sql): Promise<Row | undefined> {
    return (await this.#query(query)).rows[0];
  }

  async all(query: Sql): Promise<Row[]> {
    return (await this.#query(query)).rows;
  }

  async run(statement: Sql): Promise<number> {
    return (await this.#query(statement)).rowCount ?? 0;
  }

  queue(...statements: readonly Sql[]): void {
    this.#requireOpen();
    if (statements.length > 0) this.#queued.push(this.#names.toQuery(joinStatements(statements)));
  }

  /**
   * From a sequence, which no transaction waits for. Two that raise it at the same time may get the same
   * number: one of them meets the other's row, and runs again.
   */
  async takeNumber(name: string, atLeast: number): Promise<number> {
    const row = await this.get(sql`
      WITH next AS MATERIALIZED (SELECT nextval(${name}) AS number)
      SELECT CASE WHEN number < ${atLeast} THEN setval(${name}, ${atLeast}) ELSE number END AS value
      FROM next`);
    return Number(row?.['value']);
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** Refuses every later statement. */
  end(): void {
    this.#isOver = true;
  }

  /**
   * Commits, with what is queued in the same packet: when one of those statements fails, PostgreSQL answers
   * the COMMIT with ROLLBACK.
   *
   * @throws what the database refused, unless the transaction may run again
   */
  async commit<T>(value: T): Promise<Outcome<T>> {
    this.end();
    const committed = { kind: 'committed', value, effects: this.#effects } as const;
    if (!this.#begun && this.#queued.length === 0) return committed;
    // Without it no one could tell the outcome of a commit that is not answered.
    const id = readId(await (this.#begun ?? this.#begin()));
    try {
      const { command } = await this.#send({ text: 'COMMIT', ...TO_END });
      if (command === 'COMMIT') return committed;
    } catch (error) {
      if (isCollision(error)) return { kind: 'collided', error };
      if (!isUnavailable(error)) throw error;
      return { kind: 'unanswered', id, error };
    }
    if (this.failure !== undefined) throw this.failure as Error;
    return { kind: 'collided', error: new Error('the transaction was rolled back') };
  }

  /** Answers whether the connection can be used again. */
  async rollBack(): Promise<boolean> {
    if (!this.#begun) return true;
    return this.#client.query({ text: 'ROLLBACK', ...TO_END }).then(
      () => true,
      () => false,
    );
  }

  async #query(query: Sql): Promise<QueryResult<Row>> {
    this.#requireOpen();
    if (!this.#begun) this.#begin().catch(ignore);
    return this.#note(this.#send({ ...this.#names.toQuery(query), ...until(this.#giveUpAt) }));
  }

  #begin(): Promise<QueryResult<Row>> {
    this.#cork();
    this.#begun = this.#note(this.#client.query<Row>({ text: BEGIN, ...until(this.#giveUpAt) }));
    return this.#begun;
  }

  /** Sends what is queued, then this. */
  #send(query: QueryConfig): Promise<QueryResult<Row>> {
    this.#cork();
    for (const each of this.#queued.splice(0)) {
      this.#note(this.#client.query<Row>(each)).catch(ignore);
    }
    return this.#client.query<Row>(query);
  }

  /** What is sent before the event loop turns goes out in one packet. */
  #cork(): void {
    const { stream } = (this.#client as PoolClient & WithSocket).connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
    });
  }

  async #note(answer: Promise<QueryResult<Row>>): Promise<QueryResult<Row>> {
    try {
      return await answer;
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  #requireOpen(): void {
    if (this.#isOver) throw new Error(`transaction "${this.#name}" is over`);
  }
}

/** Statements for the driver, with names for as many of them as a connection may keep the plans of. */
class StatementNames {
  readonly #max: number;
  readonly #names = new Map<string, string>();
  #resets = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Has every statement planned again, on every connection. */
  reset(): void {
    this.#resets += 1;
    this.#names.clear();
  }

  toQuery({ parts, values }: Sql): QueryConfig {
    const text = parts.reduce((before, part, index) => `${before}$${String(index)}${part}`);
    const query = { text, values: values.map(toParameter) };
    let name = this.#names.get(text);
    if (name === undefined && this.#names.size < this.#max) {
      name = `pay_${String(this.#resets)}_${String(this.#names.size)}`;
      this.#names.set(text, name);
    }
    return name === undefined ? query : { ...query, name };
  }
}

/** The socket of a connection, which the types of the driver leave out. */
interface WithSocket {
  readonly connection: { readonly stream: Duplex };
}

/** The answer to {@link BEGIN}: one result for each of its statements. */
function readId(results: unknown): string {
  return String((results as QueryResult<Row>[]).at(-1)?.rows[0]?.['id']);
}

/** One statement that does what all of them do: the first one first, so that it locks its row first. */
function joinStatements([first, ...others]: readonly Sql[]): Sql {
  if (first === undefined || others.length === 0) return first ?? sql``;
  const parts = others.map(
    (other, at) => sql`${new Sql([`part_${String(at)}`], [])} AS (${other})`,
  );
  return sql`WITH ${parts.reduce((before, part) => sql`${before}, ${part}`)} ${first}`;
}

/**
 * Finds out, without changing anything, whether a server could use a database.
 *
 * @throws {ConfigError} when it could not
 */
export async function checkDatabaseUrl(url: string): Promise<void> {
  await withClient(url, () => Promise.resolve());
}

/** A connection of its own to a database that is fit for use, without a time limit for statements. */
async function withClient<T>(url: string, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const { Client } = await importDriver();
  let client: (ClientBase & { end(): Promise<void> }) | undefined;
  try {
    // It reads the certificates that the address names.
    client = new Client(connectionOptions(url));
    client.on('error', ignore);
    await client.connect();
    await checkServer(client);
    return await work(client);
  } catch (error) {
    throw explain(error);
  } finally {
    await client?.end().catch(ignore);
  }
}

/** What the driver makes of the address: the certificates in it are texts. */
interface WithTls {
  readonly connectionParameters: { readonly ssl: boolean | ConnectionOptions };
}

/**
 * Without the certificates that it names, which are read once: the pool reads them for each connection, where
 * nothing catches what that throws, and a file that is gone would end the process.
 */
function withoutFiles(url: string): string {
  return url.replace(/(?<=[?&])ssl(mode|rootcert|cert|key)=[^&]*/g, '');
}

function connectionOptions(url: string) {
  return {
    connectionString: url,
    application_name: 'pay-session-server',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(`
    SELECT current_setting('server_version') AS version,
      current_setting('server_version_num') AS number, current_setting('server_encoding') AS encoding,
      current_setting('transaction_read_only') AS readonly, version() AS name`);
  const { version = '', number = '', encoding = '', readonly } = rows[0] ?? {};
  const mistakes: string[] = [];
  if (Number(number) < OLDEST_VERSION * 10_000) {
    mistakes.push(
      `it is PostgreSQL ${version}; expected version ${String(OLDEST_VERSION)} or newer`,
    );
  }
  if (encoding !== 'UTF8') {
    mistakes.push(`the database is encoded as ${encoding}; expected one made with ENCODING 'UTF8'`);
  }
  if (readonly === 'on') {
    mistakes.push('the database can only be read; expected the primary server, not a standby');
  }
  if (mistakes.length > 0) throw new ConfigError('DATABASE_URL', mistakes);
}

/** The driver comes with the platform that uses PostgreSQL. */
async function importDriver() {
  try {
    return (await import('pg')).default;
  } catch {
    throw new ConfigError('DATABASE_URL', ['it needs the package pg: npm install pg']);
  }
}

/** PostgreSQL has no U+0000 in a text: it is replaced, as what is no Unicode is by the driver. */
function toParameter(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : (value ?? null);
}

/** How long a statement may take that is given up at a time. */
function until(giveUpAt: number): { readonly query_timeout: number } {
  return { query_timeout: Math.max(1, giveUpAt - performance.now()) };
}

function ignore(): void {
  // Handled where the connection is used.
}
