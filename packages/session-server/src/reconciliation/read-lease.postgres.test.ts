import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../checkouts/change-feed.js';
import { createLogger } from '../logger.js';
import { SILENT_OBSERVER } from '../observer.js';
import type { TransactionList } from '../provider/gateway.js';
import { RunLoops } from '../run-loop.js';
import { MIGRATIONS } from '../store/migrations.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { migrate } from '../store/postgres-migrations.js';
import { sql } from '../store/sql.js';
import { endAt } from '../testing/page-end.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { READ_TURNS_BEFORE, TURNS_AFTER, TURNS_OF_ACCOUNTS } from '../testing/read-turns.js';
import { AT_PROVIDER, StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import { ListReader } from './list-reader.js';
import { PageQuota } from './pacing.js';
import { LEASE_MS, ReadLease } from './read-lease.js';
import { ReconciliationService } from './service.js';

const MINUTE_MS = 60_000;
const LIST = { account: AT_PROVIDER.account };

let offsetMs: number;
const clock = { now: () => Date.now() + offsetMs };
let made: TestDatabase;
/** What the provider was asked, by which server. */
let calls: string[];
let running: number;
let mostRunning: number;
/** Each call waits for it. */
let provider: (server: string) => Promise<void>;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  offsetMs = 0;
  calls = [];
  running = 0;
  mostRunning = 0;
  provider = () => new Promise((resolve) => setImmediate(resolve));
  made = await createTestDatabase();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await made.drop();
});

/** A list that has as many pages of one row as are given. */
function gatewayOf(name: string, pages: number) {
  return {
    async listTransactions({ cursor = '0' }: { readonly cursor?: string | undefined }) {
      calls.push(name);
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await provider(name);
      running -= 1;
      const page = Number(cursor);
      const transactionTime = new Date(clock.now() - page * 1000).toISOString();
      const row = { id: `tx-${cursor}`, transactionTime, references: {} };
      return { rows: [row], end: endAt(page + 1 < pages && String(page + 1)) };
    },
  };
}

async function openDatabase(): Promise<PostgresDatabase> {
  const database = await PostgresDatabase.open(made.url);
  closing.push(() => database.close());
  return database;
}

/** A server that polls for what is stored. */
async function startServer(name: string, { pages = 1 } = {}) {
  const database = await openDatabase();
  const store = new TestStore(database, { clock, rules: TEST_RULES });
  const logger = createLogger('silent');
  const merchant = testMerchant();
  const reconciliation = new ReconciliationService({
    database,
    context: store.context,
    merchants: {
      find: () => Promise.resolve(merchant),
      all: () => Promise.resolve([merchant]),
      close: () => Promise.resolve(),
    },
    gateway: gatewayOf(name, pages),
    changes: new ChangeFeed(),
    clock,
    logger,
    loops: new RunLoops({ database, clock, logger, tickMs: 100 }),
    intervalMs: 1,
    pagesPerMinute: 100,
  });
  await reconciliation.start();
  closing.push(() => reconciliation.close());
  return { store, reconciliation };
}

/** The reader of one server, for polls that are not stored. */
async function startReader(name: string, pagesPerMinute: number, list: TransactionList = LIST) {
  const database = await openDatabase();
  const logger = createLogger('silent');
  const reader = new ListReader({
    ...list,
    gateway: gatewayOf(name, 3),
    clock,
    logger,
    loops: new RunLoops({ database, clock, logger, tickMs: 100 }),
    intervalMs: 1,
    pagesPerMinute,
    observer: SILENT_OBSERVER,
    lease: (quota) => new ReadLease({ database, clock, list, quota }),
    findDue: () => Promise.resolve([]),
    onRows: () => Promise.resolve(),
    onRead: () => Promise.resolve(),
  });
  closing.push(() => reader.close());
  return reader;
}

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

