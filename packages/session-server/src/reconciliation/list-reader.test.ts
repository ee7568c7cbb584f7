import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TransactionQuery } from '../provider/gateway.js';
import { AppError } from '../errors.js';
import type { LogFields, Logger } from '../logger.js';
import { SILENT_OBSERVER } from '../observer.js';
import type { TransactionRow } from '../provider/gateway.js';
import { RunLoops } from '../run-loop.js';
import { ListReader, type ListReaderOptions } from './list-reader.js';
import { BackOff } from './pacing.js';
import { endAt } from '../testing/page-end.js';
import { AT_PROVIDER } from '../testing/store-harness.js';

const NOW = Date.parse('2026-01-20T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const NO_DATABASE = { get: () => Promise.resolve(undefined), all: () => Promise.resolve([]) };

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
  vi.useRealTimers();
});
/** Readers to close. */
const open: { close: () => Promise<void> }[] = [];

/** Lets time pass until something has settled. */
async function settle<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  void promise.finally(() => (isSettled = true)).catch(() => undefined);
  for (let step = 1; !isSettled && step < 5000; step += 1) {
    await vi.advanceTimersByTimeAsync(step < 100 ? 1 : 100);
  }
  return promise;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** The provider's list, one row a page, newest first. */
class TestList {
  readonly asked: TransactionQuery[] = [];
  readonly seen: string[] = [];
  readonly warnings: LogFields[] = [];
  readonly clock = { now: () => Date.now() };
  rows: TransactionRow[] = [];
  /** Whether rows of the first and the last day that was asked for are in it. */
  hasEnds = true;
  /** Cursors of an earlier generation are no longer taken. */
  generation = 0;
  /** Called with each question before it is answered. */
  before: (query: TransactionQuery) => Promise<void> | void = () => undefined;

  constructor(ages: readonly number[]) {
    this.rows = ages.map((ageMs, index) => rowOf(`tx-${String(index)}`, NOW - ageMs));
  }

  poller(options: Partial<ListReaderOptions> = {}) {
    const logger: Logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (fields) => this.warnings.push(fields),
      error: () => undefined,
    };
    const loops = new RunLoops({ database: NO_DATABASE, clock: this.clock, logger, tickMs: 100 });
    const reader = new ListReader({
      loops,
      gateway: { listTransactions: (query) => this.#answer(query) },
      ...AT_PROVIDER,
      clock: this.clock,
      logger,
      intervalMs: 1,
      pagesPerMinute: 100,
      observer: SILENT_OBSERVER,
      findDue: () => Promise.resolve([]),
      onRead: () => Promise.resolve(),
      onRows: (rows) => {
        this.seen.push(...rows.map(({ id }) => id ?? ''));
        return Promise.resolve();
      },
      ...options,
    });
    open.push({ close: () => settle(reader.close()) });
    return {
      poll: (sinceMs: number) => settle(reader.poll(sinceMs)),
      /** Asks for a poll, and lets no time pass. */
      ask: (sinceMs: number) => reader.poll(sinceMs),
      waitForPage: (signal: AbortSignal) => reader.waitForPage(signal),
      isBackingOff: () => reader.isBackingOff(),
      backfillSince: () => reader.backfillSince,
      close: () => settle(reader.close()),
    };
  }

  /** What was seen since the last call. */
  takeSeen(): string[] {
    return this.seen.splice(0);
  }

  async #answer(query: TransactionQuery) {
    this.asked.push(query);
    await this.before(query);
    const [generation, next] = query.cursor?.split(' ') ?? [];
    if (generation !== undefined && Number(generation) !== this.generation) {
      throw new AppError(503, 'provider_unavailable', 'this cursor has run out');
    }
    const { fromDate, toDate } = query;
    const rows = this.rows.filter(({ transactionTime = '' }) => {
      const day = transactionTime.slice(0, 10);
      return this.hasEnds ? fromDate <= day && day <= toDate : fromDate < day && day < toDate;
    });
    const at = next === undefined ? 0 : rows.findIndex(({ id }) => id === next);
    const row = rows[at];
    const following = rows[at + 1]?.id;
    const end = endAt(following !== undefined && `${String(this.generation)} ${following}`);
    return { rows: row ? [row] : [], end };
  }
}

