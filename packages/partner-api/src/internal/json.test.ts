import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { mayHoldLongNumber, parseJson } from './json.js';

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

describe('mayHoldLongNumber', () => {
  it('misses no number of 16 digits or more, wherever it stands', () => {
    const filler = fc.stringMatching(/^[a-z0-9]{0,40}$/);
    const long = fc.stringMatching(/^-?[1-9](\d{15,30}|\d{3}\.\d{13,30})$/);
    fc.assert(
      fc.property(filler, long, filler, (before, number, after) => {
        expect(mayHoldLongNumber(`{"a":"${before}","b":${number},"c":"${after}"}`)).toBe(true);
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
      expect(mayHoldLongNumber(JSON.stringify(['x'.repeat(shift), row, row]))).toBe(false);
    }
  });
});
