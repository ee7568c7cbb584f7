import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TransactionPage, TransactionQuery } from '../provider/gateway.js';
import { DEFAULT_TUNING } from '../config.js';
import { AppError } from '../errors.js';
import { SILENT_OBSERVER } from '../observer.js';
import { RunLoops } from '../run-loop.js';
import { ListReader, type ListReaderOptions } from './list-reader.js';
import { readOperationsGuide } from '../testing/operations-guide.js';
import { endAt } from '../testing/page-end.js';
import { AT_PROVIDER } from '../testing/store-harness.js';

const START = Date.parse('2026-01-20T12:00:00.000Z');
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PAGE_ROWS = 100;
/** The least that a server is started with; all else is as docs/operations says. */
/** When the first row of the list was made. */
const FIRST = START - 20 * DAY_MS;

const CLOCK = { now: () => Date.now() };
const NO_DATABASE = { get: () => Promise.resolve(undefined), all: () => Promise.resolve([]) };
const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The list of a merchant with a row every few seconds, who never stops; each row is its number. */
class BusyList {
  /** When each page was asked for. */
  readonly calls: number[] = [];
  readonly seen = new Set<number>();
  /** The longest time from when a row was listed until a poll read it. */
  slowestMs = 0;
  /** Called with each question before it is answered. */
  before: (query: TransactionQuery) => Promise<void> | void = () => undefined;
  readonly #rowEveryMs: number;

  constructor(rowEveryMs: number) {
    this.#rowEveryMs = rowEveryMs;
  }

