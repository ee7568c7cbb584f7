import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decimalOf } from '../decimal.js';
import { mayHoldLongNumber, parseJson } from './json.js';

function holdsLong(json: string): boolean {
  return mayHoldLongNumber(new TextEncoder().encode(json));
}

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('refuses what JSON.parse refuses, with and without a long number', () => {
    expect(() => parseJson('{"a":')).toThrow(SyntaxError);
    expect(() => parseJson('{"a":1234567890123456789')).toThrow(SyntaxError);
  });
});

describe('the digits of a long number', () => {
  it('are kept between letters of several bytes, at every place of a page', () => {
    const digits = '9007199254740993.25';
    for (let shift = 0; shift < 40; shift += 1) {
      for (const letter of ['x', 'ä', '€', '🧀']) {
        const text = `{"name":"${letter.repeat(shift)}","amount":-${digits},"to":"${letter}"}`;
        const row = parseJson(text) as { name: string };
        expect(row.name).toBe(letter.repeat(shift));
        expect(decimalOf(row, 'amount')).toBe(`-${digits}`);
      }
    }
  });

  it('are kept at the very begin and end of a text', () => {
    expect(holdsLong('1234567890123456')).toBe(true);
    expect(holdsLong('-1234567890123456')).toBe(true);
    expect(holdsLong('[1,\n1234567890123456]')).toBe(true);
    const list = parseJson('[1,12345678901234567]') as object;
    expect(decimalOf(list, '1')).toBe('12345678901234567');
  });
});

describe('mayHoldLongNumber', () => {
  it('misses no number of 16 digits or more, wherever it stands', () => {
    const filler = fc.stringMatching(/^[a-z0-9äß€🧀]{0,40}$/u);
    const long = fc.stringMatching(/^-?[1-9](\d{15,30}|\d{3}\.\d{13,30})$/);
    fc.assert(
      fc.property(filler, long, filler, (before, number, after) => {
        expect(holdsLong(`{"a":"${before}","b":${number},"c":"${after}"}`)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('passes over ordinary rows, timestamps and digits in strings', () => {
    const row = {
      id: '12345678901234567890',
      transactionTime: '2026-03-01T10:00:00.123Z',
      amount: 1234567890.12,
      merchantId: 1001,
    };
    for (let shift = 0; shift < 16; shift += 1) {
      expect(holdsLong(JSON.stringify(['x'.repeat(shift), row, row]))).toBe(false);
    }
  });
});
