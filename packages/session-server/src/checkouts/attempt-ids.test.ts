import { describe, expect, it } from 'vitest';
import { makeTokens, merchantReferenceOf, orderIdsIn, toStoredToken } from './attempt-ids.js';

const ORDER_ID = 31_536_000;

describe('the tokens of an attempt', () => {
  it('are characters that a URL carries as they are, the first 22 of them random', () => {
    const tokens = Object.values<string>({ ...makeTokens(ORDER_ID) });
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{22}[0-9a-z]+$/);
    expect(new Set(tokens.map((token) => token.slice(0, 22))).size).toBe(4);
  });

  it('are found at their attempt, each by a hash of its own', () => {
    for (const orderId of [1, ORDER_ID, 2 ** 31 - 1]) {
      const stored = Object.values<string>({ ...makeTokens(orderId) }).map(toStoredToken);
      expect(new Set(stored.map((token) => token.orderId))).toEqual(new Set([orderId]));
      expect(new Set(stored.map(({ hash }) => hash)).size).toBe(4);
    }
  });

  it('share no secret with those of another attempt', () => {
    const all = Array.from({ length: 1000 }, () => makeTokens(ORDER_ID).return);
    expect(new Set(all).size).toBe(1000);
  });

  it('have another hash at another attempt', () => {
    const { webhook } = makeTokens(1);
    const elsewhere = `${webhook.slice(0, 22)}2`;
    expect(toStoredToken(elsewhere)).toMatchObject({ orderId: 2 });
    expect(toStoredToken(elsewhere).hash).not.toBe(toStoredToken(webhook).hash);
  });

  it.each(['', 'short', 'x'.repeat(22), `${'x'.repeat(22)}-1`, 'x'.repeat(40)])(
    'are not searched for when they name no attempt: %j',
    (token) => {
      expect(toStoredToken(token)).toEqual({
        orderId: undefined,
        hash: expect.stringMatching(/^[\w-]{43}$/) as string,
      });
    },
  );
});

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
