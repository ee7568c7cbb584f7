import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeSettings } from '../settings.js';
import type { ListPlace } from './cursor.js';
import { History } from './history.js';
import { TransactionStore, type Walk } from './transaction-store.js';

const { merchants: DEFAULT_MERCHANTS } = completeSettings({ apiKey: 'key' });
const HISTORY = { count: 40, until: '2026-01-01T00:00:00.000Z', days: 1 };

function makeStore(count = HISTORY.count): TransactionStore {
  return new TransactionStore(new History({ ...HISTORY, count }, DEFAULT_MERCHANTS));
}

function everything(walk: Partial<Walk> = {}): Walk {
  return { now: Infinity, matches: () => true, ...walk };
}

describe('TransactionStore', () => {
  it('continues after any place exactly as a sorted list would, with arrived and past rows', () => {
    const past = [...makeStore().walk(everything())].map(({ time }) => time);
    fc.assert(
      fc.property(
        // Times of generated rows and their neighbours, so that ties are common.
        fc.array(fc.tuple(fc.nat({ max: 39 }), fc.integer({ min: -1, max: 1 })), { maxLength: 20 }),
        fc.nat(),
        fc.integer({ min: -2, max: 41 }),
        (arrivals, pick, bound) => {
          const store = makeStore();
          for (const [index, shift] of arrivals) {
            const transactionTime = new Date((past[index] ?? 0) + shift).toISOString();
            store.add({ id: `a${store.changed().length}`, transactionTime }, 0);
          }
          const all = [...store.walk(everything())];
          const sorted = [...all].sort((a, b) => b.time - a.time || b.sequence - a.sequence);
          expect(all).toEqual(sorted);
          expect(all).toHaveLength(40 + arrivals.length);
          const place: ListPlace = all[pick % all.length] ?? { time: 0, sequence: 0 };
          const latest = past[bound] ?? past[0] ?? 0;
          const after = [...store.walk(everything({ after: place, latest }))];
          expect(after.map(({ row }) => row.id)).toEqual(
            all
              .slice(all.indexOf(place as (typeof all)[number]) + 1)
              .filter(({ time }) => time <= latest)
              .map(({ row }) => row.id),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('remembers changes to a past row', () => {
    const store = makeStore();
    const [first] = store.walk(everything());
    const id = first?.row.id ?? '';
    const found = store.find(id);
    if (found !== undefined) found.row = { ...found.row, status: 'CHANGED' };
    expect([...store.walk(everything())][0]?.row.status).toBe('CHANGED');
    expect(store.changed()).toHaveLength(1);
    if (found !== undefined) found.visibleAt = 10;
    expect([...store.walk(everything({ now: 9 }))]).toHaveLength(39);
  });

  it('stops at the earliest time without reading the rest', () => {
    const store = makeStore(2_000_000);
    let reads = 0;
    const matches = (): boolean => {
      reads += 1;
      return false;
    };
    const noon = Date.parse('2025-12-31T12:00:00.000Z');
    const found = [...store.walk(everything({ matches, latest: noon, earliest: noon - 1000 }))];
    expect(found).toEqual([]);
    expect(reads).toBeLessThan(30);
    expect(reads).toBeGreaterThan(10);
  });
});
