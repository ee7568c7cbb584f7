import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';

/** Half of what a write waits for another connection that has the file. */
const NO_WAIT_MS = 2500;

let folder: string;
let path: string;
let store: TestStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  path = join(folder, 'data.sqlite');
  store = await TestStore.open({ path, clock: systemClock, rules: TEST_RULES });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const logBytes = (): number => statSync(`${path}-wal`).size;

describe('the log of the data file', () => {
  it('is emptied when it is asked for, and all is still there', async () => {
    const { checkout } = await new StoreHarness(store).activate();
    expect(logBytes()).toBeGreaterThan(0);
    expect(await store.purgeErased()).toBe(true);
    expect(logBytes()).toBe(0);
    await store.apply(checkout.id, { type: 'cancel-hinted' });
    await store.close();
    store = await TestStore.open({ path, clock: systemClock, rules: TEST_RULES });
    expect(await store.find(checkout.id)).toMatchObject({ state: 'cancelled' });
  });

  it('is left as it is, at once, while another connection reads', async () => {
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM checkouts');
    await new StoreHarness(store).activate();
    const askedAt = performance.now();
    expect(await store.purgeErased()).toBe(false);
    expect(performance.now() - askedAt).toBeLessThan(NO_WAIT_MS);
    reader.close();
    expect(await store.purgeErased()).toBe(true);
    expect(logBytes()).toBe(0);
  });
});
