import { describe, expect, it } from 'vitest';
import { LookLimiter } from './look-limiter.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How many of these deliveries of one checkout cause a look. */
function countAllowed(times: readonly number[], limiter = new LookLimiter()): number {
  return times.filter((at) => limiter.allow('checkout-1', at)).length;
}

describe('deliveries of one checkout', () => {
  it('that come together cause one look', () => {
    expect(countAllowed(Array.from({ length: 1000 }, (_, index) => index))).toBe(1);
  });

  it('that come now and then each cause one', () => {
    expect(countAllowed([0, 5 * MINUTE, 20 * MINUTE])).toBe(3);
  });

  it('that come all the time cause six in an hour, and no more', () => {
    const everySecond = Array.from({ length: 3600 }, (_, second) => second * 1000);
    expect(countAllowed(everySecond)).toBe(6);
    const limiter = new LookLimiter();
    countAllowed(everySecond, limiter);
    expect(limiter.allow('checkout-1', 2 * HOUR)).toBe(true);
  });

  it('that a look was allowed for leave it to the next when none was planned', () => {
    const limiter = new LookLimiter();
    for (const at of [0, 2 * MINUTE]) expect(limiter.allow('checkout-1', at)).toBe(true);
    limiter.takeBack('checkout-1', 2 * MINUTE);
    limiter.takeBack('checkout-2', 2 * MINUTE);
    const soon = 2 * MINUTE + 1;
    expect([limiter.allow('checkout-1', soon), limiter.allow('checkout-1', soon)]).toEqual([
      true,
      false,
    ]);
    expect(
      countAllowed(
        [4, 6, 8, 10].map((at) => at * MINUTE),
        limiter,
      ),
    ).toBe(4);
    expect(limiter.allow('checkout-1', 12 * MINUTE)).toBe(false);
  });

  it('take nothing from those of another checkout', () => {
    const limiter = new LookLimiter();
    expect(limiter.allow('checkout-1', 0)).toBe(true);
    expect(limiter.allow('checkout-2', 0)).toBe(true);
  });
});
