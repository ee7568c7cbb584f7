import { describe, expect, it } from 'vitest';
import { orderLookupReply } from '../contract-schemas.js';

const PRICED = { order: 'A1', amount: '9.99', currency: 'GBP', status: 'payable' };

describe('the shop’s answer to the order lookup', () => {
  it('may say null for what it does not know', () => {
    const customer = { id: 'c-1', email: null, phone: null };
    const reply = { ...PRICED, version: null, customer, address: null, returnUrl: null };
    expect(orderLookupReply.parse(reply)).toEqual({ ...PRICED, customer: { id: 'c-1' } });
  });

  it('may carry fields that we do not know', () => {
    expect(orderLookupReply.parse({ ...PRICED, discount: '1.00' })).toEqual(PRICED);
  });

  it.each([
    ['amount', { amount: 9.99 }],
    ['status', { status: 'open' }],
    ['order', { order: '../A1' }],
    ['customer.email', { customer: { email: 'x'.repeat(400) } }],
  ])('is refused when %s is wrong', (field, change) => {
    const parsed = orderLookupReply.safeParse({ ...PRICED, ...change });
    expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });
});
