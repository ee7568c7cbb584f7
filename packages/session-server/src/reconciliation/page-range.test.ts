import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TransactionPage, TransactionQuery, TransactionRow } from '../provider/gateway.js';
import { newestRange, type PageRange, rangeBelow, readNextPage } from './page-range.js';
import { AT_PROVIDER } from '../testing/store-harness.js';

const NOW = Date.parse('2026-01-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const DAYS = 10;

/** A list whose pages, from one of them on, do not say how to request the rest. */
interface BrokenList {
  readonly agesInHours: readonly number[];
  readonly pageRows: number;
  readonly goodPages: number;
  readonly problem: 'missing_pagination' | 'missing_cursor' | 'repeated_cursor';
  readonly hasEnds: boolean;
}

const lists: fc.Arbitrary<BrokenList> = fc.record({
  agesInHours: fc.array(fc.integer({ min: 0, max: DAYS * 24 }), { maxLength: 60 }),
  pageRows: fc.integer({ min: 1, max: 8 }),
  goodPages: fc.integer({ min: 0, max: 4 }),
  problem: fc.constantFrom('missing_pagination', 'missing_cursor', 'repeated_cursor'),
  hasEnds: fc.boolean(),
});

class Provider {
  readonly rows: readonly TransactionRow[];
  calls = 0;
  readonly #list: BrokenList;

  constructor(list: BrokenList) {
    this.#list = list;
    this.rows = list.agesInHours
      .toSorted((one, other) => one - other)
      .map((hours, index) => ({
        id: `tx-${String(index)}`,
        transactionTime: new Date(NOW - hours * HOUR_MS).toISOString(),
        references: {},
      }));
  }

  listTransactions({ fromDate, toDate, cursor = '0' }: TransactionQuery): Promise<TransactionPage> {
    this.calls += 1;
    const { pageRows, goodPages, problem, hasEnds } = this.#list;
    const rows = this.rows.filter(({ transactionTime = '' }) => {
      const day = transactionTime.slice(0, 10);
      return hasEnds ? fromDate <= day && day <= toDate : fromDate < day && day < toDate;
    });
    const at = Number(cursor);
    const page = rows.slice(at, at + pageRows);
    const next = at + pageRows;
    if (this.calls > goodPages) {
      if (problem !== 'repeated_cursor') {
        return Promise.resolve({ rows: page, end: { kind: 'incomplete', problem } });
      }
      return Promise.resolve({ rows: page, end: { kind: 'more', cursor: cursor || '0' } });
    }
    if (next >= rows.length) return Promise.resolve({ rows: page, end: { kind: 'complete' } });
    return Promise.resolve({ rows: page, end: { kind: 'more', cursor: String(next) } });
  }
}

async function readAll(provider: Provider, range: PageRange, seen: Set<string>): Promise<void> {
  while (!range.isRead) {
    await readNextPage(provider, range, ({ rows }) => {
      for (const { id } of rows) seen.add(id ?? '');
    });
    expect(provider.calls).toBeLessThan(1000);
  }
}

describe('a range of a list that is cut off', () => {
  it('ends, and every row of it was read or it says that some may be missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.array(fc.integer({ min: 0, max: DAYS * 24 }), { minLength: 1, maxLength: 3 }),
        async (list, depthsInHours) => {
          const provider = new Provider(list);
          const seen = new Set<string>();
          const windowMs = NOW - DAYS * 24 * HOUR_MS;
          const start = { ...AT_PROVIDER, startedAt: NOW, sinceMs: NOW };
          let range = newestRange(start, windowMs);
          // In steps, as the recent poll and the backfill do.
          for (const hours of depthsInHours.toSorted((one, other) => one - other)) {
            const sinceMs = NOW - hours * HOUR_MS;
            range = rangeBelow(range, sinceMs);
            await readAll(provider, range, seen);
            const missing = provider.rows.filter(
              ({ id = '', transactionTime = '' }) =>
                Date.parse(transactionTime) >= sinceMs && !seen.has(id),
            );
            if (range.unreadDays.length === 0) expect(missing).toEqual([]);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('misses nothing where no day has more rows than a page', async () => {
    const provider = new Provider({
      agesInHours: [1, 2, 25, 26, 49, 50, 73],
      pageRows: 4,
      goodPages: 0,
      problem: 'missing_pagination',
      hasEnds: true,
    });
    const seen = new Set<string>();
    const start = { ...AT_PROVIDER, startedAt: NOW, sinceMs: NOW - 60 * HOUR_MS };
    await readAll(provider, newestRange(start, start.sinceMs), seen);
    expect([...seen]).toEqual(provider.rows.map(({ id }) => id));
  });
});
