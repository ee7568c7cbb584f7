import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getAttempt } from '../checkouts/attempt-repository.js';
import { applyFacts, applyTime } from '../checkouts/checkout-transactions.js';
import { getCheckout } from '../checkouts/repository.js';
import { toStoredToken } from '../checkouts/attempt-ids.js';
import { eraseOrder } from '../erasure/order-data.js';
import { startRetention } from '../erasure/retention.js';
import { createLogger } from '../logger.js';
import { touchOrder } from '../orders/repository.js';
import { type ClaimedEvents, claimEvents, insertEvent } from '../outbox/repository.js';
import { OrderBatch } from '../reconciliation/order-batch.js';
import { declareLoss } from '../restore/repository.js';
import { recordReturn } from '../returns/record-return.js';
import { RunLoops } from '../run-loop.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import type { Transaction } from './database.js';
import { PostgresDatabase } from './postgres-database.js';
import { sql } from './sql.js';

let now: number;
let made: TestDatabase;
let store: TestStore;
let other: TestStore;
beforeEach(async () => {
  now = Date.UTC(2026, 0, 20, 12);
  made = await createTestDatabase();
  const clock = { now: () => now };
  const open = async () =>
    new TestStore(await PostgresDatabase.open(made.url), { clock, rules: TEST_RULES });
  [store, other] = [await open(), await open()];
});
afterEach(async () => {
  await store.close();
  await other.close();
  await made.drop();
});

/** Begins a transaction of the other server, which goes on when `proceed` is called. */
async function begin<T>(work: (tx: Transaction) => Promise<T>) {
  const begun = Promise.withResolvers<undefined>();
  const stalled = Promise.withResolvers<undefined>();
  const result = other.database.transaction('test', async (tx) => {
    await tx.get(sql`SELECT 1 FROM counters`);
    begun.resolve(undefined);
    await stalled.promise;
    return work(tx);
  });
  await begun.promise;
  return {
    proceed: () => {
      stalled.resolve(undefined);
      return result;
    },
  };
}

describe('two servers that claim events at the same moment', () => {
  const claim = { limit: 10, perMerchant: 5, leaseSeconds: 30 };
  const idsOf = ({ events }: ClaimedEvents) => events.map(({ id }) => id);

  const addEvent = (checkout: string, sequence: number, dueAt: number) =>
    store.database.transaction('test', (tx) =>
      tx.run(
        insertEvent(
          {
            id: `${checkout} ${String(sequence)}`,
            ...{ checkout, merchant: 'teashop', type: 'checkout.left', sequence, body: '{}' },
          },
          dueAt,
        ),
      ),
    );

  it('send one event of a checkout at a time, where the earlier one has just fallen due again', async () => {
    const { id } = (await new StoreHarness(store).activate()).checkout;
    await addEvent(id, 1, now + 1000);
    await addEvent(id, 2, now);
    const claiming = await begin((tx) => claimEvents(tx, claim, now + 1000));
    const first = await store.database.transaction('test', (tx) => claimEvents(tx, claim, now));
    expect(idsOf(first)).toEqual([`${id} 2`]);
    expect(idsOf(await claiming.proceed())).toEqual([]);
  });

  it('send a shop no more events together than one server alone', async () => {
    const harness = new StoreHarness(store);
    const one = (await harness.activate()).checkout.id;
    const two = (await harness.activate({ order: 'A1002' })).checkout.id;
    await addEvent(one, 1, now);
    await addEvent(two, 1, now - 1000);
    const alone = { ...claim, perMerchant: 1 };
    const claiming = await begin((tx) => claimEvents(tx, alone, now));
    const first = await store.database.transaction('test', (tx) =>
      claimEvents(tx, alone, now - 1000),
    );
    expect(idsOf(first)).toEqual([`${two} 1`]);
    expect(idsOf(await claiming.proceed())).toEqual([]);
  });
});