describe('several servers that poll for the attempts of one account', () => {
  const plans = (store: TestStore) =>
    store.database.all(sql`SELECT polls, next_poll_at, polled_at FROM attempts`);

  it('poll one at a time, whichever of them stored the hint, and leave the lease when nothing is due', async () => {
    const one = await startServer('one');
    const { checkout } = await new StoreHarness(one.store).activate();
    await one.store.hint(checkout.id);
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(['one']);
    const others = [await startServer('two'), await startServer('three')];
    for (const [index, { store, reconciliation }] of others.entries()) {
      offsetMs += 1000;
      await store.hint(checkout.id);
      reconciliation.wake();
      await expect.poll(() => calls.length, { timeout: 5000 }).toBe(index + 2);
    }
    expect(mostRunning).toBe(1);
    const holders = sql`SELECT holder FROM read_turns WHERE lease_until > 0`;
    await expect.poll(() => one.store.database.all(holders)).toEqual([]);
  });

  it('go on at once when the one that reads is stopped', async () => {
    const one = await startServer('one');
    const { checkout } = await new StoreHarness(one.store).activate();
    await one.store.hint(checkout.id);
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(['one']);
    const two = await startServer('two');
    await one.reconciliation.close();
    await two.store.hint(checkout.id);
    two.reconciliation.wake();
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(['one', 'two']);
  });

  it('go on when it was away for longer than its lease; it moves nothing back, and reads no page more', async () => {
    const stalled = Promise.withResolvers<undefined>();
    provider = async (name) => {
      if (name === 'one') await stalled.promise;
    };
    const one = await startServer('one', { pages: 9 });
    const { checkout } = await new StoreHarness(one.store).activate();
    await one.store.hint(checkout.id);
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(['one']);
    offsetMs += LEASE_MS + 1;
    const two = await startServer('two');
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(['one', 'two']);
    await expect
      .poll(async () => (await plans(two.store))[0]?.['polls'], { timeout: 5000 })
      .toBe(1);
    const planned = await plans(two.store);
    stalled.resolve(undefined);
    await one.reconciliation.close();
    expect(calls).toEqual(['one', 'two']);
    expect(await plans(two.store)).toEqual(planned);
  });

  it('plan nothing after a read that ends when another one has taken the lease', async () => {
    const stalled = Promise.withResolvers<undefined>();
    provider = async (name) => {
      if (name === 'one') await stalled.promise;
    };
    const one = await startServer('one');
    const { checkout } = await new StoreHarness(one.store).activate();
    await one.store.hint(checkout.id);
    await expect.poll(() => calls, { timeout: 5000 }).toEqual(['one']);
    offsetMs += LEASE_MS + 1;
    const database = await openDatabase();
    const quota = new PageQuota(clock, 100);
    const lease = new ReadLease({ database, clock, list: LIST, quota });
    expect(await lease.hold()).toBe(true);
    const before = await plans(one.store);
    stalled.resolve(undefined);
    await one.reconciliation.close();
    expect(await plans(one.store)).toEqual(before);
  });
});

describe('the pages of a list that several servers read', () => {
  it('are one quota a minute between them', async () => {
    const [one, other] = [await startReader('one', 3), await startReader('other', 3)];
    await one.poll(clock.now() - MINUTE_MS);
    await one.close();
    expect(calls).toEqual(['one', 'one', 'one']);
    const polled = other.poll(clock.now() - MINUTE_MS);
    const holders = () =>
      made.query("SELECT 1 FROM read_turns WHERE holder <> '' AND lease_until > 0");
    await expect.poll(async () => (await holders()).length).toBe(1);
    expect(calls).toHaveLength(3);
    offsetMs += MINUTE_MS;
    await polled;
    expect(calls.slice(3)).toEqual(['other', 'other', 'other']);
  });

  it('are shared with a report that a command reads at the same time', async () => {
    const server = await startReader('one', 8);
    const database = await openDatabase();
    const quota = new PageQuota(clock, 8);
    const report = new ReadLease({ database, clock, list: LIST, quota });
    provider = async () => {
      // While the server reads: neither forgets the page of the other.
      if (calls.length === 1) expect(await report.takePage()).toBe(true);
    };
    await server.poll(clock.now() - MINUTE_MS);
    for (let page = 0; page < 3; page += 1) expect(await report.takePage()).toBe(true);
    expect(await report.takePage()).toBe(false);
    const [row] = await made.query('SELECT pages FROM read_turns');
    const pages = JSON.parse(String(row?.['pages'])) as { isBackfill: boolean }[];
    expect(pages.map(({ isBackfill }) => isBackfill)).toEqual([
      ...[false, true, false, false, true, true, true],
    ]);
    offsetMs += MINUTE_MS;
    expect(await report.takePage()).toBe(true);
  });

  it('are read one after the other, next to those of a list of one merchant', async () => {
    const readers = [
      await startReader('of the account', 100),
      await startReader('of one merchant', 100, AT_PROVIDER),
    ];
    await Promise.all(readers.map((reader) => reader.poll(clock.now() - MINUTE_MS)));
    expect(new Set(calls)).toEqual(new Set(['of the account', 'of one merchant']));
  });
});
