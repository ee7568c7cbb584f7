import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMinor, parseMinor } from './money.js';

describe('decimal text', () => {
  it.each([
    ['12.34', 2, 1234],
    ['12', 2, 1200],
    ['12.3', 2, 1230],
    ['12.3400', 2, 1234],
    ['0.01', 2, 1],
    ['0', 2, 0],
    ['007.50', 2, 750],
    ['500', 0, 500],
    ['500.00', 0, 500],
    ['0.001', 3, 1],
    ['90071992547409.91', 2, Number.MAX_SAFE_INTEGER],
  ])('%j with %i decimals is %i minor units', (text, decimals, minor) => {
    expect(parseMinor(text, decimals)).toBe(minor);
  });

  it.each([
    ['', 2],
    ['12.345', 2],
    ['0.5', 0],
    ['-1.00', 2],
    ['+1.00', 2],
    ['1e3', 2],
    ['1,00', 2],
    ['.50', 2],
    ['12.', 2],
    [' 12.00', 2],
    ['12.00\n', 2],
    ['0x10', 2],
    ['NaN', 2],
    ['Infinity', 2],
    ['٣', 2],
    ['90071992547409.92', 2],
    ['9999999999999999', 0],
  ])('%j with %i decimals is not an amount', (text, decimals) => {
    expect(parseMinor(text, decimals)).toBeUndefined();
  });
});

describe('minor units', () => {
  it.each([
    [1234, 2, '12.34'],
    [5, 2, '0.05'],
    [0, 2, '0.00'],
    [500, 0, '500'],
    [1, 4, '0.0001'],
  ])('%i with %i decimals is written %j', (minor, decimals, text) => {
    expect(formatMinor(minor, decimals)).toBe(text);
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])('that are %d are refused', (minor) => {
    expect(() => formatMinor(minor, 2)).toThrow(RangeError);
  });

  it('come back from their text, whatever the amount and the currency', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 4 }), (minor, decimals) => {
        expect(parseMinor(formatMinor(minor, decimals), decimals)).toBe(minor);
      }),
    );
  });
});
