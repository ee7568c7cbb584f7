import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import { compare, type Comparison } from './compare.ts';
import { load, type LoadResult, round } from './load.ts';
import { BENCH_KEY } from './merchant.ts';
import { type BenchProcess, startProcess } from './process.ts';
import { pastOrder, seedDataFile, seedPostgres } from './seed-history.ts';
import { CONCURRENCY, createMany } from './shopper.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const HEADERS = { authorization: `Bearer ${BENCH_KEY}` };
const ROUNDS = { warming: 2, rounds: 9 };

type Env = Readonly<Record<string, string>>;

interface History {
  readonly server: BenchProcess;
  /** Of its store, without what the bench itself has added. */
  readonly megabytes: number;
  end(): Promise<void>;
}

/** What creating, reading and listing costs with few and with many past orders in the store. */
export async function measureHistory(env: Env, postgres?: PostgresServer): Promise<object> {
  const start = (orders: number): Promise<History> =>
    postgres ? startOnPostgres(orders, env, postgres) : startOnDataFile(orders, env);
  const [few, many] = await Promise.all([start(FEW), start(MANY)]);
  const compareAt = (
    requests: number,
    measure: (url: string, requests: number) => Promise<LoadResult>,
  ) => compare(many.server, few.server, requests, measure, ROUNDS);
  const create = await compareAt(1000, createMany);
  const read = await compareAt(1000, readPast);
  const list = await compareAt(100, listNewest);
  await Promise.all([few.end(), many.end()]);
  return {
    engine: postgres ? 'postgres' : 'sqlite',
    orders: [FEW, MANY],
    megabytes: [few.megabytes, many.megabytes],
    create: toCosts(create),
    read: toCosts(read),
    list: toCosts(list),
  };
}

/** Requests a second and milliseconds with few and with many, and what one costs with many in that with few. */
function toCosts({ ours: many, peer: few, ratio, cpuRatio }: Comparison): object {
  return {
    requestsPerSecond: [few.requestsPerSecond, many.requestsPerSecond],
    p50: [few.p50, many.p50],
    p99: [few.p99, many.p99],
    costRatio: round(1 / ratio),
    cpuRatio,
  };
}

/** Orders of any age, which both stores have. */
function readPast(url: string, requests: number): Promise<LoadResult> {
  const request = () => {
    const order = pastOrder(1 + Math.floor(Math.random() * FEW));
    return { path: `/v1/merchant/orders/${order}`, method: 'GET' as const, headers: HEADERS };
  };
  return load({ url, requests, concurrency: CONCURRENCY, request });
}

function listNewest(url: string, requests: number): Promise<LoadResult> {
  const path = '/v1/merchant/orders?state=paid&limit=20';
  const request = () => ({ path, method: 'GET' as const, headers: HEADERS });
  return load({ url, requests, concurrency: 5, request });
}

async function startOnDataFile(orders: number, env: Env): Promise<History> {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const file = join(folder, 'data.sqlite');
  const own = { ...env, BENCH_FOLDER: folder };
  // The first start makes the tables.
  await (await startProcess('server.ts', own)).stop();
  seedDataFile(file, orders);
  const megabytes = toMegabytes(statSync(file).size);
  const server = await startProcess('server.ts', own);
  const end = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true });
  };
  return { server, megabytes, end };
}

async function startOnPostgres(
  orders: number,
  env: Env,
  postgres: PostgresServer,
): Promise<History> {
  const database = `history_${String(orders)}`;
  await postgres.query(`CREATE DATABASE ${database}`);
  const own = { ...env, DATABASE_URL: postgres.url(database) };
  await (await startProcess('server.ts', own)).stop();
  await seedPostgres(own.DATABASE_URL, orders);
  const [row] = await postgres.query(`SELECT pg_database_size('${database}') AS bytes`);
  const server = await startProcess('server.ts', own);
  return { server, megabytes: toMegabytes(Number(row?.['bytes'])), end: () => server.stop() };
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