function rowOf(id: string, time: number): TransactionRow {
  return { id, transactionTime: new Date(time).toISOString(), references: {} };
}

describe('a poll', () => {
  it('reads back to the first row that is older than requested, and no further', async () => {
    const list = new TestList([1000, 2000, 5000, 6000]);
    await list.poller().poll(NOW - 4000);
    expect(list.seen).toEqual(['tx-0', 'tx-1', 'tx-2']);
  });

  it('asks for the days around, for rows a hundred at a time, and for no status', async () => {
    const list = new TestList([]);
    await list.poller().poll(Date.parse('2026-01-18T00:30:00.000Z'));
    expect(list.asked).toEqual([
      {
        ...AT_PROVIDER,
        fromDate: '2026-01-17',
        toDate: '2026-01-21',
        cursor: undefined,
        limit: 100,
      },
    ]);
  });

  it('is shared by all requests before it starts, back to the oldest of them', async () => {
    const list = new TestList([1000, 2000, 3000, 4000]);
    const poller = list.poller();
    await Promise.all([poller.poll(NOW - 500), poller.poll(NOW - 2500), poller.poll(NOW)]);
    expect(list.seen).toEqual(['tx-0', 'tx-1', 'tx-2']);
  });

  it('in progress does not answer a request that comes now: the next one does', async () => {
    const list = new TestList([1000]);
    const gate = Promise.withResolvers<undefined>();
    const isAsked = Promise.withResolvers<undefined>();
    list.before = () => {
      isAsked.resolve(undefined);
      return gate.promise;
    };
    const poller = list.poller();
    const first = poller.poll(NOW);
    await isAsked.promise;
    const second = poller.poll(NOW);
    expect(list.asked).toHaveLength(1);
    gate.resolve(undefined);
    await Promise.all([first, second]);
    expect(list.asked).toHaveLength(2);
  });

  it('starts an interval after the one before', async () => {
    const list = new TestList([1000]);
    const poller = list.poller({ intervalMs: 60 });
    await poller.poll(NOW);
    const startedAt = performance.now();
    await poller.poll(NOW);
    expect(performance.now() - startedAt).toBeGreaterThan(50);
  });

  it('tries the days before when the provider repeats a cursor, and ends', async () => {
    const list = new TestList([1000]);
    const gateway = {
      listTransactions: (query: TransactionQuery) => {
        list.asked.push(query);
        return Promise.resolve({ rows: [], end: endAt('same') });
      },
    };
    await list.poller({ gateway }).poll(NOW - DAY_MS);
    const asked = list.asked.map(({ toDate, cursor = 'none' }) => `${toDate} ${cursor}`);
    expect(asked.slice(0, 3)).toEqual(['2026-01-21 none', '2026-01-21 same', '2026-01-20 none']);
    expect(asked.at(-1)).toBe('2026-01-18 same');
  });

  it('that fails ends too, logs it once, and backs off for as long as the provider asks', async () => {
    const list = new TestList([1000]);
    const poller = list.poller({ intervalMs: 1 });
    list.before = () => {
      throw new AppError(503, 'provider_unavailable', '', { retryAfterSeconds: 0.06 });
    };
    await poller.poll(NOW);
    expect(list.warnings).toHaveLength(1);
    list.before = () => undefined;
    const startedAt = performance.now();
    await poller.poll(NOW);
    expect(performance.now() - startedAt).toBeGreaterThan(50);
    expect(list.seen).toEqual(['tx-0']);
  });

  it('waits as well where the provider asked for a pause at another list of the account, and not where that one failed', async () => {
    const [list, other] = [new TestList([1000]), new TestList([1000])];
    const accountBackOff = new BackOff(list.clock, 1);
    const options = { accountBackOff };
    const [poller, another] = [list.poller(options), other.poller(options)];
    list.before = () => {
      throw new AppError(503, 'provider_unavailable', '');
    };
    await poller.poll(NOW);
    expect([poller.isBackingOff(), another.isBackingOff()]).toEqual([true, false]);
    await pass(10);
    list.before = () => {
      throw new AppError(503, 'provider_unavailable', '', { retryAfterSeconds: 60 });
    };
    await poller.poll(NOW);
    list.before = () => undefined;
    void another.ask(NOW);
    await pass(MINUTE_MS - 1000);
    expect(other.asked).toEqual([]);
    await pass(2000);
    expect(other.asked).toHaveLength(1);
  });

  it('waits an hour at most, even when the provider asks for a year', async () => {
    const list = new TestList([1000]);
    const poller = list.poller();
    list.before = () => {
      throw new AppError(503, 'provider_unavailable', '', { retryAfterSeconds: 31_536_000 });
    };
    await poller.poll(NOW);
    await pass(HOUR_MS - 1000);
    expect(list.asked).toHaveLength(1);
    await pass(2000);
    expect(list.asked).toHaveLength(2);
  });

  it('that keeps failing is repeated after twice the pause each time, up to a minute', async () => {
    const list = new TestList([1000]);
    const polled: boolean[] = [];
    const times: number[] = [];
    const observer = { polled: ({ isOk }: { isOk: boolean }) => polled.push(isOk) };
    const poller = list.poller({ intervalMs: 1000, observer });
    list.before = () => {
      times.push(Date.now());
      throw new AppError(503, 'provider_unavailable', '');
    };
    await poller.poll(NOW);
    await pass(4 * MINUTE_MS);
    const pauses = times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 1000));
    expect(pauses.slice(0, 7)).toEqual([2, 4, 8, 16, 32, 60, 60]);
    expect(poller.isBackingOff()).toBe(true);
    list.before = () => undefined;
    await pass(MINUTE_MS);
    expect(polled.at(-2)).toBe(false);
    expect(polled.at(-1)).toBe(true);
    expect(poller.isBackingOff()).toBe(false);
  });

  it('waits no longer when the clock goes back', async () => {
    const list = new TestList([1000]);
    let offsetMs = 0;
    const clock = { now: () => Date.now() + offsetMs };
    const poller = list.poller({ clock, intervalMs: 20, pagesPerMinute: 1 });
    await poller.poll(NOW);
    offsetMs -= HOUR_MS;
    await poller.poll(NOW - HOUR_MS);
    expect(list.asked).toHaveLength(2);
  });

  it('ends when the cursors of the provider go round in a circle', async () => {
    const list = new TestList([]);
    const gateway = {
      listTransactions: (query: TransactionQuery) => {
        list.asked.push(query);
        return Promise.resolve({ rows: [], end: endAt(`c${String(list.asked.length % 3)}`) });
      },
    };
    await list.poller({ gateway }).poll(NOW - DAY_MS);
    expect(new Set(list.asked.map(({ toDate }) => toDate)).size).toBe(4);
    expect(list.asked.length).toBeLessThanOrEqual(4 * 4);
  });

  it('is not ended by one row that is out of place', async () => {
    const list = new TestList([]);
    const rows = [rowOf('stray', 0), rowOf('tx-0', NOW - 1000)];
    const gateway = {
      listTransactions: (query: TransactionQuery) => {
        list.asked.push(query);
        return Promise.resolve({ rows, end: endAt(query.cursor === undefined && 'c1') });
      },
    };
    await list.poller({ gateway }).poll(NOW - 2000);
    expect(list.asked).toHaveLength(2);
  });

  it('that failed is made up for by the next one, as far back', async () => {
    const list = new TestList([1000, 2000, 3000, 4000]);
    const poller = list.poller({ intervalMs: 1 });
    list.before = () => {
      throw new AppError(503, 'provider_unavailable', '');
    };
    await poller.poll(NOW - 3500);
    list.before = () => undefined;
    await poller.poll(NOW);
    expect(list.takeSeen()).toEqual(['tx-0', 'tx-1', 'tx-2', 'tx-3']);
    await poller.poll(NOW);
    expect(list.takeSeen()).toEqual(['tx-0']);
  });

  it('that fails at a page further down delays no recent rows', async () => {
    const list = new TestList([1000, 2000, 3000, 4000]);
    const poller = list.poller({ intervalMs: 1000 });
    list.before = ({ cursor }) => {
      if (cursor?.includes('tx-2')) throw new AppError(503, 'provider_unavailable', '');
    };
    expect(await poller.poll(NOW - 3500)).toBe('failed');
    for (let poll = 0; poll < 20; poll += 1) {
      list.takeSeen();
      const askedAt = Date.now();
      expect(await poller.poll(Date.now())).toBe('read');
      expect(list.takeSeen()).toContain('tx-0');
      expect(Date.now() - askedAt).toBeLessThan(1200);
    }
    // It is tried again all the same, at growing pauses.
    expect(list.warnings.length).toBeGreaterThan(2);
    expect(list.warnings.length).toBeLessThan(8);
    list.before = () => undefined;
    await pass(MINUTE_MS);
    expect(list.seen).toContain('tx-3');
  });

  it('that waits ends when the poller closes, and none starts after', async () => {
    const list = new TestList([1000]);
    const poller = list.poller({ intervalMs: 1_000_000 });
    await poller.poll(NOW);
    const waiting = poller.poll(NOW);
    await poller.close();
    await waiting;
    await poller.poll(NOW);
    expect(list.asked).toHaveLength(1);
  });
});

