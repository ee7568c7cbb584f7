import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TransactionQuery } from '../../../session-server/src/provider/gateway.js';
import { PageQuota, waitForPage } from '../../../session-server/src/reconciliation/pacing.js';
import { testMerchant } from '../../../session-server/src/testing/test-merchant.js';
import { reportDay, type ReportOptions } from './day-report.js';

const DAY = '2026-03-01';

/** A list of so many pages, all of the day and of no order that is known. */
function startReport(pages: number, pagesPerMinute: number) {
  const quota = new PageQuota({ now: () => Date.now() }, pagesPerMinute);
  const merchant = testMerchant();
  const { account, providerMerchantId } = merchant;
  const requested: TransactionQuery[] = [];
  const options: ReportOptions = {
    day: DAY,
    merchants: [merchant],
    lists: [{ account, providerMerchantId }],
    database: { get: () => Promise.resolve(undefined), all: () => Promise.resolve([]) },
    clock: { now: () => Date.now() },
    gateway: {
      listTransactions: (query) => {
        const page = requested.push(query);
        const rows = Array.from({ length: 100 }, (_, row) => ({
          ...{ id: `${String(page)}-${String(row)}`, status: 'SUCCESS', currencyCode: 'GBP' },
          ...{ amount: '0.01', transactionTime: `${DAY}T12:00:00.000Z`, references: {} },
        }));
        const end =
          page < pages
            ? ({ kind: 'more', cursor: String(page) } as const)
            : ({ kind: 'complete' } as const);
        return Promise.resolve({ rows, end });
      },
    },
    waitForPage: (_list, signal) => waitForPage(quota, signal),
  };
  return { requested, read: () => reportDay(options, () => undefined) };
}

describe('the read of a day', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-03-02T09:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('requests a page when the quota has one for it: half of its pages a minute', async () => {
    const { requested, read } = startReport(45, 40);
    const summary = read();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(requested).toHaveLength(20);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requested).toHaveLength(40);
    await vi.advanceTimersByTimeAsync(2000);
    const { isComplete, pages, totals } = await summary;
    expect([isComplete, pages]).toEqual([true, 45]);
    expect(totals[0]?.unknown).toEqual({ count: 4500, amount: '45.00' });
  });
});

describe('a huge day', () => {
  it('is read page by page: 100,000 transactions are counted exactly', async () => {
    const { totals, pages } = await startReport(1000, 10_000).read();
    expect(pages).toBe(1000);
    expect(totals[0]?.unknown).toEqual({ count: 100_000, amount: '1000.00' });
  });
});
