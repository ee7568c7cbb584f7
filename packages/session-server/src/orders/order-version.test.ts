import { describe, expect, it } from 'vitest';
import { orderVersionOf } from './order-version.js';

describe('the version of an order', () => {
  it('is the same in every release: stored checkouts are found by it', () => {
    // printf '999\nGBP' | openssl dgst -sha256 -binary | openssl base64, URL-safe, 22 characters
    expect(orderVersionOf({ amountMinor: 999, currency: 'GBP' })).toBe('IuqZp7GwIk8l9Nl6Lq4wMe');
  });

  it('is another one for another amount or currency', () => {
    const versions = [
      { amountMinor: 999, currency: 'GBP' },
      { amountMinor: 9990, currency: 'GBP' },
      { amountMinor: 999, currency: 'EUR' },
    ].map(orderVersionOf);
    expect(new Set(versions).size).toBe(3);
  });
});