describe('a report next to the polls', () => {
  const { signal } = new AbortController();

  it('takes its pages of the same quota, and leaves half of them to the polls', async () => {
    const list = new TestList([1000]);
    const poller = list.poller({ pagesPerMinute: 4 });
    // All of a minute.
    for (let poll = 0; poll < 4; poll += 1) await poller.poll(NOW);
    list.asked.length = 0;
    let pages = 0;
    const read = async () => {
      for (; pages < 3; pages += 1) await poller.waitForPage(signal);
    };
    const reading = read();
    await pass(MINUTE_MS);
    for (let poll = 0; poll < 2; poll += 1) await poller.poll(NOW);
    const third = poller.ask(NOW);
    await pass(MINUTE_MS - 2000);
    expect([pages, list.asked.length]).toEqual([2, 2]);
    await pass(4000);
    expect([pages, list.asked.length]).toEqual([3, 3]);
    await Promise.all([reading, third]);
  });

  it('requests nothing while the provider wants a pause', async () => {
    const list = new TestList([1000]);
    const poller = list.poller();
    list.before = () => {
      throw new AppError(503, 'provider_unavailable', 'Wait.', { retryAfterSeconds: 30 });
    };
    await poller.poll(NOW);
    list.before = () => undefined;
    let isTaken = false;
    const taking = poller.waitForPage(signal).then(() => {
      isTaken = true;
    });
    await pass(29_000);
    expect(isTaken).toBe(false);
    await pass(2000);
    await taking;
  });
});

