import { describe, expect, it } from 'vitest';
import { retryDelaySeconds } from './retry-schedule.js';

/** The pauses of an event that is never acknowledged. */
function pausesWith(random: number): number[] {
  const pauses: number[] = [];
  for (;;) {
    const pause = retryDelaySeconds(pauses.length, random);
    if (pause === undefined) return pauses;
    pauses.push(pause);
  }
}

const DAY_SECONDS = 86_400;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe('the pauses between the tries of an event', () => {
  it('come to three days at least, and less than four', () => {
    expect(sum(pausesWith(0))).toBeGreaterThanOrEqual(3 * DAY_SECONDS);
    expect(sum(pausesWith(0.999))).toBeLessThan(4 * DAY_SECONDS);
  });

  it('grow, whatever the jitter: the longest of one is shorter than the shortest of the next', () => {
    const shortest = pausesWith(0);
    pausesWith(0.999).forEach((longest, index) => {
      expect(longest).toBeLessThan(shortest[index + 1] ?? Infinity);
    });
  });

  it('differ by a fifth, so that a shop that comes back is not hit by all at once', () => {
    expect(retryDelaySeconds(0, 0)).toBe(5);
    expect(retryDelaySeconds(0, 1)).toBe(6);
  });
});
