import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecimalSum } from './decimal-sum.js';

function sumOf(...texts: string[]): string {
  const sum = new DecimalSum();
  for (const text of texts) sum.add(text);
  return String(sum);
}

describe('a sum of decimal texts', () => {
  it.each([
    [['0.10', '0.20'], '0.30'],
    [['9.99', '-12.5'], '-2.51'],
    [['90071992547409.93', '0.005'], '90071992547409.935'],
    [['100', '250'], '350'],
    [['0.05', '-0.05'], '0.00'],
    [[], '0'],
  ])('of %j is %s', (texts, sum) => {
    expect(sumOf(...texts)).toBe(sum);
  });

  it('is that of the integers, wherever the point is', () => {
    const cents = fc.bigInt(-(10n ** 20n), 10n ** 20n);
    fc.assert(
      fc.property(fc.array(cents), (units) => {
        const texts = units.map((unit) => {
          const digits = String(unit < 0n ? -unit : unit).padStart(3, '0');
          return `${unit < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        });
        const total = units.reduce((sum, unit) => sum + unit, 0n);
        expect(BigInt(sumOf('0.00', ...texts).replace('.', ''))).toBe(total);
      }),
    );
  });

  it('takes nothing but plain decimal text', () => {
    for (const text of ['', '1e3', '1,5', ' 1', '1.'])
      expect(() => sumOf(text)).toThrow(RangeError);
  });
});
