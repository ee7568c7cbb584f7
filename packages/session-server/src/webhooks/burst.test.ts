import { describe, expect, it } from 'vitest';
import { Burst } from './burst.js';

/** Whether a burst is on after deliveries at these times, at another time. */
function isOn(times: readonly number[], at: number): boolean {
  const burst = new Burst();
  for (const time of times) burst.note(time);
  return burst.isOn(at);
}

describe('a burst of deliveries', () => {
  it('begins with the first one, and is over when none has come for 20 ms', () => {
    expect(isOn([], 0)).toBe(false);
    expect(isOn([100], 100)).toBe(true);
    expect(isOn([100], 119)).toBe(true);
    expect(isOn([100], 120)).toBe(false);
    expect(isOn([100, 115], 130)).toBe(true);
  });

  it('holds work up for no longer than a second, however long deliveries keep coming', () => {
    const everyTenMs = Array.from({ length: 300 }, (_, index) => index * 10);
    expect(isOn(everyTenMs.slice(0, 100), 999)).toBe(true);
    expect(isOn(everyTenMs.slice(0, 101), 1000)).toBe(false);
    expect(isOn(everyTenMs, 2990)).toBe(false);
  });

  it('may come again after a pause', () => {
    const long = Array.from({ length: 150 }, (_, index) => index * 10);
    expect(isOn([...long, 1600], 1610)).toBe(true);
  });
});