describe('a poll that runs out of its pages', () => {
  it('goes on where it stopped, after what is new', async () => {
    const list = new TestList([2, 3, 4, 5, 6, 7].map((hours) => hours * HOUR_MS));
    const poller = list.poller({ pagesPerMinute: 4 });
    const older = poller.ask(NOW - 6.5 * HOUR_MS);
    await pass(100);
    expect(list.takeSeen()).toEqual(['tx-0', 'tx-1']);
    await pass(MINUTE_MS - 200);
    list.rows.unshift(rowOf('new', Date.now()));
    await poller.poll(Date.now() - 1000);
    await pass(1000);
    expect(list.takeSeen()).toEqual(['new', 'tx-0', 'tx-2', 'tx-3']);
    expect(await settle(older)).toBe('read');
    expect(list.takeSeen()).toEqual(['tx-4', 'tx-5']);
  });

  it('is followed by another one, as far back as was requested while it was running', async () => {
    const list = new TestList([2, 3, 4, 5, 6, 7, 8, 9].map((hours) => hours * HOUR_MS));
    const poller = list.poller({ pagesPerMinute: 4 });
    void poller.ask(NOW - 4.5 * HOUR_MS);
    await pass(100);
    expect(list.takeSeen()).toEqual(['tx-0', 'tx-1']);
    // It has passed this one, which changes now, as a refund changes it.
    list.rows[1] = rowOf('changed', NOW - 3 * HOUR_MS);
    void poller.ask(NOW - 8.5 * HOUR_MS);
    await pass(8 * MINUTE_MS);
    expect(poller.backfillSince()).toBeUndefined();
    expect(list.seen).toContain('tx-7');
    // Nothing was requested during the second: there is no third.
    expect(list.seen.filter((id) => id === 'changed')).toHaveLength(1);
  });

  it('misses no row when the list has grown before it goes on, with cursors that count places', async () => {
    const list = new TestList([...Array(12).keys()].map((hours) => (hours + 2) * HOUR_MS));
    const gateway = {
      listTransactions: ({ cursor = '0' }: TransactionQuery) => {
        const at = Number(cursor);
        const end = endAt(at + 1 < list.rows.length && String(at + 1));
        return Promise.resolve({ rows: list.rows.slice(at, at + 1), end });
      },
    };
    const poller = list.poller({ gateway, pagesPerMinute: 4 });
    const older = poller.ask(NOW - 12.5 * HOUR_MS);
    for (let minute = 0; minute < 3; minute += 1) {
      list.rows.unshift(rowOf(`new-${String(minute)}`, Date.now()));
      await pass(MINUTE_MS);
    }
    expect(await settle(older)).toBe('read');
    const old = list.rows.map(({ id }) => id).filter((id) => id?.startsWith('tx-'));
    expect(list.seen).toEqual(expect.arrayContaining(old.slice(0, 11)));
  });

  it('reaches the end however often the same range is requested again', async () => {
    const list = new TestList([...Array(40).keys()].map((hours) => (hours + 2) * HOUR_MS));
    const poller = list.poller({ pagesPerMinute: 10 });
    for (let poll = 0; poll < 9; poll += 1) {
      void poller.ask(NOW - 60 * DAY_MS);
      await pass(MINUTE_MS);
    }
    expect(list.seen).toContain('tx-39');
  });

  it('leaves pages for recent rows: only half of them go to what is older than an hour', async () => {
    const list = new TestList([...Array(20).keys()].map((hours) => (hours + 2) * HOUR_MS));
    const poller = list.poller({ pagesPerMinute: 10 });
    void poller.ask(NOW - DAY_MS);
    await pass(100);
    expect(list.takeSeen()).toHaveLength(5);
    await poller.poll(NOW - 1000);
    expect(list.takeSeen()).toEqual(['tx-0']);
  });

  it('tries a cursor once more, and then goes on without it, by the day that it has reached', async () => {
    const list = new TestList([1, 2, 3, 4].map((days) => days * DAY_MS));
    const poller = list.poller({ pagesPerMinute: 4 });
    const older = poller.ask(NOW - 10 * DAY_MS);
    await pass(100);
    list.generation += 1;
    expect(await settle(older)).toBe('read');
    // It had reached the 18th.
    expect(list.asked).toContainEqual(
      expect.objectContaining({ toDate: '2026-01-19', cursor: undefined }),
    );
    expect(list.seen).toContain('tx-3');
    expect(list.warnings).toHaveLength(2);
  });
});

