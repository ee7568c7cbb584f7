import { describe, expect, it } from 'vitest';
import { makeTokens, toStoredToken } from './attempt-token.js';

const NOW = Date.UTC(2026, 0, 1);

describe('the tokens of an attempt', () => {
  it('are 36 characters that a URL carries as they are, 22 of them its own', () => {
    const { locator, tokens } = makeTokens(NOW);
    for (const token of Object.values<string>({ ...tokens })) {
      expect(token).toMatch(/^[A-Za-z0-9_-]{36}$/);
      expect(token.startsWith(locator)).toBe(true);
    }
    const secrets = Object.values<string>({ ...tokens }).map((token) => token.slice(14));
    expect(new Set(secrets).size).toBe(4);
  });

  it('are found in one place, each by a hash of its own', () => {
    const { locator, tokens } = makeTokens(NOW);
    const stored = Object.values<string>({ ...tokens }).map(toStoredToken);
    expect(stored.map((token) => token.locator)).toEqual([locator, locator, locator, locator]);
    expect(new Set(stored.map(({ hash }) => hash)).size).toBe(4);
  });

  it('share nothing with those of another attempt of the same second but that second', () => {
    const locators = Array.from({ length: 1000 }, () => makeTokens(NOW).locator);
    expect(new Set(locators).size).toBe(1000);
    expect(new Set(locators.map((locator) => locator.slice(0, 6))).size).toBe(1);
  });

  it('are looked up whatever was sent', () => {
    expect(toStoredToken('')).toEqual({ locator: '', hash: toStoredToken('').hash });
    expect(toStoredToken('short').locator).toBe('short');
  });
});
