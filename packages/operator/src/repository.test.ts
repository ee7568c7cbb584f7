import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  explainWork,
  growsWithHistory,
  type Plan,
} from '../../session-server/src/testing/query-plans.js';
import { TEST_RULES } from '../../session-server/src/testing/store-harness.js';
import { type OpenStore, TestStore } from '../../session-server/src/testing/test-store.js';
import { DataEncryption, loadSandboxKeys } from '../../session-server/src/encryption.js';
import { toCursor } from '../../session-server/src/merchant-api/feed.js';
import { readOrderList } from './order-list.js';
import { describeOperatorLists } from './repository.contract.js';
import { findAttention, findUnmatchedWebhooks } from './repository.js';
import { searchOrders } from './search.js';

const openInSqlite = async (options: Parameters<OpenStore>[0]) => {
  const folder = mkdtempSync(join(tmpdir(), 'lists-'));
  const path = join(folder, 'data.sqlite');
  const open = () => TestStore.open({ path, ...options });
  const store = await open();
  return {
    ...{ store, path, reopen: open },
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
};

describeOperatorLists('a store in SQLite', openInSqlite);

it('the lists and the search find what they need by an index, however many orders there have been', async () => {
  const { store, path, remove } = await openInSqlite({
    clock: { now: () => 0 },
    rules: TEST_RULES,
  });
  const plans = await explainWork(path, async () => {
    await findAttention(store.database, { since: 0, merchant: 'teashop' }, 10);
    await findUnmatchedWebhooks(store.database, 10);
    const parts = {
      database: store.database,
      encryption: new DataEncryption(loadSandboxKeys(path)),
    };
    for (const text of ['A1001 · 0ey5n4c0', 'nightjar@example.test', '9.99 GBP', '4242']) {
      await searchOrders(parts, text);
    }
    for (const query of [{}, { state: 'paid' }, { from: '1', to: '2' }, { attention: 'open' }]) {
      for (const merchant of [undefined, 'teashop']) await readOrderList(parts, query, merchant);
    }
    const cursor = toCursor([1, 'A1', 'teashop']);
    await readOrderList(parts, { cursor, state: 'paid' });
  });
  expect(plans.length).toBeGreaterThan(1);
  const isBounded = ({ statement, step }: Plan) =>
    // They end with the page, or with the 10,000 that are counted or need a person.
    step === 'SCAN orders USING INDEX orders_newest_of_all'
      ? /ORDER BY orders\.created_at DESC, [\w., ]+ LIMIT \?/.test(statement)
      : step.startsWith('USE TEMP B-TREE') &&
        // A row for each merchant, month and currency.
        /AS (counted|flagged)\b|FROM removed_orders/.test(statement);
  expect(plans.filter((plan) => growsWithHistory(plan) && !isBounded(plan))).toEqual([]);
  await remove();
});