  poller(options: Partial<ListReaderOptions> = {}): ListReader {
    return new ListReader({
      loops: new RunLoops({ database: NO_DATABASE, clock: CLOCK, logger: QUIET, tickMs: 100 }),
      gateway: { listTransactions: (query) => this.#answer(query) },
      ...AT_PROVIDER,
      clock: CLOCK,
      logger: QUIET,
      intervalMs: 3000,
      pagesPerMinute: 60,
      observer: SILENT_OBSERVER,
      findDue: () => Promise.resolve([]),
      onRead: () => Promise.resolve(),
      onRows: (rows) => {
        for (const { id } of rows) this.#see(Number(id));
        return Promise.resolve();
      },
      ...options,
    });
  }

  /** The newest row of a time. */
  at(time: number): number {
    return Math.floor((time - FIRST) / this.#rowEveryMs);
  }

  hasSeenAll(from: number, to: number): boolean {
    for (let row = this.at(from) + 1; row <= this.at(to); row += 1) {
      if (!this.seen.has(row)) return false;
    }
    return true;
  }

  /** The most calls that began within one minute. */
  mostCallsAMinute(): number {
    return Math.max(
      ...this.calls.map((at, index) => {
        const after = this.calls.findIndex(
          (other, place) => place > index && other - at >= MINUTE_MS,
        );
        return (after < 0 ? this.calls.length : after) - index;
      }),
    );
  }

  async #answer(query: TransactionQuery): Promise<TransactionPage> {
    this.calls.push(Date.now());
    await this.before(query);
    const endOfDay = Date.parse(`${query.toDate}T00:00:00Z`) + DAY_MS;
    const newest = this.at(Math.min(Date.now(), endOfDay));
    const oldest = Math.max(0, this.at(Date.parse(`${query.fromDate}T00:00:00Z`)) + 1);
    const top = query.cursor === undefined ? newest : Number(query.cursor);
    const rows = Array.from({ length: Math.min(PAGE_ROWS, top - oldest + 1) }, (_, place) => ({
      id: String(top - place),
      transactionTime: new Date(FIRST + (top - place) * this.#rowEveryMs).toISOString(),
      references: {},
    }));
    const next = top - PAGE_ROWS;
    return { rows, end: endAt(next >= oldest && String(next)) };
  }

  #see(row: number): void {
    if (this.seen.has(row)) return;
    this.seen.add(row);
    const listedAt = FIRST + row * this.#rowEveryMs;
    if (listedAt > START) this.slowestMs = Math.max(this.slowestMs, Date.now() - listedAt);
  }
}

/** A shopper who always waits for a payment of the last `ageMs`. */
function waitForPayments(poller: ListReader, ageMs: number): { stop(): void } {
  let isWaiting = true;
  const go = async (): Promise<void> => {
    while (isWaiting) await poller.poll(Date.now() - ageMs);
  };
  void go();
  return {
    stop: () => {
      isWaiting = false;
    },
  };
}

/** Closes a poller, and lets a call in progress end. */
async function close(poller: ListReader): Promise<void> {
  const closing = poller.close();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await closing;
}

/** Lets time pass in steps that are no round figures, with something to do at each. */
async function pass(ms: number, action: () => void): Promise<void> {
  const until = Date.now() + ms;
  for (let step = 0; Date.now() < until; step += 1) {
    action();
    await vi.advanceTimersByTimeAsync([2711, 3137, 7349, 911, 4903][step % 5] ?? 0);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a backfill of a busy merchant', () => {
  it('ends while shoppers wait and it is requested again at each poll', async () => {
    const list = new BusyList(12 * SECOND_MS);
    const poller = list.poller();
    const waiting = waitForPayments(poller, 40 * MINUTE_MS);
    const depth = START - 14 * DAY_MS;
    // 14 days are 1,008 pages, and 30 of a minute are for them.
    await pass(30 * MINUTE_MS, () => void poller.poll(depth));
    expect(list.hasSeenAll(depth, START)).toBe(false);
    expect(poller.backfillSince).toBe(START);
    await pass(6 * MINUTE_MS, () => void poller.poll(depth));
    expect(list.hasSeenAll(depth, START)).toBe(true);
    expect(list.mostCallsAMinute()).toBeLessThanOrEqual(60);
    // Half of a minute's pages are left for waiters, at two pages a poll.
    expect(list.slowestMs).toBeLessThan(MINUTE_MS);
    waiting.stop();
    await close(poller);
  });

  it('ends and starts again from the newest row, when it is requested all the time', async () => {
    const list = new BusyList(HOUR_MS / 10);
    const poller = list.poller({ pagesPerMinute: 10 });
    const starts = new Set<number | undefined>();
    // 48 pages: ten minutes.
    await pass(35 * MINUTE_MS, () => {
      void poller.poll(FIRST + HOUR_MS);
      starts.add(poller.backfillSince);
    });
    expect(list.hasSeenAll(FIRST + HOUR_MS, START)).toBe(true);
    expect([...starts].filter((start) => start !== undefined).length).toBeGreaterThanOrEqual(3);
    // No one asks any more: the one in progress and another one end.
    await vi.advanceTimersByTimeAsync(25 * MINUTE_MS);
    expect(poller.backfillSince).toBeUndefined();
    expect(list.mostCallsAMinute()).toBeLessThanOrEqual(10);
    await close(poller);
  });

  it('leaves pages for waiters when it re-reads what may have been listed late', async () => {
    // An hour is 30 pages, as many as a minute has for recent rows.
    const list = new BusyList(1200);
    const poller = list.poller();
    void poller.poll(START - 14 * DAY_MS);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    void poller.poll(START - 14 * DAY_MS);
    await vi.advanceTimersByTimeAsync(3 * SECOND_MS);
    const calls = list.calls.length;
    const waiting = waitForPayments(poller, SECOND_MS);
    await vi.advanceTimersByTimeAsync(30 * SECOND_MS);
    expect(list.calls.length - calls).toBeGreaterThanOrEqual(10);
    waiting.stop();
    await close(poller);
  });

  it('goes on within its quota when no one asks for another poll', async () => {
    const list = new BusyList(HOUR_MS / 10);
    const poller = list.poller({ pagesPerMinute: 10 });
    void poller.poll(FIRST + HOUR_MS);
    await vi.advanceTimersByTimeAsync(15 * MINUTE_MS);
    expect(list.hasSeenAll(FIRST + HOUR_MS, START)).toBe(true);
    expect(list.mostCallsAMinute()).toBeLessThanOrEqual(10);
    const calls = list.calls.length;
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(list.calls.length).toBe(calls);
    await close(poller);
  });

  it('reports when it started until it ends', async () => {
    const list = new BusyList(HOUR_MS / 10);
    const poller = list.poller({ pagesPerMinute: 10 });
    expect(poller.backfillSince).toBeUndefined();
    // 48 pages: ten minutes.
    void poller.poll(FIRST + HOUR_MS);
    await pass(5 * MINUTE_MS, () => void poller.poll(Date.now()));
    expect(poller.backfillSince).toBe(START);
    await pass(7 * MINUTE_MS, () => void poller.poll(Date.now()));
    expect(poller.backfillSince).toBeUndefined();
    expect(list.hasSeenAll(FIRST + HOUR_MS, START)).toBe(true);
    await close(poller);
  });

  it('does not delay those who wait for recent rows, however slow its pages are', async () => {
    const list = new BusyList(12 * SECOND_MS);
    list.before = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2000));
    };
    const poller = list.poller();
    void poller.poll(START - 14 * DAY_MS);
    await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
    const startedAt = Date.now();
    let polledAt = Infinity;
    void poller.poll(START - 20 * DAY_MS);
    void poller.poll(startedAt).then(() => (polledAt = Date.now()));
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    // The page of the backfill and the pause after it, then its own.
    expect(polledAt - startedAt).toBeLessThanOrEqual(8 * SECOND_MS);
    await close(poller);
  });

  it('goes on with its half of the pages when recent rows use up theirs', async () => {
    // 36 pages are recent, and 108 are for the backfill.
    const list = new BusyList(SECOND_MS / 2);
    const poller = list.poller({ pagesPerMinute: 20 });
    const waiting = waitForPayments(poller, 30 * MINUTE_MS);
    await pass(10 * MINUTE_MS, () => void poller.poll(START - 2 * HOUR_MS));
    // All of the half hour, though no minute has so many pages for it, and 96 pages of the backfill.
    expect(list.hasSeenAll(START - 30 * MINUTE_MS, START)).toBe(true);
    expect(list.hasSeenAll(START - 2 * HOUR_MS + 40 * MINUTE_MS, START)).toBe(true);
    expect(list.mostCallsAMinute()).toBeLessThanOrEqual(20);
    waiting.stop();
    await close(poller);
  });
});

