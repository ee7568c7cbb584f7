import { prepareOrderIds } from './checkouts/order-ids.js';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import type { OnStep } from './crash-points.js';
import { recoverFromCrash } from './crash-recovery.js';
import type { Logger } from './logger.js';
import { type Observer, SILENT_OBSERVER } from './observer.js';
import type { Database, Transaction } from './store/database.js';
import { PostgresDatabase } from './store/postgres-database.js';
import { SqliteDatabase } from './store/sqlite-database.js';

/**
 * Opens the database of a server: PostgreSQL where there is a `DATABASE_URL`, else the data file.
 *
 * What a dead server left unfinished is settled at once in a data file, which has one server. In
 * PostgreSQL, other servers may be running: there it is taken over when its lease has expired.
 *
 * @throws {ConfigError} when the database cannot be used
 * @throws {DataFileError} when the data file cannot be used
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'hasNamedStatements' | 'databaseFile' | 'maxOrderId'>,
  options: {
    readonly clock: Clock;
    readonly logger?: Logger;
    readonly observer?: Observer;
    readonly onStep?: OnStep | undefined;
  },
): Promise<Database> {
  const { clock, observer = SILENT_OBSERVER } = options;
  const { databaseUrl, hasNamedStatements, databaseFile = '', maxOrderId } = config;
  const now = clock.now();
  const opened = databaseUrl
    ? await PostgresDatabase.open(databaseUrl.reveal(), { ...options, hasNamedStatements })
    : new SqliteDatabase(databaseFile);
  const database = observeDatabase(opened, observer, options.onStep);
  try {
    if (databaseUrl) {
      // Now, and not in the first attempts of several servers at once.
      await database.transaction('store:place-order-ids', (tx) =>
        prepareOrderIds(tx, now, maxOrderId),
      );
    } else {
      await recoverFromCrash(database, now);
    }
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Notes how long the store takes, and reports its steps: each transaction by its name, and two for all. */
function observeDatabase(
  database: Database,
  observer: Pick<Observer, 'storeUsed'>,
  onStep: OnStep | undefined,
): Database {
  if (observer === SILENT_OBSERVER && !onStep) return database;
  const time = async <T>(operation: 'read' | 'transaction', work: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work;
    } finally {
      observer.storeUsed(operation, (performance.now() - startedAt) / 1000);
    }
  };
  const reportCommit = (name: string | undefined): void => {
    onStep?.('store:committed');
    if (name !== undefined) onStep?.(name);
  };
  return {
    isShared: database.isShared,
    get: (query) => time('read', database.get(query)),
    all: (query) => time('read', database.all(query)),
    async transaction(name, work) {
      const written = async (tx: Transaction) => {
        const value = await work(tx);
        onStep?.('store:written');
        return value;
      };
      const result = await time('transaction', database.transaction(name, onStep ? written : work));
      // A claim that found nothing is not a step.
      reportCommit(Array.isArray(result) && result.length === 0 ? undefined : name);
      return result;
    },
    async run(name, first, ...others) {
      const rows = await time('transaction', database.run(name, first, ...others));
      reportCommit(name);
      return rows;
    },
    write: (build) => time('transaction', database.write(build)),
    clockAheadMs: () => database.clockAheadMs(),
    countConnections: () => database.countConnections(),
    purgeDeleted: () => database.purgeDeleted(),
    close: () => database.close(),
  };
}

/** For a command that may run at the same time as a server. */
export async function openAlongside(
  { databaseUrl, databaseFile = '' }: Pick<Config, 'databaseUrl' | 'databaseFile'>,
  mode: 'read' | 'alongside',
): Promise<Database> {
  return databaseUrl
    ? PostgresDatabase.open(databaseUrl.reveal(), { mode: 'alongside' })
    : new SqliteDatabase(databaseFile, mode);
}
