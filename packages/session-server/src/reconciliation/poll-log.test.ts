import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.js';
import { findLog, logOrder } from '../orders/order-log.js';
import { sql } from '../store/sql.js';
import { StoreHarness, TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { PollLog } from './poll-log.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const SECOND = 1000;
const KEY = { merchant: TEST_REQUEST.merchant, order: TEST_REQUEST.order };

describe('the polls for an order, in its log', () => {
  let folder: string;
  let now: number;
  let store: TestStore;
  let log: PollLog;
  let checkout: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'poll-log-'));
    now = START;
    const clock = { now: () => now };
    store = await TestStore.open({ path: join(folder, 'data.sqlite'), clock, rules: TEST_RULES });
    ({ checkout } = (await new StoreHarness(store).activate()).attempt);
    log = new PollLog({ database: store.database, clock, logger: createLogger('silent') });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const poll = (result: Parameters<PollLog['note']>[1], afterSeconds: number): void => {
    now = START + afterSeconds * SECOND;
    log.note({ ...KEY, checkout }, result);
  };
  const noted = async () =>
    (await findLog(store.database, KEY)).flatMap((entry) =>
      entry.kind === 'poll'
        ? [
            `${entry.detail.result} ×${String(entry.detail.count)} from ${String((entry.detail.since - START) / SECOND)} to ${String((entry.at - START) / SECOND)}`,
          ]
        : [],
    );

  it('are noted at once the first time, and from then on once a minute', async () => {
    poll('read', 0);
    await log.write();
    expect(await noted()).toEqual(['read ×1 from 0 to 0']);
    for (let second = 3; second < 60; second += 3) {
      poll('read', second);
      await log.write();
    }
    expect(await noted()).toEqual(['read ×1 from 0 to 0']);
    now = START + 60 * SECOND;
    await log.write();
    expect(await noted()).toEqual(['read ×20 from 0 to 57']);
  });

  it('are noted at once when their result changes', async () => {
    poll('read', 0);
    await log.write();
    poll('read', 3);
    poll('failed', 6);
    await log.write();
    expect(await noted()).toEqual(['read ×2 from 0 to 3', 'failed ×1 from 6 to 6']);
  });

  it('are noted when the server closes, and the first one after a pause is noted at once', async () => {
    poll('incomplete', 0);
    await log.write();
    poll('incomplete', 3);
    await log.close();
    expect(await noted()).toEqual(['incomplete ×2 from 0 to 3']);
    now = START + 600 * SECOND;
    await log.write();
    poll('incomplete', 601);
    await log.write();
    expect(await noted()).toEqual(['incomplete ×3 from 0 to 601']);
  });

  it('are one entry for weeks in which nothing else happens, and another one after that', async () => {
    const DAY = 24 * 60 * 60;
    for (let day = 0; day < 14; day += 1) {
      poll('read', day * DAY);
      await log.write();
      await log.write();
    }
    expect(await noted()).toEqual([`read ×14 from 0 to ${String(13 * DAY)}`]);
    await store.database.transaction('test', (tx) =>
      logOrder(tx, KEY, { kind: 'hint', checkout, detail: { kind: 'submitted' } }, now),
    );
    poll('read', 14 * DAY);
    await log.write();
    expect(await noted()).toHaveLength(2);
  });

  it('are another entry for another checkout of the order', async () => {
    poll('read', 0);
    await log.write();
    log.note({ ...KEY, checkout: 'another' }, 'read');
    await log.write();
    expect(await noted()).toEqual(['read ×1 from 0 to 0', 'read ×1 from 0 to 0']);
  });

  it('are not noted of an order that was erased meanwhile', async () => {
    poll('read', 0);
    await store.database.transaction('poll:log', (tx) =>
      tx.run(sql`UPDATE orders SET erased_at = ${now}`),
    );
    await log.write();
    expect(await noted()).toEqual([]);
  });
});
