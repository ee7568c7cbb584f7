import { describe, expect, it } from 'vitest';
import type { Arrival } from './drill-shop.ts';
import { findLosses, findLostAndLate, type StoredFacts, type Visit } from './ledger.ts';
import { judgeGrowth, type Sample } from './soak.ts';

const LATE = ['checkout.unconfirmed', 'checkout.attention', 'checkout.paid'];

/** An order of which the shop was sent these events. */
function orderWith(
  types: readonly string[],
  { state = 'paid', ending = { eventTypes: ['checkout.paid'] } } = {},
): [StoredFacts, Visit[], Arrival[]] {
  const ids = types.map((type, at) => ({ id: `e${String(at)}`, type, checkout: 'c1' }));
  const facts: StoredFacts = {
    orders: [],
    checkouts: [{ id: 'c1', order: 'S1', state, refund: 'none', attention: '[]' }],
    attempts: [{ orderId: 1, checkout: 'c1', status: 'active', sessionId: 's1' }],
    events: ids.map((event) => ({ ...event, status: 'delivered' })),
    transactions: [{ id: 't1', checkout: 'c1' }],
    webhooks: new Map(),
  };
  const shown = new Map([['c1', new Set(['s1'])]]);
  const shopper = { order: 'S1', shown, reported: new Map() };
  const arrivals = ids.map((event, at) => ({
    ...event,
    order: 'S1',
    sequence: at + 1,
    certain: event.type === 'checkout.paid',
    body: event.id,
  }));
  return [facts, [{ shopper, scenario: ending }], arrivals];
}

describe('an order', () => {
  it('that is paid at once is neither lost nor late', () => {
    expect(findLostAndLate(...orderWith(['checkout.paid']))).toEqual({ lost: [], late: [] });
  });

  it('that the shop was sent as unconfirmed before it was sent as paid is late, and not lost', () => {
    expect(findLostAndLate(...orderWith(LATE))).toEqual({ lost: [], late: ['S1'] });
  });

  it('that stays unconfirmed is lost, with all that is wrong of it', () => {
    const { lost, late } = findLostAndLate(
      ...orderWith(LATE.slice(0, 2), { state: 'unconfirmed' }),
    );
    expect(late).toEqual([]);
    expect(lost).toEqual(
      expect.arrayContaining([
        'S1: states of its prices: unconfirmed, not paid',
        'S1: times that the shop marked the order paid: 0, not 1',
      ]),
    );
  });

  it('that is late is lost when its shop was sent that it is paid twice', () => {
    const { lost, late } = findLostAndLate(...orderWith([...LATE, 'checkout.paid']));
    expect(late).toEqual([]);
    expect(lost).toContain('S1: times that the shop marked the order paid: 2, not 1');
  });

  it('that expires again before it is paid has lost nothing, and one that never expired has', () => {
    const eventTypes = ['checkout.expired', 'checkout.paid'];
    const ending = { eventTypes, mayRepeat: ['checkout.expired'] };
    const expired = (times: number) =>
      orderWith([...Array<string>(times).fill('checkout.expired'), 'checkout.paid'], { ending });
    expect(findLosses(...expired(1))).toEqual([]);
    expect(findLosses(...expired(2))).toEqual([]);
    expect(findLosses(...expired(0))).toHaveLength(1);
  });
});

describe('the curve of a soak', () => {
  const quiet: Sample = {
    ...{ orders: 450, running: 3, load: 1, handles: 50, openFiles: 60, waitingSeconds: 0 },
    ...{ residentMegabytes: 200, heapMegabytes: 50, heldHeapMegabytes: 80, externalMegabytes: 12 },
  };
  const hour = (change: (minute: number) => Partial<Sample>): Sample[] =>
    Array.from({ length: 60 }, (_, at) => ({ ...quiet, ...change(at + 1) }));

  it('is flat where memory grows while it warms up only', () => {
    const samples = hour((minute) => ({ residentMegabytes: Math.min(110 + minute * 15, 255) }));
    expect(judgeGrowth(samples).isFlat).toBe(true);
  });

  it('is flat where it has a peak that does not stay', () => {
    const samples = hour((minute) => (minute === 55 ? { openFiles: 1000, handles: 900 } : {}));
    expect(judgeGrowth(samples).isFlat).toBe(true);
  });

  it.each([
    ['residentMegabytes', 'resident MB', 1],
    ['handles', 'handles', 1],
    ['openFiles', 'open files', 1],
    ['waitingSeconds', 'oldest waiting s', 0.3],
  ] as const)('is not flat where %s grows with each minute', (of, title, aMinute) => {
    const { isFlat, lines } = judgeGrowth(
      hour((minute) => ({ [of]: quiet[of] + minute * aMinute })),
    );
    expect(isFlat).toBe(false);
    expect(lines.filter((line) => line.endsWith('GROWN'))).toEqual([
      expect.stringMatching(`^${title}: `),
    ]);
  });

  it('is not flat where memory rises late and stays', () => {
    const samples = hour((minute) => ({ residentMegabytes: minute < 38 ? 212 : 280 }));
    expect(judgeGrowth(samples).isFlat).toBe(false);
  });

  it('is not judged by a run of three minutes', () => {
    expect(judgeGrowth([quiet, quiet, quiet]).isFlat).toBe(false);
  });

  it('says in how many minutes the machine was too busy for the load', () => {
    const { lines } = judgeGrowth(hour((minute) => ({ running: minute > 50 ? 40 : 5 })));
    expect(lines.at(-1)).toMatch(/: 10 of 50$/);
  });
});
