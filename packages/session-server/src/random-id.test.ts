import { describe, expect, it } from 'vitest';
import { hashToken, randomId, timedId } from './random-id.js';

describe('a random id', () => {
  it('is 22 characters that a URL carries as they are', () => {
    expect(randomId()).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('never comes twice', () => {
    const ids = Array.from({ length: 10_000 }, randomId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a timed id', () => {
  const NOW = Date.UTC(2026, 0, 1);

  it('is eight characters of time and 128 random bits', () => {
    expect(timedId(NOW)).toMatch(/^[0-9a-z]{8}[A-Za-z0-9_-]{22}$/);
    expect(timedId(NOW).slice(8)).not.toBe(timedId(NOW).slice(8));
  });

  it('comes after those of the milliseconds before, in the order of the alphabet', () => {
    const passed = [0, 1, 35, 36, 1295, 86_400_000, 80 * 365 * 86_400_000];
    const prefixes = passed.map((milliseconds) => timedId(NOW + milliseconds).slice(0, 8));
    expect(prefixes.toSorted()).toEqual(prefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  it('takes a clock that stands before the beginning', () => {
    expect(timedId(0)).toMatch(/^0{8}/);
  });
});

describe('the stored form of a token', () => {
  it('is its SHA-256: return addresses that are out there stay good in every release', () => {
    // printf 'token' | openssl dgst -sha256 -binary | openssl base64, URL-safe
    expect(hashToken('token')).toBe('PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A');
  });
});
