import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TransactionList } from '../provider/gateway.js';
import { MIGRATIONS } from '../store/migrations.js';
import { migrate } from '../store/postgres-migrations.js';
import { SILENT_OBSERVER } from '../observer.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { endAt } from '../testing/page-end.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { AT_PROVIDER } from '../testing/store-harness.js';
import { READ_TURNS_BEFORE, TURNS_AFTER, TURNS_OF_ACCOUNTS } from '../testing/read-turns.js';
import { PageQuota } from './pacing.js';
import { ReadTurns } from './read-turns.js';
import { TransactionPoller } from './transaction-poller.js';

const MINUTE_MS = 60_000;
const LEASE_MS = 30_000;

let now: number;
let made: TestDatabase;
/** What the provider was asked, by which server. */
let calls: string[];
let underWay: number;
let mostUnderWay: number;
/** Each call waits for it. */
let provider: (server: string) => Promise<void>;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  now = Date.UTC(2026, 0, 20, 12);
  calls = [];
  underWay = 0;
  mostUnderWay = 0;
  provider = () => new Promise((resolve) => setImmediate(resolve));
  made = await createTestDatabase();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await made.drop();
});

/** The reader of one server; the list has as many pages of one old row as are given. */
async function startServer(
  name: string,
  options: { pages?: number; pagesPerMinute?: number; list?: TransactionList } = {},
) {
  const { pages = 1, pagesPerMinute = 100, list = AT_PROVIDER } = options;
  const database = await PostgresDatabase.open(made.url);
  closing.push(() => database.close());
  const poller = new TransactionPoller({
    ...list,
    clock: { now: () => now },
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    },
    gateway: {
      async listTransactions({ cursor = '0' }) {
        calls.push(name);
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        await provider(name);
        underWay -= 1;
        const page = Number(cursor);
        const transactionTime = new Date(now - page * 1000).toISOString();
        const row = { id: `tx-${cursor}`, transactionTime, references: {} };
        return { rows: [row], end: endAt(page + 1 < pages && String(page + 1)) };
      },
    },
    intervalMs: 0,
    pagesPerMinute,
    observer: SILENT_OBSERVER,
    onRows: () => Promise.resolve(),
    onComplete: () => Promise.resolve(),
    shared: database,
  });
  closing.push(() => poller.close());
  return {
    poll: () => poller.poll(now - MINUTE_MS),
    /** No read of another server serves it. */
    backfill: () => poller.poll(now - 120 * MINUTE_MS),
  };
}

it('several servers read the list of an account one at a time, beside a list of one merchant', async () => {
  const list = { account: AT_PROVIDER.account };
  const servers = [
    ...(await Promise.all(['one', 'two'].map((name) => startServer(name, { list })))),
    await startServer('of one merchant'),
  ];
  await Promise.all(servers.map(({ poll }) => poll()));
  expect(calls).toHaveLength(2);
  expect(calls).toContain('of one merchant');
});

it('an upgrade keeps the longest pause that a reader of the merchants of an account was asked for', async () => {
  const old = await createTestDatabase('template0');
  closing.push(() => old.drop());
  const client = new pg.Client({ connectionString: old.url });
  await client.connect();
  await migrate(client, MIGRATIONS.slice(0, 2));
  await client.query(READ_TURNS_BEFORE);
  await migrate(client);
  const { rows } = await client.query<Record<string, unknown>>(TURNS_OF_ACCOUNTS);
  await client.end();
  const numbers = (row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
      ]),
    );
  expect(rows.map(numbers)).toEqual(TURNS_AFTER);
});

describe('several servers that read the list of one provider merchant', () => {
  it('read it one at a time, and what one has read serves the others', async () => {
    const servers = await Promise.all(['one', 'two', 'three'].map((name) => startServer(name)));
    await Promise.all(servers.map(({ poll }) => poll()));
    expect(calls).toHaveLength(1);
    for (let round = 0; round < 5; round += 1) {
      now += 1000;
      await Promise.all(servers.map(({ poll }) => poll()));
    }
    expect(calls).toHaveLength(6);
    expect(mostUnderWay).toBe(1);
  });

  it('have one quota of pages a minute between them', async () => {
    const [one, other] = [
      await startServer('one', { pages: 3, pagesPerMinute: 3 }),
      await startServer('other', { pagesPerMinute: 3 }),
    ];
    await one.poll();
    now += 1;
    let isRead = false;
    const waiting = other.poll().then(() => {
      isRead = true;
    });
    const waits = () => made.query('SELECT pages FROM read_turns');
    await expect.poll(async () => (await waits())[0]?.['pages']).toContain('isBackfill');
    expect([calls, isRead]).toEqual([['one', 'one', 'one'], false]);
    now += MINUTE_MS;
    await waiting;
    expect(calls).toEqual(['one', 'one', 'one', 'other']);
  });

  it('share their quota with a report that a command reads beside them', async () => {
    const server = await startServer('one', { pages: 2, pagesPerMinute: 4 });
    const database = await PostgresDatabase.open(made.url);
    closing.push(() => database.close());
    const clock = { now: () => now };
    const quota = new PageQuota(clock, 4);
    const report = new ReadTurns({ database, clock, list: AT_PROVIDER, quota, intervalMs: 0 });
    provider = async () => {
      // While the server reads: neither forgets the page of the other.
      if (calls.length === 1) expect(await report.takePage()).toBe(true);
    };
    await server.poll();
    expect(await report.takePage()).toBe(true);
    expect(await report.takePage()).toBe(false);
    const [row] = await made.query('SELECT pages FROM read_turns');
    expect(JSON.parse(String(row?.['pages']))).toEqual(
      [false, true, false, true].map((isBackfill) => ({ at: now, isBackfill })),
    );
    now += MINUTE_MS;
    expect(await report.takePage()).toBe(true);
  });

  it('read in turn where one of them always has someone who waits', async () => {
    const [busy, other] = [await startServer('busy'), await startServer('other')];
    const wantedAt = async () =>
      Number((await made.query('SELECT wanted_at FROM read_turns'))[0]?.['wanted_at']);
    provider = async (name) => {
      // The other one asks during each of its turns: never between two of them.
      if (name === 'busy' && !calls.includes('other'))
        await expect.poll(wantedAt).toBeGreaterThan(0);
    };
    let reading = busy.poll();
    await expect.poll(() => calls).toEqual(['busy']);
    const waiting = other.backfill();
    for (let turn = 0; turn < 3; turn += 1) {
      await reading;
      now += 1;
      reading = busy.poll();
    }
    await reading;
    expect(calls.slice(0, 2)).toEqual(['busy', 'other']);
    await waiting;
  });

  it('go on when one of them was away for longer than its lease, which then reads no page more', async () => {
    const stalled = Promise.withResolvers<undefined>();
    provider = async (name) => {
      if (name === 'one') await stalled.promise;
    };
    const [one, other] = [await startServer('one', { pages: 9 }), await startServer('other')];
    const reading = one.poll();
    await expect.poll(() => calls).toEqual(['one']);
    now += LEASE_MS + 1;
    await other.poll();
    expect(calls).toEqual(['one', 'other']);
    stalled.resolve(undefined);
    await reading;
    expect(calls).toEqual(['one', 'other']);
  });
});
