import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decimalOf, parseJson, toPlainDecimal } from './decimal.js';

function read(json: string): Record<string, unknown> {
  return parseJson(json) as Record<string, unknown>;
}

describe('decimalOf', () => {
  it.each([
    ['{"amount":12.34}', '12.34'],
    ['{"amount": 0.1}', '0.1'],
    ['{"amount":68.00}', '68.00'],
    ['{"amount": 12.50 ,"x":1}', '12.50'],
    ['{"x":[1.0,{"y":":2.0,"}],"amount":-0.50}', '-0.50'],
    ['{"amount":-5}', '-5'],
    ['{"amount":12345678901234567890.12}', '12345678901234567890.12'],
    ['{"amount":\n  -12345678901234567890.12}', '-12345678901234567890.12'],
    ['{"amount":9007199254740993}', '9007199254740993'],
    ['{"amount":0.1000000000000000055}', '0.1000000000000000055'],
    ['{"amount":100000000000.000000}', '100000000000.000000'],
    ['{"amount":1.5e3}', '1500'],
    ['{"amount":1E-7}', '0.0000001'],
    ['{"amount":123456789012345678e-2}', '1234567890123456.78'],
    ['{"amount":0.0000001}', '0.0000001'],
    ['{"amount":1e400}', undefined],
    ['{"amount":1e999999999}', undefined],
    ['{"amount":"12.340"}', '12.340'],
    ['{"amount":"twelve"}', undefined],
    ['{"amount":null}', undefined],
    ['{}', undefined],
  ])('gives the exact text of %s', (json, expected) => {
    expect(decimalOf(read(json), 'amount')).toBe(expected);
  });

  it('keeps the exact text when a row is copied by spread, and hides it from JSON and from keys', () => {
    const row = read('{"amount":12345678901234567890.12}');
    expect(decimalOf({ ...row }, 'amount')).toBe('12345678901234567890.12');
    expect(Object.keys(row)).toEqual(['amount']);
    expect(JSON.stringify(row)).toBe('{"amount":12345678901234567000}');
  });

  it('does not give the old text for a changed amount', () => {
    const row = read('{"amount":12345678901234567890.12}');
    row['amount'] = 1;
    expect(decimalOf(row, 'amount')).toBe('1');
  });

  it('says undefined rather than a changed amount when the exact text is lost', () => {
    const row = read('{"amount":12345678901234567890.12}');
    expect(decimalOf(structuredClone(row), 'amount')).toBeUndefined();
    expect(decimalOf({ amount: 0.1 + 0.2 }, 'amount')).toBeUndefined();
  });

  it('distinguishes rows of one reply', () => {
    const page = parseJson('{"rows":[{"a":1.11111111111111111},{"a":2.22222222222222222}]}') as {
      rows: [object, object];
    };
    expect(decimalOf(page.rows[0], 'a')).toBe('1.11111111111111111');
    expect(decimalOf(page.rows[1], 'a')).toBe('2.22222222222222222');
  });

  it('never gives a number other than the one in the JSON', () => {
    const decimal = fc
      .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 30n), fc.stringMatching(/^\d{0,20}$/))
      .map(([minus, whole, part]) => `${minus ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`);
    fc.assert(
      fc.property(decimal, fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        const found = decimalOf(read(`{"x":1,"amount":${space}${text}${space}}`), 'amount');
        expect(found).toBe(text === '-0' ? '0' : text);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('toPlainDecimal', () => {
  it('writes out any exponent without changing the value', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 20n),
        fc.stringMatching(/^\d{1,10}$/),
        fc.integer({ min: -40, max: 40 }),
        (whole, part, exponent) => {
          const plain = toPlainDecimal(`${whole}.${part}e${exponent}`) ?? '';
          expect(scaled(plain, 60)).toBe(scaled(`${whole}.${part}`, 60 + exponent));
        },
      ),
    );
  });
});

/** The value times a power of ten, as a whole number. */
function scaled(text: string, places: number): bigint {
  const [whole = '', part = ''] = text.split('.');
  return BigInt(whole + part) * 10n ** BigInt(places - part.length);
}