describe('the pages of a minute', () => {
  it('are what docs/operations says, for a thousand shoppers who wait', async () => {
    const { pollIntervalSeconds, pollPagesPerMinute } = DEFAULT_TUNING;
    const page = readOperationsGuide();
    const text = page.replaceAll(/\s+/g, ' ');
    const [, most, fewest] = /(\d+) list calls a minute.*?, and (\d+) while/.exec(text) ?? [];
    expect(Number(most)).toBe(pollPagesPerMinute);
    expect(Number(fewest)).toBe(60 / pollIntervalSeconds);
    // What is recent: more pages than the quota has, or one.
    for (const [rowEveryMs, calls] of [
      [SECOND_MS / 2, most],
      [HOUR_MS / 10, fewest],
    ] as const) {
      const list = new BusyList(rowEveryMs);
      const poller = list.poller({
        intervalMs: pollIntervalSeconds * SECOND_MS,
        pagesPerMinute: pollPagesPerMinute,
      });
      const waiting = Array.from({ length: 1000 }, (_, age) =>
        waitForPayments(poller, age * 3 * SECOND_MS),
      );
      await pass(3 * MINUTE_MS, () => undefined);
      expect(list.mostCallsAMinute()).toBe(Number(calls));
      for (const one of waiting) one.stop();
      await close(poller);
    }
  });

  it('are no more than the quota, for the backfill and recent rows together', async () => {
    const list = new BusyList(12 * SECOND_MS);
    const poller = list.poller({ pagesPerMinute: 20 });
    void poller.poll(START - 3 * HOUR_MS);
    const waiting = waitForPayments(poller, 50 * MINUTE_MS);
    await pass(5 * MINUTE_MS, () => undefined);
    // The backfill had nine pages, and each poll has three recent ones, of which there could be twenty.
    expect(list.hasSeenAll(START - 3 * HOUR_MS, START)).toBe(true);
    expect(list.mostCallsAMinute()).toBe(20);
    waiting.stop();
    await close(poller);
  });

  it('that are too few for all recent rows are enough in the end', async () => {
    const list = new BusyList(SECOND_MS / 2);
    const poller = list.poller({ pagesPerMinute: 20 });
    const waiting = waitForPayments(poller, 50 * MINUTE_MS);
    // 60 pages, while the newest ones are read again and again.
    await pass(5 * MINUTE_MS, () => undefined);
    expect(list.hasSeenAll(START - 45 * MINUTE_MS, START + 4 * MINUTE_MS)).toBe(true);
    expect(list.mostCallsAMinute()).toBe(20);
    waiting.stop();
    await close(poller);
  });
});

