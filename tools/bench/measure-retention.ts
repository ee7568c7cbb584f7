import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeHistory, removeOrders } from '../../packages/session-server/dist/erasure/removal.js';
import { addOrder } from '../../packages/session-server/dist/orders/repository.js';
import type { Database } from '../../packages/session-server/dist/store/database.js';
import { PostgresDatabase } from '../../packages/session-server/dist/store/postgres-database.js';
import { SqliteDatabase } from '../../packages/session-server/dist/store/sqlite-database.js';
import { Sql, sql } from '../../packages/session-server/dist/store/sql.js';
import {
  queryAt,
  type PostgresServer,
} from '../../packages/session-server/src/testing/postgres-server.ts';
import { round } from './load.ts';
import { BENCH_MERCHANT_ID } from './merchant.ts';
import { seedDataFile, seedPostgres } from './seed-history.ts';

/** Two years of 50,000 orders a month. */
const ORDERS = 1_200_000;
const MERCHANTS = 100;
const DAY_MS = 86_400_000;
/** As the server removes them. */
const STEP = { orders: 10, pauseMs: 50 };
/** After that, to measure what is left. */
const BIG_STEP = { orders: 500, pauseMs: 0 };
const HISTORY_DAYS = 180;
const ORDER_DAYS = 400;
const WATCHED_MS = 20_000;
/** One put of an order after the other, with this pause between them. */
const PUT_PAUSE_MS = 10;

/**
 * What removing the rows of old orders takes and frees, and how long the store takes for others in the
 * meantime. The orders are erased beforehand.
 */
export async function measureRetention(postgres?: PostgresServer): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'retention-'));
  const file = join(folder, 'data.sqlite');
  const open = (): Promise<Database> | Database =>
    postgres ? PostgresDatabase.open(postgres.url()) : new SqliteDatabase(file);
  // The first one makes the tables.
  await (await open()).close();
  if (postgres) await seedPostgres(postgres.url(), ORDERS, MERCHANTS);
  else seedDataFile(file, ORDERS, MERCHANTS);
  const database = await open();
  const now = Date.now();
  const erase = `UPDATE orders SET erased_at = ${String(now)}
    WHERE renewed_at < ${String(now - HISTORY_DAYS * DAY_MS)}`;
  if (postgres) await queryAt(postgres.url(), `${erase}; CHECKPOINT`);
  else await database.transaction('bench', (tx) => tx.run(new Sql([erase], [])));
  const size = async () => {
    if (!postgres) return megabytes(await usedBytes(database));
    await queryAt(postgres.url(), 'VACUUM FULL ANALYZE');
    const row = await database.get(sql`SELECT pg_database_size(current_database()) AS bytes`);
    return megabytes(Number(row?.['bytes']));
  };
  const before = await size();
  const idle = await timesOfPuts(database, sleep(WATCHED_MS));
  const paced = removeFor(database, WATCHED_MS, STEP);
  const removing = await timesOfPuts(database, paced);
  const rest = await removeFor(database, Infinity, BIG_STEP);
  // What autovacuum does in the background, on all tables at once.
  const vacuumedAt = performance.now();
  if (postgres) await queryAt(postgres.url(), 'VACUUM');
  const vacuumMs = postgres && round(performance.now() - vacuumedAt);
  const indexes = postgres && (await rebuildIndexes(postgres.url(), database));
  const after = await size();
  const fileMb = postgres ? undefined : megabytes(statSync(file).size);
  await database.close();
  rmSync(folder, { recursive: true });
  return {
    engine: postgres ? 'postgres' : 'sqlite',
    orders: ORDERS,
    putMs: { idle, removing },
    paced: await paced,
    ...{ rest, vacuumMs, indexes },
    megabytes: { before, after, fileMb },
  };
}

/** Removes orders as the server does, for so long or to the end. */
async function removeFor(database: Database, forMs: number, step: typeof STEP) {
  const now = Date.now();
  const until = performance.now() + forMs;
  const times: number[] = [];
  let [history, orders] = [0, 0];
  for (let isMore = true; isMore && performance.now() < until;) {
    const start = performance.now();
    const ofStep = (days: number) => ({ before: now - days * DAY_MS, limit: step.orders });
    const removedHistory = await database.transaction('bench:history', (tx) =>
      removeHistory(tx, ofStep(HISTORY_DAYS), now),
    );
    const removedOrders = await database.transaction('bench:orders', (tx) =>
      removeOrders(tx, ofStep(ORDER_DAYS)),
    );
    times.push(performance.now() - start);
    history += removedHistory;
    orders += removedOrders;
    isMore = Math.max(removedHistory, removedOrders) === step.orders;
    await sleep(step.pauseMs);
  }
  return { history, orders, steps: times.length, stepMs: summarise(times) };
}

const REBUILT = ['orders', 'checkouts', 'attempts', 'outbox_events', 'matched_transactions'];

/** What the advice to rebuild indexes gives back, how long it takes, and what it costs others. */
async function rebuildIndexes(url: string, database: Database): Promise<object> {
  const size = async () => {
    const row = await database.get(
      sql`SELECT sum(pg_indexes_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r'`,
    );
    return megabytes(Number(row?.['bytes']));
  };
  const before = await size();
  const start = performance.now();
  const rebuilt = (async () => {
    for (const table of REBUILT) await queryAt(url, `REINDEX TABLE CONCURRENTLY ${table}`);
    return round(performance.now() - start);
  })();
  const putMs = await timesOfPuts(database, rebuilt);
  return { ms: await rebuilt, putMs, megabytes: { before, after: await size() } };
}

/** How long putting an order takes, again and again until `end`. */
async function timesOfPuts(database: Database, end: Promise<unknown>) {
  const times: number[] = [];
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    const order = `put-${String(start)}`;
    await database.transaction('bench:put', async (tx) => {
      await tx.run(addOrder({ merchant: BENCH_MERCHANT_ID, order }, Date.now()));
    });
    times.push(performance.now() - start);
    await sleep(PUT_PAUSE_MS);
  }
  return summarise(times);
}

function summarise(times: readonly number[]): object {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Without the pages that are free. */
async function usedBytes(database: Database): Promise<number> {
  const row = await database.get(sql`
    SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`);
  return Number(row?.['bytes']);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
