import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { readOrderList } from '../../packages/operator/dist/order-list.js';
import { searchOrders } from '../../packages/operator/dist/search.js';
import { DataEncryption, loadSandboxKeys } from '../../packages/session-server/dist/encryption.js';
import { PostgresDatabase } from '../../packages/session-server/dist/store/postgres-database.js';
import { SqliteDatabase } from '../../packages/session-server/dist/store/sqlite-database.js';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { round } from './load.ts';
import { BENCH_MERCHANT_ID } from './merchant.ts';
import { pastOrder, seedDataFile, seedPostgres } from './seed-history.ts';

const ORDERS = 1_000_000;
const MERCHANTS = 100;
const ROUNDS = 15;
const DAY_MS = 86_400_000;

/** Milliseconds in which the pages of a platform team find one order of a million, and list them. */
export async function measureSearch(postgres?: PostgresServer): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'search-'));
  const file = join(folder, 'data.sqlite');
  const open = () => (postgres ? PostgresDatabase.open(postgres.url()) : new SqliteDatabase(file));
  // The first one makes the tables.
  await (await open()).close();
  if (postgres) await seedPostgres(postgres.url(), ORDERS, MERCHANTS);
  else seedDataFile(file, ORDERS, MERCHANTS);
  const database = await open();
  const parts = { database, encryption: new DataEncryption(loadSandboxKeys(file)) };
  const name = pastOrder(ORDERS / 2);
  const [found] = (await searchOrders(parts, `int_${String(ORDERS / 2)}`)).orders;
  if (found?.order !== name) throw new Error('the order was to be found');
  const figures: Record<string, object> = {};
  for (const [what, text] of [
    ['its name', name],
    ['a beginning in lower case', name.slice(0, 5).toLowerCase()],
    ['internal reference', `int_${String(ORDERS / 3)}`],
    ['last digits, one order in 9,000', '4242'],
    ['an amount that all have', '9.99 GBP'],
    ['an e-mail', 'someone@example.test'],
    ['nothing', 'nothing-of-this-name'],
  ] as const) {
    figures[`search: ${what}`] = await timesOf(() => searchOrders(parts, text));
  }
  const now = Date.now();
  const day = { from: String(now - 40 * DAY_MS), to: String(now - 39 * DAY_MS) };
  const merchant = BENCH_MERCHANT_ID;
  for (const [what, query] of [
    ['newest', {}],
    ['a state that all have', { state: 'paid' }],
    ['a state that none has', { state: 'unconfirmed' }],
    ['a merchant', { merchant }],
    ['a day', day],
    ['a merchant’s day', { merchant, ...day }],
    ['what needs a person', { attention: 'open' }],
  ] as const) {
    figures[`first page and totals: ${what}`] = await timesOf(() => readOrderList(parts, query));
  }
  const { next = '' } = await readOrderList(parts, { to: String(now - 700 * DAY_MS) });
  figures['page behind a cursor'] = await timesOf(() => readOrderList(parts, { cursor: next }));
  await database.close();
  rmSync(folder, { recursive: true });
  return { engine: postgres ? 'postgres' : 'sqlite', orders: ORDERS, figures };
}

async function timesOf(work: () => Promise<unknown>): Promise<object> {
  const times: number[] = [];
  for (let index = 0; index < ROUNDS; index += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  const [first = 0] = times;
  const sorted = times.toSorted((one, other) => one - other);
  return { firstMs: round(first), p50Ms: round(sorted[Math.floor(ROUNDS / 2)] ?? 0) };
}
