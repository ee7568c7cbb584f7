import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMinor } from './money.js';
import { workOutSplit } from './split-fee.js';

const item = (value: number, type = 'amount') => ({
  partner_merchant_id: 501,
  type_id: 1,
  value,
  value_type: type,
});

describe('who gets what of a payment', () => {
  it('amounts as they are, percentages of the amount, the rest to the merchant', () => {
    const split = workOutSplit(999n, [item(0.3), item(2.5, 'percent')], 2);
    expect(split).toMatchObject({
      items: [{ share: '0.30' }, { share: '0.24' }],
      total: '0.54',
      rest: '9.45',
    });
    expect(workOutSplit(1500n, [item(2.5, 'percent')], 0).items[0]?.share).toBe('37');
    expect(workOutSplit(10_000n, [item(33.335, 'percent')], 3).items[0]?.share).toBe('3.333');
  });

  it('leaves out a share whose type is not known', () => {
    const { items, rest } = workOutSplit(1000n, [item(1, 'points')], 2);
    expect([items[0], rest]).toEqual([item(1, 'points'), '10.00']);
  });

  it('percentages of at most 100 together never take more than there is', () => {
    const percent = fc.integer({ min: 1, max: 10_000 }).map((value) => value / 100);
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), fc.array(percent, { maxLength: 8 }), (amount, all) => {
        fc.pre(all.reduce((sum, each) => sum + each, 0) <= 99.99);
        const { total, rest } = workOutSplit(
          amount,
          all.map((each) => item(each, 'percent')),
          2,
        );
        const [shared, kept] = [toMinor(total, 2) ?? -1n, toMinor(rest, 2) ?? -1n];
        expect(shared + kept).toBe(amount);
        expect(kept).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});
