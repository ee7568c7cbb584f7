import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalsOf, formatMoney, fromMinor, toJsonNumber, toMinor } from './money.js';

describe('money', () => {
  it('goes from minor units to text and back without loss', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -999_999_999_999n, max: 999_999_999_999n }),
        fc.integer({ min: 0, max: 3 }),
        (minor, decimals) => toMinor(fromMinor(minor, decimals), decimals) === minor,
      ),
    );
  });

  it.each(['', '1.', '.5', '01.00', '1e3', '1,00', ' 1', '+1', 'NaN', '1.005'])(
    'refuses %j as pounds',
    (text) => {
      expect(toMinor(text, 2)).toBeUndefined();
    },
  );

  it('knows how many decimals a currency has', () => {
    expect(['GBP', 'JPY', 'KWD'].map(decimalsOf)).toEqual([2, 0, 3]);
    expect(['HUF', 'IDR', 'IQD', 'LAK'].map(decimalsOf)).toEqual([2, 2, 3, 2]);
  });

  it('writes JSON numbers with exactly the digits of the text', () => {
    expect(JSON.stringify({ amount: toJsonNumber('999999999999.10') })).toBe(
      '{"amount":999999999999.10}',
    );
    expect(() => toJsonNumber('1e400')).toThrow('plain decimal');
  });

  it('writes an amount for people from its text', () => {
    expect(formatMoney('1234.50', 'GBP')).toBe('£1,234.50');
    expect(formatMoney('1234.56', 'HUF')).toContain('1,234.56');
    expect(formatMoney('500.5', 'JPY')).toContain('500.5');
    expect(formatMoney('999999999999.99', 'GBP')).toBe('£999,999,999,999.99');
  });
});
