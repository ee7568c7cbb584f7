import { afterAll, beforeAll } from 'vitest';
import { PostgresDatabase } from '../../session-server/src/store/postgres-database.js';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../session-server/src/testing/postgres-store.js';
import { TestStore } from '../../session-server/src/testing/test-store.js';
import { describeOperatorLists } from './repository.contract.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describeOperatorLists('a store in PostgreSQL', async (options) => {
  const open = async () => new TestStore(await PostgresDatabase.open(database.url), options);
  const store = await open();
  return {
    store,
    reopen: open,
    async remove() {
      await store.close();
      await database.empty();
    },
  };
});
