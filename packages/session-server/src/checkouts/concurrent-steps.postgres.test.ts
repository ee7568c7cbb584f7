import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.js';
import type { Transaction } from '../store/database.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { sql } from '../store/sql.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { beginAttempt, recordHint } from './checkout-transactions.js';

let made: TestDatabase;
let store: TestStore;
let harness: StoreHarness;
beforeEach(async () => {
  made = await createTestDatabase();
  const database = await PostgresDatabase.open(made.url);
  store = new TestStore(database, { clock: systemClock, rules: TEST_RULES });
  harness = new StoreHarness(store);
});
afterEach(async () => {
  await store.close();
  await made.drop();
});

/** Takes a step that sees the database as it is before `meanwhile` is done, and ends after it. */
async function during<T>(
  meanwhile: () => Promise<unknown>,
  step: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const done = Promise.withResolvers<undefined>();
  const begun = Promise.withResolvers<undefined>();
  const taken = store.database.transaction('test', async (tx) => {
    await tx.get(sql`SELECT 1`);
    begun.resolve(undefined);
    await done.promise;
    return step(tx);
  });
  await begun.promise;
  await meanwhile();
  done.resolve(undefined);
  return taken;
}

describe('steps of one order at the same time, in PostgreSQL', () => {
  it('cancel no checkout whose payment was submitted in the meantime', async () => {
    const { checkout, attempt } = await harness.activate();
    const sessionId = `session-${String(attempt.orderId)}`;
    await during(
      () => store.recordHint(checkout.id, { kind: 'submitted', sessionId }),
      (tx) => recordHint(tx, checkout, { kind: 'cancelled', sessionId }, store.context),
    );
    expect((await store.find(checkout.id))?.state).not.toBe('cancelled');
  });

  it('create no session at a new price of an order that was paid in the meantime', async () => {
    const { checkout, attempt } = await harness.activate();
    const request = { ...TEST_REQUEST, orderVersion: 'version-2', amountMinor: 1299 };
    const decision = await during(
      () => harness.pay(attempt.orderId),
      (tx) => beginAttempt(tx, request, store.context),
    );
    expect(decision).toMatchObject({ kind: 'settled', checkout: { id: checkout.id } });
    expect(await made.query('SELECT order_id FROM attempts')).toHaveLength(1);
  });

  it('show no session of an order that was paid in the meantime', async () => {
    const { attempt } = await harness.activate();
    const decision = await during(
      () => harness.pay(attempt.orderId),
      (tx) => beginAttempt(tx, TEST_REQUEST, store.context),
    );
    expect(decision.kind).toBe('settled');
  });
});
