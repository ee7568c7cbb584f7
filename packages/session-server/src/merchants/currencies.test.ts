import { describe, expect, it } from 'vitest';
import { merchantEntry, testMerchant } from '../testing/test-merchant.js';
import { ISO_DECIMALS } from './currencies.js';
import { merchantSchema } from './merchant.js';

/** What is wrong with an entry of this currency, by field. */
function mistakesOf(changes: object): Record<string, string> {
  const { error } = merchantSchema.safeParse(merchantEntry({ split: [], ...changes }));
  return Object.fromEntries(
    (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]),
  );
}

describe('the decimal places of an entry', () => {
  it.each([
    ['GBP', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['HUF', 2],
    ['IQD', 3],
  ])('are those of ISO 4217 for %s: %i', (currency, decimals) => {
    expect(testMerchant({ currency }).decimals).toBe(decimals);
    expect(testMerchant({ currency, decimals }).decimals).toBe(decimals);
  });

  it.each([
    [{ currency: 'JPY', decimals: 2 }, 'decimals', /^expected 0, .*"customCurrency": true/],
    [{ currency: 'JPY', decimals: 3 }, 'decimals', /^expected 0/],
    [{ currency: 'KWD', decimals: 2 }, 'decimals', /^expected 3/],
    [{ currency: 'GBP', decimals: 0 }, 'decimals', /^expected 2/],
    [{ currency: 'GPB' }, 'currency', /ISO 4217/],
    [{ currency: 'XYZ', decimals: 2 }, 'currency', /ISO 4217/],
    [{ currency: 'XTS' }, 'currency', /ISO 4217/],
    [{ currency: 'XYZ', customCurrency: true }, 'decimals', /ISO 4217/],
  ])('are refused where they are not: %j', (changes, field, words) => {
    expect(mistakesOf(changes)).toEqual({ [field]: expect.stringMatching(words) as string });
  });

  it('may be others where the entry says that this is meant', () => {
    const yen = testMerchant({ currency: 'JPY', decimals: 2, customCurrency: true });
    expect(yen.decimals).toBe(2);
    const points = testMerchant({ currency: 'XYZ', decimals: 1, customCurrency: true });
    expect(points.decimals).toBe(1);
  });

  it('are what the amounts of its split are checked with', () => {
    const split = [{ partnerMerchantId: 501, typeId: 1, fixed: '0.30' }];
    expect(mistakesOf({ currency: 'JPY', split })['split.0.fixed']).toMatch(
      /at most 0 decimal places, such as "30"/,
    );
  });
});

it('the table of currencies has no more decimals than people write, or as many as the standard', () => {
  const known = new Set(Intl.supportedValuesOf('currency'));
  const different = [...ISO_DECIMALS].filter(([currency, decimals]) => {
    if (!known.has(currency)) return false;
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return ![0, decimals].includes(format.resolvedOptions().maximumFractionDigits ?? -1);
  });
  expect(different).toEqual([]);
});
