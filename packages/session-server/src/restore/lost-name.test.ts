import { describe, expect, it } from 'vitest';
import { readLostName } from './lost-name.js';

const LOSS = { afterOrderId: 100, toOrderId: 200 };

describe('what a transaction calls a lost attempt', () => {
  it.each([
    ['the reference that we made', ['A1001.150'], { orderId: 150, order: 'A1001' }],
    ['that of an order with dots in its name', ['A.7.150'], { orderId: 150, order: 'A.7' }],
    ['the order_id alone, which says no order', ['150'], { orderId: 150, order: undefined }],
    ['the one that says most', ['150', 'A1001.150'], { orderId: 150, order: 'A1001' }],
    ['the last one that may be lost', ['A1001.200'], { orderId: 200, order: 'A1001' }],
  ])('is %s', (_what, references, expected) => {
    expect(readLostName(references, LOSS)).toMatchObject(expected);
  });

  it.each([
    ['an attempt of before', ['A1001.100']],
    ['an attempt of after', ['A1001.201']],
    ['an order alone', ['A1001']],
    ['somebody else’s words', ['#150', 'A 1.150', 'A1001.0150', '']],
    ['nothing', []],
  ])('is not %s', (_what, references) => {
    expect(readLostName(references, LOSS)).toBeUndefined();
  });
});
