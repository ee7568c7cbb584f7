import { describe, expect, it } from 'vitest';

import {
  ConnectionError,
  type Effect,
  RateLimitError,
  RequestRefusedError,
  ServerError,
} from '../errors.js';
import { mayRepeat, parseRetryAfter, pauseSeconds } from './retry.js';

const NOW = Date.parse('Sun, 01 Mar 2026 12:00:00 GMT');

describe('mayRepeat', () => {
  const base = { operation: 'x', attempt: 1 };
  const lost = new ConnectionError('', { ...base, outcome: 'unknown' });
  const unsent = new ConnectionError('', { ...base, outcome: 'not_sent' });
  const limited = new RateLimitError('', { ...base, outcome: 'refused', status: 429 });
  const failed = new ServerError('', { ...base, outcome: 'unknown', status: 503 });
  const refused = new RequestRefusedError('', { ...base, outcome: 'refused', status: 400 });

  it.each<[Effect, boolean[]]>([
    ['read', [true, true, true, true, false]],
    ['set', [true, true, true, true, false]],
    ['create', [true, false, false, false, false]],
    ['once', [false, false, false, false, false]],
  ])('of a %s after unsent, lost, limited, failed, refused: %j', (effect, expected) => {
    const errors = [unsent, lost, limited, failed, refused];
    const repeats = (attempt: number, retriesRateLimit = false): boolean[] =>
      errors.map((error) => mayRepeat(effect, error, { attempt, maxRetries: 2, retriesRateLimit }));
    expect(repeats(1)).toEqual(expected);
    expect(repeats(3)).toEqual(Array(5).fill(false));
    expect(repeats(1, true)).toEqual(expected.map((repeated, at) => repeated || at === 2));
    expect(repeats(3, true)).toEqual(Array(5).fill(false));
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['2', 2],
    [' 1.5 ', 1.5],
    ['0', 0],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
  ])('reads %j', (text, seconds) => {
    expect(parseRetryAfter({ 'retry-after': text }, NOW)).toBe(seconds);
  });

  it('compares a date with the clock of the provider when the answer has it', () => {
    const headers = {
      'retry-after': 'Sun, 01 Mar 2026 10:00:07 GMT',
      date: 'Sun, 01 Mar 2026 10:00:00 GMT',
    };
    expect(parseRetryAfter(headers, NOW)).toBe(7);
  });
});

describe('pauseSeconds', () => {
  it('draws from nothing to a limit that doubles and then stays', () => {
    const limits = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) =>
      pauseSeconds(attempt, () => 1, undefined),
    );
    expect(limits).toEqual([0.25, 0.5, 1, 2, 4, 8, 8, 8]);
    expect(pauseSeconds(5, () => 0, undefined)).toBe(0);
  });

  it('is never shorter than what the provider asked for', () => {
    expect(pauseSeconds(1, () => 1, 30)).toBe(30);
  });
});
