import { describe, expect, it } from 'vitest';
import { addDecimals, compareDecimals, isDecimal, percentOf, subtractDecimals } from './decimal.js';

describe('decimals', () => {
  it('add up exactly, where binary numbers do not', () => {
    expect(addDecimals(['0.1', '0.2'])).toBe('0.3');
    expect(addDecimals(['9007199254740993.01', '0.99'])).toBe('9007199254740994.00');
    expect(addDecimals(['12.340', '-0.5'])).toBe('11.840');
    expect(addDecimals([])).toBe('0');
  });

  it('are subtracted below zero', () => {
    expect(subtractDecimals('1.00', '1.20')).toBe('-0.20');
    expect(subtractDecimals('-0.5', '-0.5')).toBe('0.0');
  });

  it('have percentages with every digit', () => {
    expect(percentOf('12.34', '2.5')).toBe('0.3085');
    expect(percentOf('100', '10')).toBe('10');
    expect(percentOf('0.01', '1')).toBe('0.0001');
  });

  it('are compared by their value', () => {
    expect(compareDecimals('1.0', '1')).toBe(0);
    expect(compareDecimals('10', '9.99')).toBe(1);
    expect(compareDecimals('-2', '1')).toBe(-1);
  });

  it('are recognised among other texts', () => {
    expect(['12', '-0.5', '1.', '.5', '1e3', '', undefined].map(isDecimal)).toEqual([
      ...[true, true, false, false, false, false, false],
    ]);
  });
});
