import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.js';
import { AppError } from '../errors.js';
import type { TransactionRow } from '../reconciliation/matching.js';
import { testMerchant } from '../testing/test-merchant.js';
import { LostAttempts } from './lost-attempts.js';

const REST_MS = 60_000;

let now: number;
let asked: string[];
let answers: 'nothing' | 'unknown';
beforeEach(() => {
  now = Date.UTC(2026, 2, 1);
  asked = [];
});

function lostAttempts(restMs: number): LostAttempts {
  const merchants = [testMerchant()];
  return new LostAttempts({
    loss: { since: now, until: now, afterOrderId: 10, toOrderId: 99, isRead: true },
    store: {
      findAttemptsByReference: () => Promise.resolve([]),
      adoptAttempt: () => Promise.reject(new Error('nothing is found here')),
    },
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
    restMs,
  });
}

const row = (order: string, orderId: number): TransactionRow => ({
  id: `tx-${order}`,
  status: 'SUCCESS',
  references: { orderRef: `${order}.${String(orderId)}` },
});
const rows = [row('A', 11), row('B', 12)];

describe('looks that come by the second', () => {
  it('ask for an order that no shop knows once in a while only', async () => {
    answers = 'unknown';
    const lost = lostAttempts(REST_MS);
    for (let look = 0; look < 3; look += 1) await lost.adopt(1001, rows);
    expect(asked).toEqual(['A', 'B']);
    now += REST_MS;
    await lost.adopt(1001, rows);
    expect(asked).toEqual(['A', 'B', 'A', 'B']);
    expect(lost.isAsking()).toBe(false);
  });

  it('wait for no shop that gave no answer, and remember what it was not asked', async () => {
    answers = 'nothing';
    const lost = lostAttempts(REST_MS);
    for (let look = 0; look < 3; look += 1) await lost.adopt(1001, rows);
    expect(asked).toEqual(['A']);
    expect(lost.notFound.map(({ transaction }) => transaction)).toEqual(['tx-A', 'tx-B']);
    expect(lost.isAsking()).toBe(true);
    now += REST_MS;
    await lost.adopt(1001, rows);
    expect(asked).toEqual(['A', 'A']);
  });

  it('ask for each when there is no rest', async () => {
    answers = 'nothing';
    await lostAttempts(0).adopt(1001, rows);
    expect(asked).toEqual(['A', 'B']);
  });
});
