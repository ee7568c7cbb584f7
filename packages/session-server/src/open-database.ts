import { prepareOrderIds } from './checkouts/order-ids.js';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import { addDatabaseCrashPoints } from './crash-decorators.js';
import { recoverFromCrash } from './crash-recovery.js';
import type { Logger } from './logger.js';
import { type Observer, SILENT_OBSERVER } from './observer.js';
import type { Database } from './store/database.js';
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
  options: { readonly clock: Clock; readonly logger?: Logger; readonly observer?: Observer },
): Promise<Database> {
  const { clock, observer = SILENT_OBSERVER } = options;
  const { databaseUrl, hasNamedStatements, databaseFile = '', maxOrderId } = config;
  const now = clock.now();
  const opened = databaseUrl
    ? await PostgresDatabase.open(databaseUrl.reveal(), { ...options, hasNamedStatements })
    : new SqliteDatabase(databaseFile);
  const database = addDatabaseCrashPoints(observeDatabase(opened, observer));
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

/** Notes how long the store takes. */
function observeDatabase(database: Database, observer: Pick<Observer, 'storeUsed'>): Database {
  if (observer === SILENT_OBSERVER) return database;
  const time = async <T>(operation: 'read' | 'transaction', work: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work;
    } finally {
      observer.storeUsed(operation, (performance.now() - startedAt) / 1000);
    }
  };
  return {
    isShared: database.isShared,
    get: (query) => time('read', database.get(query)),
    all: (query) => time('read', database.all(query)),
    transaction: (name, work) => time('transaction', database.transaction(name, work)),
    run: (name, first, ...others) => time('transaction', database.run(name, first, ...others)),
    write: (build) => time('transaction', database.write(build)),
    countConnections: () => database.countConnections(),
    purgeDeleted: () => database.purgeDeleted(),
    close: () => database.close(),
  };
}

/** For a command that may run at the same time as a server. */
export async function openBeside(
  { databaseUrl, databaseFile = '' }: Pick<Config, 'databaseUrl' | 'databaseFile'>,
  mode: 'read' | 'beside',
): Promise<Database> {
  return databaseUrl
    ? PostgresDatabase.open(databaseUrl.reveal(), { mode: 'beside' })
    : new SqliteDatabase(databaseFile, mode);
}
