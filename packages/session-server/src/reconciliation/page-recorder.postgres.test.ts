import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Attempt } from '../checkouts/attempt-repository.js';
import { touchOrder } from '../orders/repository.js';
import type { Database, Transaction } from '../store/database.js';
import { sql } from '../store/sql.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { AT_PROVIDER, StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import { OrderBatch } from './order-batch.js';
import { PageRecorder } from './page-recorder.js';

let made: TestDatabase;
let store: TestStore;
let other: TestStore;
/** What a transaction of a page was refused with, by SQLSTATE. */
let refused: string[];
/** Runs before a page's transaction is committed, with the number of its run. */
let beforeCommit: (run: number) => Promise<void>;

beforeEach(async () => {
  made = await createTestDatabase();
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const open = async () =>
    new TestStore(await PostgresDatabase.open(made.url), { clock, rules: TEST_RULES });
  [store, other] = [await open(), await open()];
  refused = [];
  beforeCommit = () => Promise.resolve();
});
afterEach(async () => {
  await store.close();
  await other.close();
  await made.drop();
});

function recorderOf({ database, context }: Pick<TestStore, 'database' | 'context'>): PageRecorder {
  const watched: Database = {
    ...database,
    transaction: (name, work) => {
      let run = 0;
      return database.transaction(name, async (tx) => {
        run += 1;
        const value = await noteRefusal(() => work(tx));
        await beforeCommit(run);
        return value;
      });
    },
  };
  return new PageRecorder({
    database: watched,
    context,
    merchants: { all: () => Promise.resolve([testMerchant()]) },
    clock: context.clock,
    logger: { warn: () => undefined, error: () => undefined },
    observer: { rowsIgnored: () => undefined, unknownOrderIdsSeen: () => undefined },
    onChange: () => undefined,
  });
}

async function noteRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    refused.push(error instanceof Error && 'code' in error ? String(error.code) : String(error));
    throw error;
  }
}

const openOrders = async (names: readonly string[]): Promise<Attempt[]> => {
  const attempts: Attempt[] = [];
  for (const order of names) {
    attempts.push((await new StoreHarness(store).activate({ order })).attempt);
  }
  return attempts;
};
const rowOf = ({ merchantReference, createdAt }: Attempt, id = merchantReference) => ({
  ...{ id, status: 'SUCCESS', merchantId: 1001, currencyCode: 'GBP', amount: '9.99' },
  transactionTime: new Date(createdAt).toISOString(),
  references: { orderRef: merchantReference },
});
const statesOf = (attempts: readonly Attempt[]) =>
  Promise.all(attempts.map(async ({ checkout }) => (await store.find(checkout))?.state));
const inTransaction = (work: (tx: Transaction) => Promise<unknown>) =>
  other.database.transaction('test', work);

describe('two servers that store pages about the same orders', () => {
  it('lock them one after the other by name, however the rows are listed', async () => {
    const attempts = await openOrders(Array.from({ length: 20 }, (_, at) => `A${String(at)}`));
    const lock = ({ database, context }: TestStore, keys: readonly Attempt[]) =>
      database.transaction('test', async (tx) => {
        const options = { context, account: AT_PROVIDER.account, transactions: [] };
        await noteRefusal(() => OrderBatch.lock(tx, keys, options));
        for (const key of keys) await noteRefusal(() => touchOrder(tx, key));
      });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([lock(store, attempts), lock(other, attempts.toReversed())]);
    }
    expect(refused).not.toContain('40P01');
  });
});

describe('a page about an order that others change all the time', () => {
  it('is stored by order once it has collided twice', async () => {
    const attempts = await openOrders(['A', 'B', 'C']);
    let pageRuns = 0;
    const recorder = recorderOf({
      context: store.context,
      database: {
        ...store.database,
        transaction: (name, work) =>
          store.database.transaction(name, async (tx) => {
            pageRuns += 1;
            if (pageRuns > 2) return work(tx);
            // What this transaction sees is older than what another one then stores.
            await tx.get(sql`SELECT 1 FROM orders`);
            await inTransaction((another) =>
              touchOrder(another, { merchant: 'teashop', order: 'B' }),
            );
            return work(tx);
          }),
      },
    });
    await recorder.record(
      AT_PROVIDER,
      attempts.map((attempt) => rowOf(attempt)),
    );
    expect(refused.slice(0, 3)).toEqual(['40001', '40001', 'Error: the page collided twice']);
    expect(new Set(await statesOf(attempts))).toEqual(new Set(['paid']));
  });
});

describe('a create of an order whose page is being stored', () => {
  it('waits for that transaction only, and sees the payment', async () => {
    const attempts = await openOrders([
      'A',
      ...Array.from({ length: 19 }, (_, at) => `B${String(at)}`),
    ]);
    let created: Promise<string> | undefined;
    let transactions = 0;
    beforeCommit = async () => {
      transactions += 1;
      if (transactions === 1) {
        const creating = other.beginAttempt({ ...TEST_REQUEST, order: 'A' });
        created = creating.then(({ kind }) => kind);
        const locks = () =>
          made.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
            AND datname = current_database()`);
        await expect.poll(async () => (await locks()).length).toBe(1);
      } else await created; // It does not wait for this one.
    };
    await recorderOf(store).record(
      AT_PROVIDER,
      attempts.map((attempt) => rowOf(attempt)),
    );
    expect(await created).toBe('settled');
    expect(transactions).toBe(2);
    expect(new Set(await statesOf(attempts))).toEqual(new Set(['paid']));
  });
});
