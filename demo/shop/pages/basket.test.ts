import { describe, expect, it } from 'vitest';
import { countItems, EMPTY_BASKET, parseBasket, withQuantity } from './basket.js';

describe('a remembered basket', () => {
  it('comes back as it was', () => {
    const basket = { items: [{ sku: 'tall-jug', quantity: 2 }], order: 'A1001' };
    expect(parseBasket(JSON.stringify(basket))).toEqual(basket);
  });

  it.each([null, '', '{', '[]', '7', '{"items":{}}', '{"items":[null,3,"x",{}]}'])(
    'is empty when the browser remembers %j',
    (text) => {
      expect(parseBasket(text)).toEqual(EMPTY_BASKET);
    },
  );

  it('leaves out what we do not sell, what is there twice and quantities that make no sense', () => {
    const items = [
      { sku: 'gold-bar', quantity: 1 },
      { sku: 'tall-jug', quantity: 1 },
      { sku: 'tall-jug', quantity: 5 },
      { sku: 'honey-jar', quantity: -1 },
      { sku: 'oval-plate', quantity: 1.5 },
      { sku: 'cast-kettle', quantity: 1e9 },
    ];
    expect(parseBasket(JSON.stringify({ items, order: '<b>' }))).toEqual({
      items: [
        { sku: 'tall-jug', quantity: 1 },
        { sku: 'cast-kettle', quantity: 20 },
      ],
    });
  });

  it('forgets its order as soon as it changes', () => {
    const basket = parseBasket('{"items":[{"sku":"tall-jug","quantity":1}],"order":"A1001"}');
    expect(withQuantity(basket, 'tall-jug', 2)).toEqual({
      items: [{ sku: 'tall-jug', quantity: 2 }],
    });
  });

  it('drops a line at nothing and stops at the most of one thing', () => {
    const basket = withQuantity(EMPTY_BASKET, 'tall-jug', 99);
    expect(countItems(basket)).toBe(20);
    expect(withQuantity(basket, 'tall-jug', 0)).toEqual(EMPTY_BASKET);
  });
});
