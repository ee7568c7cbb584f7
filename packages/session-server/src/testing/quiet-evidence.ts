import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeFeed } from '../checkouts/change-feed.js';
import type { Clock } from '../clock.js';
import { ReconciliationService } from '../reconciliation/service.js';
import type { Merchant } from '../merchants/merchant.js';
import { SqliteCheckoutStore } from '../store/sqlite-store.js';
import { TEST_RULES } from './store-harness.js';

/** The evidence of one merchant over a data file, for stories whose rows come from the test alone. */
export async function startQuietEvidence(merchant: Merchant, clock: Clock) {
  const folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  const path = join(folder, 'data.sqlite');
  const store = await SqliteCheckoutStore.open({ path, clock, rules: TEST_RULES });
  const evidence = new ReconciliationService({
    store,
    merchants: {
      find: () => Promise.resolve(merchant),
      all: () => Promise.resolve([merchant]),
      close: () => Promise.resolve(),
    },
    gateway: { listTransactions: () => Promise.resolve({ rows: [], nextCursor: undefined }) },
    changes: new ChangeFeed(),
    clock,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    intervalMs: 1,
    pagesPerMinute: 2,
  });
  const close = async (): Promise<void> => {
    await evidence.close();
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, evidence, close };
}
