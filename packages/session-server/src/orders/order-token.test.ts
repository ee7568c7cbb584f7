import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '@pay-checkout/partner-api';
import { checkOrderToken as check, signOrderToken, splitOrderToken } from './order-token.js';

const SECRET = 'a-golden-secret-of-32-characters';
const CLAIM = { merchant: 'shop-1', order: 'A1001', expiresAt: 1_800_000_000 };
const BEFORE_EXPIRY = 1_799_999_999_999;

/**
 * Made without our code: `printf 'pay-checkout.order.v1\nshop-1\nA1001\n1800000000' | openssl dgst
 * -sha256 -hmac … -binary | openssl base64`, in the URL-safe alphabet.
 */
const GOLDEN = 'A1001.1800000000.dsApTY93z0bZ18lA2iuryq9THomh5TuY_oIEnVAAh64';

function checkOrderToken(
  token: string,
  expected: { readonly merchant: string; readonly order: string },
  secrets: readonly string[],
  nowMs: number,
) {
  const hidden = secrets.map((secret) => new Secret(secret));
  return check(token, expected, hidden, nowMs);
}

describe('an order token', () => {
  it('is the one that any shop computes from the description', () => {
    expect(signOrderToken(SECRET, CLAIM)).toBe(GOLDEN);
  });

  it('is valid until its last second is over, and expired then', () => {
    expect(checkOrderToken(GOLDEN, CLAIM, [SECRET], BEFORE_EXPIRY)).toBe('valid');
    expect(checkOrderToken(GOLDEN, CLAIM, [SECRET], BEFORE_EXPIRY + 1)).toBe('expired');
  });

  it('may be made with any of the secrets that are valid together', () => {
    const other = 'another-secret-of-32-characters!';
    expect(checkOrderToken(GOLDEN, CLAIM, [other, SECRET], 0)).toBe('valid');
    expect(checkOrderToken(GOLDEN, CLAIM, [other], 0)).toBe('forged');
    expect(checkOrderToken(GOLDEN, CLAIM, [], 0)).toBe('forged');
  });

  it('serves one merchant and one order only', () => {
    const matchTransaction = (merchant: string, order: string) =>
      checkOrderToken(GOLDEN, { merchant, order }, [SECRET], 0);
    expect(matchTransaction('shop-2', 'A1001')).toBe('forged');
    expect(matchTransaction('shop-1', 'A1002')).toBe('forged');
  });

  it.each([
    ['', 'nothing'],
    ['A1001', 'no parts'],
    ['A1001.1900000000.dsApTY93z0bZ18lA2iuryq9THomh5TuY_oIEnVAAh64', 'a later expiry'],
    ['A1001.01800000000.dsApTY93z0bZ18lA2iuryq9THomh5TuY_oIEnVAAh64', 'another spelling'],
    ['A1001.1800000000.dsApTY93z0bZ18lA2iuryq9THomh5TuY_oIEnVAAh65', 'spare bits set'],
    ['A1001.1800000000.dsApTY93z0bZ18lA2iuryq9THomh5TuY_oIEnVAAh64=', 'padding'],
    ['A1001.1800000000.dsApTY93z0bZ18lA2iuryq9THomh5TuY/oIEnVAAh64', 'the other alphabet'],
    ['A1001.1800000000.DSAPTY93Z0BZ18LA2IURYQ9THOMH5TUY_OIENVAAH64', 'another case'],
    [`${GOLDEN}\n`, 'a line break'],
  ])('%j is forged: %s', (token) => {
    expect(checkOrderToken(token, CLAIM, [SECRET], 0)).toBe('forged');
  });

  it('is split from the right, since an order may hold dots and have the form of a token itself', () => {
    const claim = { ...CLAIM, order: GOLDEN.slice(0, 60) };
    const token = signOrderToken(SECRET, claim);
    expect(splitOrderToken(token)).toMatchObject({ order: claim.order, expiresAt: 1_800_000_000 });
    expect(checkOrderToken(token, claim, [SECRET], 0)).toBe('valid');
  });

  it('is valid as made, and forged with any one character changed', () => {
    const orders = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    fc.assert(
      fc.property(orders, fc.nat(), fc.nat(), (order, expiry, at) => {
        const expiresAt = expiry + 1;
        const token = signOrderToken(SECRET, { merchant: 'shop-1', order, expiresAt });
        const expected = { merchant: 'shop-1', order };
        expect(checkOrderToken(token, expected, [SECRET], 0)).toBe('valid');
        const index = at % token.length;
        const changed = token[index] === 'x' ? 'y' : 'x';
        const tampered = token.slice(0, index) + changed + token.slice(index + 1);
        expect(checkOrderToken(tampered, expected, [SECRET], 0)).toBe('forged');
      }),
    );
  });
});
