import { describe, expect, it } from 'vitest';
import { hollinAndSlip } from '../brands/hollin-and-slip/brand.js';
import { seventhCloud } from '../brands/seventh-cloud/brand.js';
import { priceBasket } from './catalogue.js';
import { formatMoney, fromDecimalText, toDecimalText } from './money.js';

describe('what a basket costs', () => {
  it('adds the lines and the delivery in whole pence', () => {
    expect(priceBasket(hollinAndSlip, [{ sku: 'bamboo-whisk', quantity: 3 }])).toMatchObject({
      subtotalMinor: 2997,
      deliveryMinor: 395,
      totalMinor: 2997 + 395,
    });
  });

  it('is sent free from £50', () => {
    expect(priceBasket(hollinAndSlip, [{ sku: 'night-vase', quantity: 1 }])).toMatchObject({
      deliveryMinor: 0,
      totalMinor: 5400,
    });
  });

  it('is nothing for an empty basket, delivery included', () => {
    expect(priceBasket(hollinAndSlip, [])).toMatchObject({ lines: [], totalMinor: 0 });
  });

  it('holds only what this shop sells', () => {
    const items = [
      { sku: 'bamboo-whisk', quantity: 1 },
      { sku: 'first-cloud', quantity: 2 },
    ];
    const { lines, totalMinor } = priceBasket(seventhCloud, items);
    expect(lines.map(({ sku }) => sku)).toEqual(['first-cloud']);
    expect(totalMinor).toBe(7500 + 500);
  });
});

describe('money as text', () => {
  it.each([
    [0, 'GBP', '0.00'],
    [5, 'GBP', '0.05'],
    [1230, 'GBP', '12.30'],
    [100_000_000_001, 'GBP', '1000000000.01'],
    [5, 'KWD', '0.005'],
    [4125, 'KWD', '4.125'],
    [1230, 'JPY', '1230'],
  ])('writes %i %s as %s and reads it back', (amountMinor, currency, text) => {
    expect(toDecimalText(amountMinor, currency)).toBe(text);
    expect(fromDecimalText(text, currency)).toBe(amountMinor);
  });

  it.each(['', '1,00', '-1.00', '1e3', '12.345', ' 1.00', 'NaN'])(
    'does not take %j for an amount',
    (text) => {
      expect(fromDecimalText(text, 'GBP')).toBeUndefined();
    },
  );

  it('reads an amount that leaves out final zeros', () => {
    expect(fromDecimalText('12.3', 'GBP')).toBe(1230);
    expect(fromDecimalText('12', 'GBP')).toBe(1200);
  });

  it('shows a person pounds and pence, or dinars with three digits', () => {
    expect(formatMoney(123_456, hollinAndSlip)).toBe('£1,234.56');
    expect(formatMoney(4125, seventhCloud)).toContain('4.125');
  });
});
