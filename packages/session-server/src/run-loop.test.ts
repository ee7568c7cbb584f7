import { describe, expect, it } from 'vitest';
import type { LogFields, Logger } from './logger.js';
import { startRunLoop } from './run-loop.js';

const NEVER_MS = 1_000_000;

function recordingLogger() {
  const errors: LogFields[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields) => errors.push(fields),
  };
  return { logger, errors };
}

/** A job whose runs a test can wait for, and hold. */
function testJob(options: { pauseMs?: number; wait?: number; holds?: boolean } = {}) {
  const { logger, errors } = recordingLogger();
  let runs = 0;
  let running = 0;
  let maxRunning = 0;
  let release: () => void = () => undefined;
  const job = startRunLoop({
    name: 'test job',
    logger,
    pauseMs: options.pauseMs ?? NEVER_MS,
    async run() {
      runs += 1;
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      if (options.holds) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      running -= 1;
      return options.wait;
    },
  });
  return {
    job,
    errors,
    runs: () => runs,
    maxRunning: () => maxRunning,
    release: () => {
      release();
    },
  };
}

describe('a run loop', () => {
  it('runs at once, then after each pause', async () => {
    const test = testJob({ pauseMs: 1 });
    await expect.poll(test.runs).toBeGreaterThan(3);
    await test.job.close();
  });

  it('runs again as soon as a run asks for, and never later than its pause', async () => {
    const soon = testJob({ wait: -5 });
    const late = testJob({ pauseMs: 1, wait: NEVER_MS });
    await expect.poll(soon.runs).toBeGreaterThan(3);
    await expect.poll(late.runs).toBeGreaterThan(3);
    await Promise.all([soon.job.close(), late.job.close()]);
  });

  it('runs when woken', async () => {
    const test = testJob();
    await expect.poll(test.runs).toBe(1);
    test.job.wake();
    await expect.poll(test.runs).toBe(2);
    await test.job.close();
  });

  it('runs once more when woken during a run, and never two at a time', async () => {
    const test = testJob({ holds: true });
    test.job.wake();
    test.job.wake();
    expect(test.runs()).toBe(1);
    test.release();
    await expect.poll(test.runs).toBe(2);
    const closed = test.job.close();
    test.release();
    await closed;
    expect([test.runs(), test.maxRunning()]).toEqual([2, 1]);
  });

  it('goes on after a run that throws, and logs no message of it', async () => {
    const { logger, errors } = recordingLogger();
    let runs = 0;
    const job = startRunLoop({
      name: 'test job',
      logger,
      pauseMs: 1,
      run: () => {
        runs += 1;
        throw new TypeError('ada@shopper.example');
      },
    });
    await expect.poll(() => runs).toBeGreaterThan(2);
    await job.close();
    expect(errors[0]).toMatchObject({ job: 'test job', error: 'TypeError' });
    expect(JSON.stringify(errors)).not.toContain('shopper.example');
  });

  it('aborts the run in progress, closes after it, and may be closed twice', async () => {
    const { logger } = recordingLogger();
    let wasAborted = false;
    const job = startRunLoop({
      name: 'test job',
      logger,
      pauseMs: NEVER_MS,
      run: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            wasAborted = true;
            resolve(undefined);
          });
        }),
    });
    await Promise.all([job.close(), job.close()]);
    expect(wasAborted).toBe(true);
  });
});
