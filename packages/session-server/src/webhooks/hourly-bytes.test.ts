import { describe, expect, it } from 'vitest';
import { HourlyBytes } from './hourly-bytes.js';

const HOUR = 3_600_000;

describe('the bytes of an endpoint', () => {
  it('are taken up to the most in an hour, and then again in the next one', () => {
    const endpoints = new HourlyBytes(100);
    expect(endpoints.take('a', 60, 0)).toBeUndefined();
    expect(endpoints.take('a', 41, HOUR / 2)).toBe(1800);
    expect(endpoints.take('a', 40, HOUR / 2)).toBeUndefined();
    expect(endpoints.take('a', 1, HOUR - 1)).toBe(1);
    expect(endpoints.take('a', 100, HOUR)).toBeUndefined();
    expect(endpoints.take('a', 1, HOUR)).toBe(3600);
  });

  it('take nothing from those of another one', () => {
    const endpoints = new HourlyBytes(100);
    expect(endpoints.take('a', 100, 0)).toBeUndefined();
    expect(endpoints.take('b', 100, 0)).toBeUndefined();
  });
});