describe('days', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['UTC', 'Pacific/Auckland', 'America/New_York'])(
    'are those of UTC, with one more at both ends, for a server in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      const list = new TestList([]);
      const days: string[] = [];
      for (const time of ['2026-03-08T23:59:59.999Z', '2026-03-09T00:00:00.000Z']) {
        vi.setSystemTime(time);
        await list.poller().poll(Date.now());
        const { fromDate, toDate } = list.asked.at(-1) ?? {};
        days.push(`${String(fromDate)} ${String(toDate)}`);
      }
      expect(days).toEqual(['2026-03-07 2026-03-09', '2026-03-08 2026-03-10']);
    },
  );

  it.each([true, false])(
    'do for rows around midnight, whether the first and the last one count: %s',
    async (hasEnds) => {
      const list = new TestList([]);
      list.hasEnds = hasEnds;
      const midnight = Date.parse('2026-01-21T00:00:00.000Z');
      for (const time of [midnight - 1, midnight]) {
        vi.setSystemTime(time);
        const rows = [0, -1, -60_000].filter((ms) => midnight + ms <= time);
        list.rows = rows.map((ms) => rowOf(String(ms), midnight + ms));
        await list.poller().poll(midnight - 2 * MINUTE_MS);
        expect(list.takeSeen()).toEqual(rows.map(String));
      }
    },
  );
});

