import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from './logger.js';
import { type Job, type RunLoop, RunLoops } from './run-loop.js';
import type { Row } from './store/database.js';
import { sql } from './store/sql.js';

const TICK_MS = 200;
/** Longer than any test takes. */
const NEVER_MS = 1_000_000;

let now: number;
let errors: LogFields[];
let asked: number;
/** What the store answers: when something is due for a job, by its name. */
let due: Record<string, number | null>;
let isStoreGone: boolean;
let loops: RunLoops;
let started: RunLoop[];

beforeEach(() => {
  now = 1_700_000_000_000;
  errors = [];
  asked = 0;
  due = {};
  isStoreGone = false;
  started = [];
  const ignore = () => undefined;
  const logger: Logger = {
    ...{ debug: ignore, info: ignore, warn: ignore },
    error: (fields) => errors.push(fields),
  };
  const all = ({ values }: { values: readonly unknown[] }): Promise<Row[]> => {
    asked += 1;
    if (isStoreGone) return Promise.reject(new Error('no connection'));
    return Promise.resolve(values.map((job) => ({ job, due: due[String(job)] ?? null })));
  };
  const database = { all, get: () => Promise.reject(new Error('not asked')) };
  loops = new RunLoops({ database, clock: { now: () => now }, logger, tickMs: TICK_MS });
});
afterEach(() => Promise.all(started.map((loop) => loop.close())));

/** A job whose runs a test can wait for, and hold. */
function start(options: Partial<Job> & { wait?: number; holds?: boolean } = {}) {
  const { name = 'test job', wait, holds, ...others } = options;
  const seen = { runs: 0, running: 0, maxRunning: 0, release: (): void => undefined };
  const loop = loops.start({
    name,
    async run() {
      seen.runs += 1;
      seen.running += 1;
      seen.maxRunning = Math.max(seen.maxRunning, seen.running);
      if (holds) await new Promise<void>((resolve) => (seen.release = resolve));
      seen.running -= 1;
      return wait;
    },
    ...others,
  });
  started.push(loop);
  return { loop, seen };
}

const NEXT_DUE = sql`SELECT min(due_at) FROM anything`;

describe('a run loop', () => {
  it('runs at once, and when woken', async () => {
    const { loop, seen } = start();
    expect(seen.runs).toBe(1);
    loop.wake();
    await expect.poll(() => seen.runs).toBe(2);
  });

  it('runs again as soon as a run asks for', async () => {
    const { seen: again } = start({ wait: 0 });
    const { seen: soon } = start({ wait: 1 });
    const { seen: late } = start({ wait: NEVER_MS });
    await expect.poll(() => Math.min(again.runs, soon.runs)).toBeGreaterThan(3);
    expect(late.runs).toBe(1);
  });

  it('runs when the clock has come to where a run asked for', async () => {
    const { seen } = start({ wait: NEVER_MS });
    await expect.poll(() => seen.running).toBe(0);
    now += NEVER_MS;
    await expect.poll(() => seen.runs, { timeout: 3 * TICK_MS }).toBe(2);
  });

  it('runs once more when woken during a run, and never two at a time', async () => {
    const { loop, seen } = start({ holds: true });
    loop.wake();
    loop.wake();
    expect(seen.runs).toBe(1);
    seen.release();
    await expect.poll(() => seen.runs).toBe(2);
    const closed = loop.close();
    seen.release();
    await closed;
    expect([seen.runs, seen.maxRunning]).toEqual([2, 1]);
  });

  it('goes on after a run that throws, and logs no message of it', async () => {
    let runs = 0;
    const { loop } = start({
      run: () => {
        runs += 1;
        throw new TypeError('ada@shopper.example');
      },
    });
    loop.wake();
    await expect.poll(() => runs).toBe(2);
    now += NEVER_MS;
    await expect.poll(() => runs, { timeout: 3 * TICK_MS }).toBe(3);
    expect(errors[0]).toMatchObject({ job: 'test job', error: 'TypeError' });
    expect(JSON.stringify(errors)).not.toContain('shopper.example');
  });

  it('aborts the run in progress, closes after it, and may be closed twice', async () => {
    let wasAborted = false;
    const { loop } = start({
      run: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            wasAborted = true;
            resolve(undefined);
          });
        }),
    });
    await Promise.all([loop.close(), loop.close()]);
    expect(wasAborted).toBe(true);
  });
});

describe('run loops whose work is stored', () => {
  it('run when what another process stored is due, within a second, and the others do not', async () => {
    const { seen: one } = start({ name: 'one', nextDue: NEXT_DUE });
    const { seen: other } = start({ name: 'other', nextDue: NEXT_DUE });
    due['one'] = now;
    await expect.poll(() => one.runs, { timeout: 3 * TICK_MS }).toBe(2);
    expect(other.runs).toBe(1);
  });

  it('run at the very time that is due, not only with the tick before or after it', async () => {
    const { seen } = start({ name: 'one', nextDue: NEXT_DUE });
    const startedAt = performance.now();
    due['one'] = now + TICK_MS / 2;
    await expect.poll(() => seen.runs, { timeout: 3 * TICK_MS }).toBe(2);
    expect(performance.now() - startedAt).toBeGreaterThan(1.4 * TICK_MS);
  });

  it('ask the store once a second together, and never when no work is stored', async () => {
    const { loop } = start({ name: 'alone', wait: NEVER_MS });
    const { loop: tick, seen } = start({ name: 'tick', wait: 0.9 * TICK_MS });
    await expect.poll(() => seen.runs, { timeout: 4 * TICK_MS }).toBe(4);
    expect(asked).toBe(0);
    await Promise.all([loop.close(), tick.close()]);
    for (const name of ['one', 'two', 'three']) start({ name, nextDue: NEXT_DUE });
    await expect.poll(() => asked, { timeout: 3 * TICK_MS }).toBe(1);
  });

  it('go on when the store cannot answer, and log it', async () => {
    const { seen } = start({ name: 'one', nextDue: NEXT_DUE });
    isStoreGone = true;
    await expect.poll(() => errors.length, { timeout: 3 * TICK_MS }).toBe(1);
    isStoreGone = false;
    due['one'] = now;
    await expect.poll(() => seen.runs, { timeout: 3 * TICK_MS }).toBeGreaterThan(1);
  });

  it('are not woken by what they are working on', async () => {
    due['one'] = now;
    const { loop, seen } = start({ name: 'one', nextDue: NEXT_DUE, holds: true });
    await expect.poll(() => asked, { timeout: 4 * TICK_MS }).toBe(2);
    due['one'] = null;
    seen.release();
    const closed = loop.close();
    seen.release();
    await closed;
    expect(seen.runs).toBe(1);
  });
});