describe('a page of the backfill that always fails', () => {
  function setUp(error: AppError) {
    const list = new BusyList(12 * SECOND_MS);
    const failures: number[] = [];
    const bad = list.at(START - 3 * HOUR_MS);
    list.before = ({ cursor }) => {
      if (cursor === undefined || Number(cursor) > bad) return;
      failures.push(Date.now());
      throw error;
    };
    const poller = list.poller();
    return { list, failures, poller };
  }

  it('delays no recent poll, and is tried again at growing pauses', async () => {
    const { list, failures, poller } = setUp(new AppError(503, 'provider_unavailable', ''));
    const waiting = waitForPayments(poller, MINUTE_MS);
    await pass(10 * MINUTE_MS, () => void poller.poll(START - 14 * DAY_MS));
    expect(list.slowestMs).toBeLessThan(5 * SECOND_MS);
    expect(poller.isBackingOff()).toBe(false);
    expect(poller.backfillSince).toBe(START);
    expect(failures.length).toBeGreaterThan(5);
    expect(failures.length).toBeLessThan(40);
    waiting.stop();
    await close(poller);
  });

  it('stops all polls for as long as the provider asks', async () => {
    const { list, failures, poller } = setUp(
      new AppError(503, 'provider_unavailable', '', { retryAfterSeconds: 120 }),
    );
    const waiting = waitForPayments(poller, MINUTE_MS);
    void poller.poll(START - 14 * DAY_MS);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(failures).toHaveLength(1);
    expect(poller.isBackingOff()).toBe(true);
    const calls = list.calls.length;
    await vi.advanceTimersByTimeAsync(59 * SECOND_MS);
    expect(list.calls).toHaveLength(calls);
    await vi.advanceTimersByTimeAsync(4 * SECOND_MS);
    expect(list.calls.length).toBeGreaterThan(calls);
    waiting.stop();
    await close(poller);
  });
});

describe('a provider that is slow', () => {
  it.each([
    [500, 500],
    [8000, 8000],
    [25_000, 10_000],
  ])('that takes %i ms is left alone for %i ms before the next call', async (callMs, restMs) => {
    const list = new BusyList(12 * SECOND_MS);
    list.before = async () => {
      await new Promise((resolve) => setTimeout(resolve, callMs));
    };
    const poller = list.poller({ intervalMs: 1 });
    const waiting = waitForPayments(poller, MINUTE_MS);
    await pass(5 * MINUTE_MS, () => void poller.poll(START - DAY_MS));
    const pauses = list.calls.slice(1).map((at, index) => at - (list.calls[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(5);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(callMs + restMs);
    waiting.stop();
    await close(poller);
  });
});
