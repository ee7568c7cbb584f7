import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeFeed } from '../checkouts/change-feed.js';
import type { Clock } from '../clock.js';
import { type ReconciliationOptions, ReconciliationService } from '../reconciliation/service.js';
import { createLogger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import { RunLoops } from '../run-loop.js';
import { TestStore } from '../testing/test-store.js';
import { TEST_RULES } from './store-harness.js';

/** Reconciliation of one merchant over a store, for tests that supply all rows. */
export function quietReconciliation(
  store: TestStore,
  merchant: Merchant,
  changes: Partial<ReconciliationOptions> = {},
): ReconciliationService {
  const logger = createLogger('silent');
  return new ReconciliationService({
    database: store.database,
    context: store.context,
    merchants: {
      find: () => Promise.resolve(merchant),
      all: () => Promise.resolve([merchant]),
      close: () => Promise.resolve(),
    },
    gateway: { listTransactions: () => Promise.resolve({ rows: [], end: { kind: 'complete' } }) },
    changes: new ChangeFeed(),
    clock: store.context.clock,
    logger,
    loops: new RunLoops({
      database: store.database,
      clock: store.context.clock,
      logger,
      tickMs: 100,
    }),
    intervalMs: 0,
    pagesPerMinute: 2,
    ...changes,
  });
}

/** Starts reconciliation over an empty store. */
export type StartReconciliation = (
  merchant: Merchant,
  clock: Clock,
) => Promise<{
  readonly store: TestStore;
  readonly reconciliation: ReconciliationService;
  close(): Promise<void>;
}>;

/** How often a property is tried, where that is not as often as it says itself. */
export interface PropertyRuns {
  readonly numRuns?: number;
}

/** The same, over a data file of its own. */
export const startQuietReconciliation: StartReconciliation = async (merchant, clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  const path = join(folder, 'data.sqlite');
  const store = await TestStore.open({ path, clock, rules: TEST_RULES });
  const reconciliation = quietReconciliation(store, merchant);
  const close = async (): Promise<void> => {
    await reconciliation.close();
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, reconciliation, close };
};
