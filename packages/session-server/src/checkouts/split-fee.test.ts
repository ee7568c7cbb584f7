import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.js';
import { formatMinor } from '../money.js';
import type { SplitRule } from '../merchants/merchant.js';
import { splitAmount } from './split-fee.js';

function percent(text: string, partnerMerchantId = 501): SplitRule {
  return { partnerMerchantId, typeId: 1, percent: text };
}

function fixed(text: string, partnerMerchantId = 502): SplitRule {
  return { partnerMerchantId, typeId: 2, fixed: text };
}

function minors(amountMinor: number, rules: readonly SplitRule[], decimals = 2): number[] {
  return splitAmount(amountMinor, decimals, rules).map(({ minor }) => minor);
}

/** The sum of percent shares as it should be, by another way: half-even by distance to neighbours. */
function roundedPercentTotal(amountMinor: number, units: readonly number[]): bigint {
  const exact = units.reduce((sum, unit) => sum + BigInt(amountMinor) * BigInt(unit), 0n);
  const below = exact / 1_000_000n;
  const toBelow = exact - below * 1_000_000n;
  const toAbove = (below + 1n) * 1_000_000n - exact;
  if (toBelow !== toAbove) return toBelow < toAbove ? below : below + 1n;
  return below % 2n === 0n ? below : below + 1n;
}

describe('the shares of an amount', () => {
  it('come to 25, 12 and 30 for 2.5 % + 1.25 % + 0.30 of 9.99', () => {
    const rules = [percent('2.5', 501), percent('1.25', 502), fixed('0.30', 503)];
    expect(splitAmount(999, 2, rules)).toEqual([
      { partnerMerchantId: 501, typeId: 1, minor: 25 },
      { partnerMerchantId: 502, typeId: 1, minor: 12 },
      { partnerMerchantId: 503, typeId: 2, minor: 30 },
    ]);
  });

  it.each([
    ['50', 25, 12],
    ['50', 75, 38],
    ['50', 27, 14],
    ['0.5', 100, 0],
    ['1.5', 100, 2],
    ['2.5', 100, 2],
    ['2.5001', 100, 3],
  ])('round half to the even cent: %s %% of %i is %i', (text, amount, minor) => {
    expect(minors(amount, [percent(text)])).toEqual(minor === 0 ? [] : [minor]);
  });

  it('are rounded once, as a sum: three times half a cent is two cents', () => {
    const rules = [percent('0.5', 1), percent('0.5', 2), percent('0.5', 3)];
    expect(splitAmount(100, 2, rules)).toEqual([
      { partnerMerchantId: 1, typeId: 1, minor: 1 },
      { partnerMerchantId: 2, typeId: 1, minor: 1 },
    ]);
  });

  it('give the spare cent to the largest remainder, wherever its rule stands', () => {
    // 33.3, 33.3 and 33.4 cents: the one spare cent is the last one's.
    const rules = [percent('33.3', 1), percent('33.3', 2), percent('33.4', 3)];
    expect(minors(100, rules)).toEqual([33, 33, 34]);
  });

  it('leave out what comes to nothing', () => {
    expect(minors(999, [percent('0'), fixed('0.00'), fixed('0.30')])).toEqual([30]);
    expect(minors(1, [percent('2.5')])).toEqual([]);
    expect(minors(999, [])).toEqual([]);
  });

  it('may be the whole amount, and not a cent more', () => {
    expect(minors(30, [fixed('0.30')])).toEqual([30]);
    expect(minors(999, [percent('100')])).toEqual([999]);
    for (const rules of [[fixed('0.30')], [percent('100'), fixed('0.01')]]) {
      const refused = catchError(() => splitAmount(29, 2, rules));
      expect(refused).toBeInstanceOf(AppError);
      expect(refused).toMatchObject({ status: 422, code: 'split_exceeds_amount' });
    }
  });

  it('are in the minor units of the currency', () => {
    expect(minors(500, [percent('2.5'), fixed('30')], 0)).toEqual([12, 30]);
    expect(minors(12_345, [percent('2.5'), fixed('0.305')], 3)).toEqual([309, 305]);
  });

  it('sum to the half-even total plus the fixed ones, and each is less than a cent from exact', () => {
    const units = fc.integer({ min: 0, max: 250_000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000 }),
        fc.array(units, { maxLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 3 }),
        (amount, percents, fixeds) => {
          const rules = [
            ...percents.map((unit, index) => percent(formatMinor(unit, 4), index)),
            ...fixeds.map((minor, index) => fixed(formatMinor(minor, 2), 100 + index)),
          ];
          const fixedTotal = fixeds.reduce((sum, minor) => sum + minor, 0);
          const total = roundedPercentTotal(amount, percents) + BigInt(fixedTotal);
          if (total > BigInt(amount)) {
            expect(() => splitAmount(amount, 2, rules)).toThrow(AppError);
            return;
          }
          const shares = splitAmount(amount, 2, rules);
          expect(shares.reduce((sum, { minor }) => sum + BigInt(minor), 0n)).toBe(total);
          percents.forEach((unit, index) => {
            const share = shares.find(({ partnerMerchantId: id }) => id === index)?.minor ?? 0;
            const distance = BigInt(share) * 1_000_000n - BigInt(amount) * BigInt(unit);
            expect(distance > -1_000_000n && distance < 1_000_000n).toBe(true);
          });
        },
      ),
    );
  });
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
