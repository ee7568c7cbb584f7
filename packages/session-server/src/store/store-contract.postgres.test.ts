import { afterAll, beforeAll, expect } from 'vitest';
import { describeCheckoutStore } from '../checkouts/repository.contract.js';
import { createTestDatabase, type TestDatabase } from '../testing/postgres-store.js';
import { TestStore } from '../testing/test-store.js';
import { PostgresDatabase } from './postgres-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describeCheckoutStore('a store in PostgreSQL', async (options) => {
  const open = async () => new TestStore(await PostgresDatabase.open(database.url), options);
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async remove() {
      await store.close();
      const mistaken = await database.query(
        `SELECT order_id FROM attempts
         WHERE (is_active = 1) <> (status IN ('sending', 'active'))`,
      );
      expect(mistaken).toEqual([]);
      await database.empty();
    },
  };
});
