import { describe, expect, it } from 'vitest';
import { merchantReferenceOf, orderIdsIn } from './merchant-reference.js';

describe('a merchant reference', () => {
  it('ends with the order_id, whatever the order is called', () => {
    const references = ['A1001', '7', 'a.b.7', 'x_-'].map((order) =>
      merchantReferenceOf(order, 28_857_600),
    );
    expect(references[2]).toBe('a.b.7.28857600');
    expect(orderIdsIn(references)).toEqual(references.map(() => 28_857_600));
  });

  it('is distinct from an order_id alone, and from what names no attempt', () => {
    expect(orderIdsIn(['700', 'A1001.700'])).toEqual([700, 700]);
    expect(orderIdsIn(['', 'A1001', 'A1001.', '7e2', '-7', '1'.repeat(16), ' 700'])).toEqual([]);
  });
});
