import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import { formatMinor } from '../money.js';
import type { ShopOrder } from '../orders/order-lookup.js';
import type { SplitRule } from '../split-rule.js';
import { testMerchant } from '../testing/test-merchant.js';
import { splitAmount, splitRulesOf } from './split-fee.js';

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
  ])('round half to the even cent: %s percent of %i is %i', (text, amount, minor) => {
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

describe('a minimum and a cap', () => {
  it.each([
    [1000, { min: '0.50' }, 50],
    [2000, { min: '0.50' }, 50],
    [2040, { min: '0.50' }, 51],
    [1000, { cap: '0.20' }, 20],
    [400, { cap: '0.10' }, 10],
    [300, { cap: '0.10' }, 8],
    [1, { min: '0.01', cap: '0.01' }, 1],
  ])('bind the share of 2.5 percent of %i: %j makes %i', (amount, bounds, minor) => {
    expect(minors(amount, [{ ...percent('2.5'), ...bounds }])).toEqual([minor]);
  });

  it('take a share out of the sum that is rounded', () => {
    // Alone, the second and third come to one cent together.
    const rules = [{ ...percent('0.5', 1), min: '0.10' }, percent('0.5', 2), percent('0.5', 3)];
    expect(minors(100, rules)).toEqual([10, 1]);
  });

  it('never take more than the order', () => {
    const refused = catchError(() => splitAmount(9, 2, [{ ...percent('2.5'), min: '0.10' }]));
    expect(refused).toMatchObject({ code: 'split_exceeds_amount' });
  });
});

describe('shares that are sent as percentages', () => {
  const RULES = [percent('2.5'), { ...percent('10'), cap: '0.10' }, fixed('0.30'), percent('0')];

  it('are those without bounds, where the merchant entry says so', () => {
    const sent = splitAmount(999, 2, RULES, 'mixed').map((share) => share.percent ?? share.minor);
    expect(sent).toEqual(['2.5', 10, 30]);
    expect(splitAmount(999, 2, RULES).map((share) => share.percent ?? share.minor)).toEqual([
      25, 10, 30,
    ]);
  });

  it('must not come to more than the order, with the amounts next to them', () => {
    const rules = [percent('100'), fixed('0.01')];
    expect(catchError(() => splitAmount(999, 2, rules, 'mixed'))).toMatchObject({
      code: 'split_exceeds_amount',
    });
  });
});

describe('the split of an order', () => {
  const order: ShopOrder = {
    ...{ order: 'A1001', amount: '9.99', currency: 'GBP', status: 'payable' },
    split: [fixed('1.00')],
  };
  const merchant = testMerchant({ split: [percent('2.5')] });

  it('is added to the rules of its merchant, or in their place where the entry says so', () => {
    expect(splitRulesOf(merchant, { ...order, split: undefined })).toEqual([percent('2.5')]);
    expect(splitRulesOf(merchant, order)).toEqual([percent('2.5'), fixed('1.00')]);
    expect(splitRulesOf({ ...merchant, orderSplit: 'replace' }, order)).toEqual([fixed('1.00')]);
  });

  it.each<[string, SplitRule, Partial<Merchant>]>([
    ['split.0.fixed', fixed('1.001'), {}],
    ['split.0.min', { ...percent('1'), min: 'free' }, {}],
    ['split.0.cap', { ...percent('1'), min: '2', cap: '1' }, {}],
    ['split', percent('97.5001'), {}],
    ['split.0', fixed('1.00'), { splitValueType: 'percent' }],
    ['split.0', { ...percent('1'), min: '1' }, { splitValueType: 'percent' }],
  ])('is checked as the merchant’s is: %s', (field, rule, settings) => {
    const refused = catchError(() =>
      splitRulesOf({ ...merchant, ...settings }, { ...order, split: [rule] }),
    );
    expect(refused).toMatchObject({ code: 'order_lookup_failed' });
    expect((refused as AppError).message).toContain(` in: ${field}.`);
  });
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