describe('rows that move between two pages of a poll', () => {
  /** A list whose cursors count places: what is listed or goes in the meantime moves the others. */
  function setUp() {
    const list = new TestList([1000, 2000, 3000, 4000]);
    const gateway = {
      listTransactions: (query: TransactionQuery) => {
        list.asked.push(query);
        void list.before(query);
        const at = Number(query.cursor ?? 0);
        const end = endAt(at + 1 < list.rows.length && String(at + 1));
        return Promise.resolve({ rows: list.rows.slice(at, at + 1), end });
      },
    };
    return { list, poller: list.poller({ gateway, intervalMs: 1 }) };
  }

  it('down, because others are listed, are met again, and none is missed', async () => {
    const { list, poller } = setUp();
    let count = 0;
    list.before = ({ cursor }) => {
      if (cursor === undefined || count === 2) return;
      count += 1;
      list.rows.unshift(rowOf(`new-${String(count)}`, NOW));
    };
    await poller.poll(NOW - 3500);
    expect(new Set(list.takeSeen())).toEqual(new Set(['tx-0', 'tx-1', 'tx-2', 'tx-3']));
    await poller.poll(NOW - 3500);
    expect(list.takeSeen()).toEqual(['new-2', 'new-1', 'tx-0', 'tx-1', 'tx-2', 'tx-3']);
  });

  it('up, because one goes, are found by the next poll', async () => {
    const { list, poller } = setUp();
    let hasGone = false;
    list.before = ({ cursor }) => {
      if (cursor === '1' && !hasGone) hasGone = list.rows.shift() !== undefined;
    };
    await poller.poll(NOW - 3500);
    expect(list.takeSeen()).toEqual(['tx-0', 'tx-2', 'tx-3']);
    await poller.poll(NOW - 3500);
    expect(list.takeSeen()).toEqual(['tx-1', 'tx-2', 'tx-3']);
  });
});

describe('a list that is cut off', () => {
  it('is counted and logged once an hour, and its rows are read by days', async () => {
    const list = new TestList([1, 2, 3].map((days) => days * DAY_MS));
    const polls: object[] = [];
    const poller = list.poller({
      gateway: {
        listTransactions: ({ fromDate, toDate }) => {
          const row = list.rows.find(({ transactionTime = '' }) => {
            const day = transactionTime.slice(0, 10);
            return fromDate <= day && day <= toDate;
          });
          const rows = row ? [row] : [];
          const problem = 'missing_cursor';
          return Promise.resolve({
            rows,
            end: row ? { kind: 'incomplete', problem } : endAt(false),
          });
        },
      },
      observer: { polled: (poll) => polls.push(poll) },
    });
    await poller.poll(NOW - 2.5 * DAY_MS);
    expect(new Set(list.takeSeen())).toEqual(new Set(['tx-0', 'tx-1', 'tx-2']));
    expect(polls.at(-1)).toMatchObject({ isOk: true });
    const counts = polls.map((poll) => (poll as { incompletePages: number }).incompletePages);
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(2);
    const logged = { ...AT_PROVIDER, page: 1, problem: 'missing_cursor' };
    expect(list.warnings).toEqual([logged]);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await poller.poll(NOW - 2.5 * DAY_MS);
    expect(list.warnings).toEqual([logged, logged]);
  });
});

