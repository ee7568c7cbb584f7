import { describe, expect, it } from 'vitest';
import { PollLimiter } from './poll-limiter.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How many of these deliveries of one attempt cause a look. */
function countAllowed(times: readonly number[], limiter = new PollLimiter()): number {
  return times.filter((at) => limiter.allow(700, at)).length;
}

describe('deliveries of one attempt', () => {
  it('that come together cause one look', () => {
    expect(countAllowed(Array.from({ length: 1000 }, (_, index) => index))).toBe(1);
  });

  it('that come now and then each cause one', () => {
    expect(countAllowed([0, 5 * MINUTE, 20 * MINUTE])).toBe(3);
  });

  it('that come all the time cause six in an hour, and no more', () => {
    const everySecond = Array.from({ length: 3600 }, (_, second) => second * 1000);
    expect(countAllowed(everySecond)).toBe(6);
    const limiter = new PollLimiter();
    countAllowed(everySecond, limiter);
    expect(limiter.allow(700, 2 * HOUR)).toBe(true);
  });

  it('that a look was allowed for leave it to the next when none was planned', () => {
    const limiter = new PollLimiter();
    for (const at of [0, 2 * MINUTE]) expect(limiter.allow(700, at)).toBe(true);
    limiter.takeBack(700, 2 * MINUTE);
    limiter.takeBack(701, 2 * MINUTE);
    const soon = 2 * MINUTE + 1;
    expect([limiter.allow(700, soon), limiter.allow(700, soon)]).toEqual([true, false]);
    expect(
      countAllowed(
        [4, 6, 8, 10].map((at) => at * MINUTE),
        limiter,
      ),
    ).toBe(4);
    expect(limiter.allow(700, 12 * MINUTE)).toBe(false);
  });

  it('take nothing from those of another attempt, also of the same checkout', () => {
    const limiter = new PollLimiter();
    expect(limiter.allow(700, 0)).toBe(true);
    expect(limiter.allow(701, 0)).toBe(true);
  });
});
