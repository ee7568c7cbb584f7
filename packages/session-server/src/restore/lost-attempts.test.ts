import { hashToken } from '../random-id.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.js';
import { AppError } from '../errors.js';
import type { TransactionRow } from '../provider/gateway.js';
import { TEST_RULES, AT_PROVIDER } from '../testing/store-harness.js';
import { TestStore } from '../testing/test-store.js';
import { testMerchant } from '../testing/test-merchant.js';
import { LostAttempts, parseLostName } from './lost-attempts.js';

const PAUSE_MS = 60_000;

let folder: string;
let store: TestStore;
let now: number;
let asked: string[];
let answers: 'nothing' | 'unknown';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lost-'));
  now = Date.UTC(2026, 2, 1);
  asked = [];
  const path = join(folder, 'data.sqlite');
  store = await TestStore.open({ path, clock: { now: () => now }, rules: TEST_RULES });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function lostAttempts(pauseMs: number, merchant = testMerchant()): LostAttempts {
  const merchants = [merchant];
  return new LostAttempts({
    loss: { since: now, until: now, afterOrderId: 10, toOrderId: 99, isRead: true },
    database: store.database,
    context: store.context,
    hashReference: hashToken,
    merchants: {
      find: () => Promise.resolve(merchants[0]),
      all: () => Promise.resolve(merchants),
      close: () => Promise.resolve(),
    },
    lookUpOrder: (_merchant, order) => {
      asked.push(order);
      if (answers === 'unknown') return Promise.resolve(undefined);
      return Promise.reject(new AppError(502, 'order_lookup_failed', 'no answer'));
    },
    clock: { now: () => now },
    logger: createLogger('silent'),
    pauseMs,
  });
}

const row = (order: string, orderId: number): TransactionRow => ({
  id: `tx-${order}`,
  status: 'SUCCESS',
  references: { orderRef: `${order}.${String(orderId)}` },
});
const rows = [row('A', 11), row('B', 12)];

describe('polls that come by the second', () => {
  it('ask for an order that no shop knows only once in a while', async () => {
    answers = 'unknown';
    const lost = lostAttempts(PAUSE_MS);
    for (let poll = 0; poll < 3; poll += 1) await lost.adopt(AT_PROVIDER, rows);
    expect(asked).toEqual(['A', 'B']);
    now += PAUSE_MS;
    await lost.adopt(AT_PROVIDER, rows);
    expect(asked).toEqual(['A', 'B', 'A', 'B']);
    expect(lost.isRetrying()).toBe(false);
  });

  it('come again for an order that its shop may put again', async () => {
    answers = 'unknown';
    const lost = lostAttempts(PAUSE_MS, testMerchant({ orderLookup: undefined }));
    await lost.adopt(AT_PROVIDER, rows);
    expect(lost.isRetrying()).toBe(true);
    expect(lost.notFound).toMatchObject([{ transaction: 'tx-A' }, { transaction: 'tx-B' }]);
  });

  it('do not wait for a shop that gave no answer, and remember what it was not asked', async () => {
    answers = 'nothing';
    const lost = lostAttempts(PAUSE_MS);
    for (let poll = 0; poll < 3; poll += 1) await lost.adopt(AT_PROVIDER, rows);
    expect(asked).toEqual(['A']);
    expect(lost.notFound.map(({ transaction }) => transaction)).toEqual(['tx-A', 'tx-B']);
    expect(lost.isRetrying()).toBe(true);
    now += PAUSE_MS;
    await lost.adopt(AT_PROVIDER, rows);
    expect(asked).toEqual(['A', 'A']);
  });

  it('ask for each order when there is no pause', async () => {
    answers = 'nothing';
    await lostAttempts(0).adopt(AT_PROVIDER, rows);
    expect(asked).toEqual(['A', 'B']);
  });
});

const LOSS = { afterOrderId: 100, toOrderId: 200 };

describe('what a transaction calls a lost attempt', () => {
  it.each([
    ['the reference that we made', ['A1001.150'], { orderId: 150, order: 'A1001' }],
    ['that of an order with dots in its name', ['A.7.150'], { orderId: 150, order: 'A.7' }],
    ['the order_id alone, which says no order', ['150'], { orderId: 150, order: undefined }],
    ['the one that says most', ['150', 'A1001.150'], { orderId: 150, order: 'A1001' }],
    ['the last one that may be lost', ['A1001.200'], { orderId: 200, order: 'A1001' }],
  ])('is %s', (_what, references, expected) => {
    expect(parseLostName(references, LOSS)).toMatchObject(expected);
  });

  it.each([
    ['an attempt of before', ['A1001.100']],
    ['an attempt of after', ['A1001.201']],
    ['an order alone', ['A1001']],
    ['other words', ['#150', 'A 1.150', 'A1001.0150', '']],
    ['nothing', []],
  ])('is not %s', (_what, references) => {
    expect(parseLostName(references, LOSS)).toBeUndefined();
  });
});
