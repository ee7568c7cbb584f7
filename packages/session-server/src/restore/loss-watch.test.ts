import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../logger.js';
import { testMerchant } from '../testing/test-merchant.js';
import { type RunLoop, RunLoops } from '../run-loop.js';
import { startLossWatch } from './loss-watch.js';

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const UNTIL = Date.UTC(2026, 2, 1, 12);
const SINCE = UNTIL - 6 * HOUR_MS;

let now: number;
let isRetrying: boolean;
let polls: { providerMerchantId: number; hoursBack: number }[];
let watch: RunLoop;
beforeEach(() => {
  now = UNTIL + HOUR_MS;
  isRetrying = false;
  polls = [];
  const merchants = [
    testMerchant(),
    testMerchant({ id: 'coffee' }),
    testMerchant({ id: 'cakes', providerMerchantId: 1002 }),
  ];
  const clock = { now: () => now };
  const logger = createLogger('silent');
  const all = () => Promise.resolve([]);
  const database = { all, get: () => Promise.resolve(undefined) };
  watch = startLossWatch({
    loops: new RunLoops({ database, clock, logger, tickMs: 100 }),
    loss: { since: SINCE, until: UNTIL, afterOrderId: 1, toOrderId: 2, isRead: true },
    watchSeconds: 14 * DAY_SECONDS,
    reconciliation: {
      poll: ({ providerMerchantId, createdAt }) => {
        polls.push({ providerMerchantId, hoursBack: (now - createdAt) / HOUR_MS });
        return Promise.resolve();
      },
    },
    merchants: { all: () => Promise.resolve(merchants) },
    isRetrying: () => isRetrying,
    clock,
    logger,
  });
});
afterEach(() => watch.close());

/** Returns how far back each poll of the next round goes. */
async function nextRound(): Promise<number[]> {
  polls = [];
  watch.wake();
  await expect.poll(() => polls.length).toBe(2);
  return polls.map(({ hoursBack }) => hoursBack);
}

describe('the watch for sessions that a backup has lost', () => {
  it('polls back to the loss at each id at the provider once, then for what is new', async () => {
    await expect.poll(() => polls.map((poll) => poll.providerMerchantId)).toEqual([1001, 1002]);
    expect(polls.map(({ hoursBack }) => hoursBack)).toEqual([7, 7]);
    now += HOUR_MS;
    expect(await nextRound()).toEqual([2, 2]);
  });

  it('polls back to the loss again while a shop gives no answer', async () => {
    await expect.poll(() => polls.length).toBe(2);
    isRetrying = true;
    now += HOUR_MS;
    expect(await nextRound()).toEqual([8, 8]);
  });

  it('ends when an unpaid attempt would not be polled for any more', async () => {
    await expect.poll(() => polls.length).toBe(2);
    now += 15 * DAY_SECONDS * 1000;
    watch.wake();
    await watch.close();
    expect(polls).toHaveLength(2);
  });
});
