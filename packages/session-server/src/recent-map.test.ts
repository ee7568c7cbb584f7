import { describe, expect, it } from 'vitest';
import { RecentMap } from './recent-map.js';

describe('a map of the newest', () => {
  it('knows the newest, and at most twice as many', () => {
    const map = new RecentMap<number>(10);
    for (let number = 0; number < 1000; number += 1) map.set(String(number), number);
    const known = Array.from({ length: 1000 }, (_, number) => map.get(String(number)));
    expect(known.slice(-10)).toEqual([990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
    expect(known.filter((value) => value !== undefined).length).toBeLessThanOrEqual(20);
  });

  it('has the last value of a key, and none that was taken out, however old', () => {
    const map = new RecentMap<number>(2);
    map.set('a', 1);
    map.set('b', 1);
    map.set('a', 2);
    expect(map.get('a')).toBe(2);
    map.delete('a');
    map.delete('b');
    expect([map.get('a'), map.get('b')]).toEqual([undefined, undefined]);
  });
});