describe('a shopper who comes back while the payment is recorded', () => {
  it('waits for it, and neither waits for the other', async () => {
    const { checkout, tokens } = await new StoreHarness(store).activate();
    const held = await begin(async (tx) => {
      // As a payment does.
      await touchOrder(tx, checkout);
      const locks = () =>
        made.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND datname = current_database()`);
      returning = comeBack();
      await expect.poll(async () => (await locks()).length).toBe(1);
      const current = await getCheckout(tx, checkout.id);
      const paid = { type: 'payment-proved', transaction: 'tx-1' } as const;
      await applyFacts(tx, current, [paid], other.context);
    });
    const collisions: string[] = [];
    const comeBack = () =>
      store.database.transaction('return:record', async (tx) => {
        try {
          return await recordReturn(tx, toStoredToken(tokens.return), store.context);
        } catch (error) {
          collisions.push((error as { readonly code: string }).code);
          throw error;
        }
      });
    let returning: ReturnType<typeof comeBack> | undefined;
    await held.proceed();
    expect((await returning)?.change.after.state).toBe('paid');
    expect(collisions).toEqual(['40001']);
  });
});

describe('what moves an order while another server records a payment of it', () => {
  const key = { merchant: 'teashop', order: 'A1001' };
  const row = { id: 'tx-1', status: 'CHARGEBACK', references: {} };
  type Work = (tx: Transaction) => Promise<unknown>;
  const works = new Map<string, Work>(
    Object.entries({
      'the clock': (tx) => applyTime(tx, 10, store.context),
      'an erasure': (tx) => eraseOrder(tx, key, now),
      'a payment that takes another status': async (tx) => {
        const attempt = await getAttempt(tx, orderId);
        const settings = testMerchant().evidence;
        const result = { kind: 'none', reason: 'unlisted_status', status: row.status } as const;
        const { context } = store;
        const options = { context, account: attempt.account, transactions: [row.id] };
        const batch = await OrderBatch.lock(tx, [attempt], options);
        batch.record({ row, attempt, result, settings });
        return batch.store(tx, attempt);
      },
    } satisfies Record<string, Work>),
  );
  let orderId: number;

  it.each([...works])('%s never waits for what waits for it', async (name, work) => {
    const harness = new StoreHarness(store);
    const { checkout, attempt } = await harness.activate();
    orderId = attempt.orderId;
    if (name === 'the clock') now = checkout.expiresAt;
    else await harness.pay(orderId, { transaction: 'tx-1' });
    const collisions: string[] = [];
    const noting = (noted: Work) => async (tx: Transaction) => {
      try {
        return await noted(tx);
      } catch (error) {
        collisions.push((error as { readonly code: string }).code);
        throw error;
      }
    };
    let isOver = false;
    let moving: Promise<unknown> | undefined;
    const held = await begin(
      noting(async (tx) => {
        await touchOrder(tx, checkout);
        moving = store.database.transaction('test', noting(work)).finally(() => (isOver = true));
        const locks = () =>
          made.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
            AND datname = current_database()`);
        await expect.poll(async () => isOver || (await locks()).length > 0).toBe(true);
        await tx.run(sql`UPDATE matched_transactions SET status = 'SETTLED' WHERE id = 'tx-1'`);
        await tx.run(sql`UPDATE attempts SET polls = polls + 1 WHERE order_id = ${orderId}`);
        await tx.run(sql`UPDATE checkouts SET revision = revision + 1 WHERE id = ${checkout.id}`);
      }),
    );
    await held.proceed();
    await moving;
    expect(collisions).not.toContain('40P01');
  });
});

describe('an order that is put again while another server erases old ones', () => {
  it('keeps what was put', async () => {
    const key = { merchant: 'teashop', order: 'A1001' };
    const put = (version: string) =>
      store.putOrder(key, {
        ...{ version, amountMinor: 999, currency: 'GBP', decimals: 2 },
        sealed: Buffer.from('Nightjar'),
      });
    await put('version-1');
    now += 2 * 86_400_000;
    const ended = Promise.withResolvers<unknown>();
    const retention = startRetention({
      loops: new RunLoops({
        ...{ database: other.database, clock: { now: () => now } },
        logger: createLogger('silent'),
        tickMs: 100,
      }),
      database: {
        ...other.database,
        async transaction(name, work) {
          await put('version-2');
          const became = await other.database.transaction(name, work);
          ended.resolve(became);
          return became;
        },
      },
      clock: { now: () => now },
      logger: createLogger('silent'),
      eraseDays: 1,
    });
    await ended.promise;
    await retention.close();
    expect((await store.findStoredOrder(key))?.put?.sealed).toBeDefined();
  });
});

describe('a restore with many checkouts', () => {
  it('moves them ahead in statements that each end in time', async () => {
    await made.query(`
      INSERT INTO checkouts (id, merchant, order_name, order_version, amount_minor, currency,
        decimals, state, revision, sequence, refund, refunded_minor, attention, created_at,
        expires_at)
      SELECT n::text, 'teashop', 'A' || n, '1', 999, 'GBP', 2, 'expired', 1, 1, 'none', 0, '[]', n, n
      FROM generate_series(1, 20001) AS n`);
    const changed: number[] = [];
    await store.database.transaction('restore:declare', (tx) => {
      const counting: Transaction = {
        skipLocked: tx.skipLocked,
        forUpdate: tx.forUpdate,
        get: (query) => tx.get(query),
        all: (query) => tx.all(query),
        queue: (...statements) => {
          tx.queue(...statements);
        },
        takeNumber: (name, atLeast) => tx.takeNumber(name, atLeast),
        afterCommit: (effect) => {
          tx.afterCommit(effect);
        },
        async run(statement) {
          const rows = await tx.run(statement);
          changed.push(rows);
          return rows;
        },
      };
      return declareLoss(counting, undefined, now, TEST_RULES);
    });
    expect(Math.max(...changed)).toBe(10_000);
    const moved = await made.query(
      'SELECT DISTINCT sequence::int AS sequence, revision::int AS revision FROM checkouts',
    );
    expect(moved).toEqual([{ sequence: 1001, revision: 1001 }]);
  });
});
