import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { ManualClock } from '../testing/manual-clock.js';
import { failureOf } from '../testing/test-server.js';
import { sleep, withTimeLimit } from './deadline.js';

describe('sleep', () => {
  it('ends when its time has come and leaves no listener', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const slept = sleep(clock, 1_000, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    clock.advance(1_000);
    await slept;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('does not begin when the signal is aborted already', async () => {
    const clock = new ManualClock();
    const reason = new Error('over');
    expect(await failureOf(sleep(clock, 1_000, AbortSignal.abort(reason)))).toBe(reason);
    expect(clock.timers.size).toBe(0);
  });
});

describe('withTimeLimit', () => {
  it("tells which limit ran out, or passes on the parent's reason", async () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const reasonOf = (signal: AbortSignal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
    const timed = withTimeLimit(clock, { limit: 'attempt', seconds: 2 }, reasonOf);
    clock.advance(2_000);
    expect(await timed).toMatchObject({ limit: 'attempt', seconds: 2 });
    const limits = { limit: 'call', seconds: 2, parent: parent.signal } as const;
    const followed = withTimeLimit(clock, limits, reasonOf);
    parent.abort('enough');
    expect(await followed).toBe('enough');
    expect(clock.timers.size).toBe(0);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
  });
});
