import { describe, expect, it } from 'vitest';
import { makeOrderToken } from './order-token.js';

describe('the order token', () => {
  it('is the one that the rule gives, computed here by another tool', () => {
    // printf 'pay-checkout.order.v1\nclay-shop\nA1001\n1800000000' | openssl dgst -sha256 -hmac …
    const token = makeOrderToken(
      'order-token-secret-for-tests',
      'clay-shop',
      'A1001',
      new Date(1_800_000_000_000),
    );
    expect(token).toBe('A1001.1800000000.Rm_wPHTEHV2hCtEn_bFWLYSgQgL5-xBEk0uUBGR1ThY');
  });
});
