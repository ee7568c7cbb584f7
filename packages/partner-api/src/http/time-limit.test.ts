import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { ManualClock } from '../testing/manual-clock.js';
import { failureOf } from '../testing/test-server.js';
import { sleep, startTimeLimit } from './retry.js';

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

describe('startTimeLimit', () => {
  const options = { limit: 'call', seconds: 2 } as const;

  it('names the limit that ran out, and how long it was, when what is left of it is over', () => {
    const clock = new ManualClock();
    const whole = startTimeLimit(clock, options);
    const rest = startTimeLimit(clock, { ...options, millisecondsLeft: 500 });
    clock.advance(500);
    expect(rest.signal.reason).toMatchObject({ limit: 'call', seconds: 2 });
    expect(whole.signal.aborted).toBe(false);
    clock.advance(1_500);
    expect(whole.signal.reason).toMatchObject({ limit: 'call', seconds: 2 });
  });

  it("passes on the parent's reason", () => {
    const parent = new AbortController();
    const { signal } = startTimeLimit(new ManualClock(), { ...options, parent: parent.signal });
    parent.abort('enough');
    expect(signal.reason).toBe('enough');
  });

  it('leaves no timer and no listener when it has ended', () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const { end } = startTimeLimit(clock, { ...options, parent: parent.signal });
    expect(clock.timers.size).toBe(1);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    end();
    expect(clock.timers.size).toBe(0);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
  });
});
