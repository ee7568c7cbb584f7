import { describe, expect, it } from 'vitest';
import { DELIVERY_MINOR, priceBasket } from './catalogue.js';
import { formatMoney, fromDecimalText, toDecimalText } from './money.js';

describe('what a basket costs', () => {
  it('adds the lines and the delivery in whole pence', () => {
    expect(priceBasket([{ sku: 'bamboo-whisk', quantity: 3 }])).toMatchObject({
      subtotalMinor: 2997,
      deliveryMinor: DELIVERY_MINOR,
      totalMinor: 2997 + DELIVERY_MINOR,
    });
  });

  it('is sent free from £50', () => {
    expect(priceBasket([{ sku: 'night-vase', quantity: 1 }])).toMatchObject({
      deliveryMinor: 0,
      totalMinor: 5400,
    });
  });

  it('is nothing for an empty basket, delivery included', () => {
    expect(priceBasket([])).toMatchObject({ lines: [], totalMinor: 0 });
  });
});

describe('money as text', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [1230, '12.30'],
    [100_000_000_001, '1000000000.01'],
  ])('writes %i as %s and reads it back', (amountMinor, text) => {
    expect(toDecimalText(amountMinor)).toBe(text);
    expect(fromDecimalText(text)).toBe(amountMinor);
  });

  it.each(['', '1,00', '-1.00', '1e3', '12.345', ' 1.00', 'NaN'])(
    'does not take %j for an amount',
    (text) => {
      expect(fromDecimalText(text)).toBeUndefined();
    },
  );

  it('reads an amount that leaves out final zeros', () => {
    expect(fromDecimalText('12.3')).toBe(1230);
    expect(fromDecimalText('12')).toBe(1200);
  });

  it('shows a person pounds and pence', () => {
    expect(formatMoney(123_456)).toBe('£1,234.56');
  });
});