describe('a complete read', () => {
  /** Four rows of the last minutes, and when each poll had read all that it was asked for. */
  function setUp(pagesPerMinute?: number) {
    const list = new TestList([1, 2, 3, 4].map((minutes) => minutes * MINUTE_MS));
    const reads: unknown[] = [];
    const poller = list.poller({
      ...(pagesPerMinute !== undefined && { pagesPerMinute }),
      observer: { polled: ({ account, completeAt }) => reads.push([account, completeAt]) },
    });
    return { list, poller, reads };
  }
  const { account } = AT_PROVIDER;

  it('is reported with the time of its newest page, whatever the backfill does', async () => {
    const { list, poller, reads } = setUp();
    list.before = () => void vi.setSystemTime(Date.now() + 1000);
    await poller.poll(NOW - 2.5 * MINUTE_MS);
    expect(reads).toEqual([[account, NOW]]);
  });

  it('is none that failed, or that the quota ended', async () => {
    const failed = setUp();
    failed.list.before = () => Promise.reject(new Error('the provider is down'));
    await failed.poller.poll(NOW - 2.5 * MINUTE_MS);
    expect(failed.reads).toEqual([[account, undefined]]);
    const short = setUp(2);
    const polled = short.poller.ask(NOW - 3.5 * MINUTE_MS);
    await pass(1000);
    expect(short.list.seen).toEqual(['tx-0', 'tx-1']);
    expect(short.reads).toEqual([[account, undefined]]);
    expect(await settle(polled)).toBe('read');
    const [, completeAt] = short.reads.at(-1) as [string, number];
    expect(completeAt).toBeLessThan(NOW + 10);
  });

  it('is none of which a day was passed over', async () => {
    const list = new TestList([]);
    const reads: unknown[] = [];
    const poller = list.poller({
      gateway: {
        listTransactions: () => {
          const end = { kind: 'incomplete', problem: 'missing_cursor' } as const;
          return Promise.resolve({ rows: [rowOf('tx-0', NOW - 1000)], end });
        },
      },
      observer: { polled: ({ completeAt }) => reads.push(completeAt) },
    });
    await poller.poll(NOW - MINUTE_MS);
    expect(reads).toEqual([undefined]);
  });
});

describe('rows that cannot be read', () => {
  const unreadable = { count: 2, first: [{ index: 0, kind: 'null' }] };

  /** A poller of a list whose only page has rows, and some that are none. */
  function setUp() {
    const list = new TestList([]);
    const polls: unknown[] = [];
    const poller = list.poller({
      gateway: {
        listTransactions: () => {
          const rows = [rowOf('tx-0', NOW - 1000)];
          return Promise.resolve({ rows, unreadable, end: { kind: 'complete' } });
        },
      },
      observer: {
        polled: ({ unreadableRows, isOk }) => polls.push({ unreadableRows, isOk }),
      },
    });
    return { list, polls, poller };
  }

  it('stop no poll, are counted at each, and delay no row around them', async () => {
    const { list, polls, poller } = setUp();
    await poller.poll(NOW - HOUR_MS);
    await poller.poll(NOW - HOUR_MS);
    expect(list.takeSeen()).toEqual(['tx-0', 'tx-0']);
    expect(polls).toEqual([
      { unreadableRows: 2, isOk: true },
      { unreadableRows: 2, isOk: true },
    ]);
  });

  it('are logged once an hour, with their places and kinds', async () => {
    const { list, poller } = setUp();
    await poller.poll(NOW - HOUR_MS);
    await poller.poll(NOW - HOUR_MS);
    const logged = { ...AT_PROVIDER, page: 1, count: 2, places: ['0: null'] };
    expect(list.warnings).toEqual([logged]);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await poller.poll(NOW - HOUR_MS);
    expect(list.warnings).toEqual([logged, logged]);
  });
});
