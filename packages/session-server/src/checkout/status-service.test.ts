import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.js';
import { SqliteCheckoutStore } from '../sqlite/sqlite-checkout-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { ChangeFeed } from './change-feed.js';
import { StatusService } from './status-service.js';

afterEach(() => {
  vi.useRealTimers();
});

it('a question that waits is answered in its time, also when the clock goes back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'status-'));
  const path = join(folder, 'data.sqlite');
  const store = await SqliteCheckoutStore.open({ path, clock: systemClock, rules: TEST_RULES });
  const { checkout } = await new StoreHarness(store).expose();
  const status = new StatusService({
    store,
    changes: new ChangeFeed(),
    evidence: { hint: () => undefined },
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  const { checkouts } = await status.ask([{ checkout: checkout.id, revision: 1 }], 0.05, () => {
    vi.setSystemTime(Date.now() - 3_600_000);
    return new AbortController().signal;
  });
  expect(checkouts).toMatchObject([{ checkout: checkout.id, revision: 1 }]);
  await store.close();
  rmSync(folder, { recursive: true });
});
