import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { explainWork, growsWithHistory } from '../../session-server/src/testing/query-plans.js';
import { TEST_RULES } from '../../session-server/src/testing/store-harness.js';
import { type OpenStore, TestStore } from '../../session-server/src/testing/test-store.js';
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
    await searchOrders(store.database, 'A1001 · 0ey5n4c0');
  });
  expect(plans.length).toBeGreaterThan(1);
  expect(plans.filter(growsWithHistory)).toEqual([]);
  await remove();
});
