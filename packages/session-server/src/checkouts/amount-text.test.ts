import { describe, expect, it } from 'vitest';
import { amountText } from './amount-text.js';

describe('the text of an amount', () => {
  it.each([
    ['9.99', 'GBP', 'en-GB', '£9.99'],
    ['1234.50', 'EUR', 'de', '1.234,50\u00a0€'],
    ['1234567.89', 'INR', 'en-IN', '₹12,34,567.89'],
    ['1500', 'JPY', 'en', '¥1,500'],
    ['1.234', 'KWD', 'en', 'KWD\u00a01.234'],
  ])('writes %s %s as people of %s do', (amount, currency, locale, text) => {
    expect(amountText(amount, currency, locale)).toBe(text);
  });

  it('is exact where a binary float is not', () => {
    expect(amountText('90071992547409.93', 'GBP', 'en')).toBe('£90,071,992,547,409.93');
    expect(amountText('9007199254740993', 'JPY', 'en')).toBe('¥9,007,199,254,740,993');
  });

  it.each([undefined, '', 'tlh', 'xx-XX', 'no such tag', '../en', 'e'])(
    'is left to the page for the locale %j',
    (locale) => {
      expect(amountText('9.99', 'GBP', locale)).toBeUndefined();
    },
  );

  it('stays right in more languages than are remembered', () => {
    const letters = [...'abcdefghijklm'];
    const variants = letters.flatMap((a) => letters.map((b) => `en-x-${a}${b}`));
    expect(variants.length).toBeGreaterThan(100);
    const texts = [...variants, ...variants].map((locale) => amountText('9.99', 'GBP', locale));
    expect(new Set(texts)).toEqual(new Set(['£9.99']));
    expect(amountText('9.99', 'GBP', 'de')).toBe('9,99\u00a0£');
  });
});
