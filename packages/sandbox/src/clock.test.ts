import { describe, expect, it } from 'vitest';
import { VirtualClock } from './clock.js';

const NOON = new Date('2026-05-01T12:00:00.000Z');

describe('a pause', () => {
  it('ends when the clock is moved that far, and not before', async () => {
    const clock = new VirtualClock(NOON);
    const ended: string[] = [];
    const pause = clock.pause(60).then(() => ended.push('ended'));
    clock.advance(59);
    await Promise.resolve();
    expect(ended).toEqual([]);
    clock.advance(1);
    await pause;
  });

  it('ends in real time, on a clock that runs', async () => {
    const clock = new VirtualClock();
    const before = Date.now();
    await clock.pause(0.02);
    expect(Date.now() - before).toBeGreaterThanOrEqual(19);
  });

  it('ends at once when its signal aborts', async () => {
    const abort = new AbortController();
    const pause = new VirtualClock(NOON).pause(60, abort.signal);
    abort.abort();
    await pause;
  });
});

describe('a fixed clock', () => {
  it('stands still until it is moved, and goes back to where it was', () => {
    const clock = new VirtualClock(NOON);
    expect(clock.nowText()).toBe('2026-05-01T12:00:00.000Z');
    clock.advance(86_400);
    expect(clock.nowText()).toBe('2026-05-02T12:00:00.000Z');
    clock.set(new Date('2027-01-01T00:00:00.000Z'));
    expect(clock.nowText()).toBe('2027-01-01T00:00:00.000Z');
    clock.reset();
    expect(clock.nowText()).toBe('2026-05-01T12:00:00.000Z');
  });
});
