import { createTestDatabase } from '../testing/postgres-store.js';
import {
  type PropertyRuns,
  quietReconciliation,
  type StartReconciliation,
} from '../testing/quiet-reconciliation.js';
import { TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { PostgresDatabase } from '../store/postgres-database.js';
import { describeConvergence } from './convergence.contract.js';
import { describeRefunds } from './refunds.contract.js';
import { describeAttempts } from './two-attempts.contract.js';

/** Each transaction is a conversation with the server: some twenty seconds for all of them. */
const RUNS: PropertyRuns = { numRuns: 75 };

const startOnPostgres: StartReconciliation = async (merchant, clock) => {
  const database = await createTestDatabase();
  const options = { clock, rules: TEST_RULES };
  const store = new TestStore(await PostgresDatabase.open(database.url), options);
  const reconciliation = quietReconciliation(store, merchant);
  const close = async (): Promise<void> => {
    await reconciliation.close();
    await store.close();
    await database.drop();
  };
  return { store, reconciliation, close };
};

for (const describe of [describeConvergence, describeRefunds, describeAttempts]) {
  describe(startOnPostgres, RUNS);
}
