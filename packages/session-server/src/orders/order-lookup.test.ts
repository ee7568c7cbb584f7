import { describe, expect, it } from 'vitest';
import { orderLookupReply } from '../contract-schemas.js';
import { orderVersionOf } from './order-lookup.js';

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

describe('the version of an order', () => {
  it('is the same in every release: stored checkouts are found by it', () => {
    // printf '999\nGBP' | openssl dgst -sha256 -binary | openssl base64, URL-safe, 22 characters
    expect(orderVersionOf({ amountMinor: 999, currency: 'GBP' })).toBe('IuqZp7GwIk8l9Nl6Lq4wMe');
  });

  it('is another one for another amount, currency or split', () => {
    const RECEIVER = { partnerMerchantId: 501, typeId: 1 };
    const versions = [
      { amountMinor: 999, currency: 'GBP' },
      { amountMinor: 9990, currency: 'GBP' },
      { amountMinor: 999, currency: 'EUR' },
      { amountMinor: 999, currency: 'GBP', split: [{ ...RECEIVER, fixed: '1.00' }] },
      { amountMinor: 999, currency: 'GBP', split: [{ ...RECEIVER, percent: '1.00' }] },
      { amountMinor: 999, currency: 'GBP', split: [{ ...RECEIVER, percent: '1.00', cap: '1' }] },
    ].map(orderVersionOf);
    expect(new Set(versions).size).toBe(6);
  });
});
