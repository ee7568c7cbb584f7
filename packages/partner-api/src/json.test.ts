import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decimalOf, parseJson } from './decimal.js';

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('leaves texts as they are that hold what looks like a number', () => {
    const looksLike = fc.array(
      fc.constantFrom(':', ',', '1.50', '1234567890123456', ' ', '}', '"', 'a'),
    );
    fc.assert(
      fc.property(looksLike, (parts) => {
        const row = { a: parts.join(''), [parts.join('')]: 'b' };
        const text = `{"rows":[${JSON.stringify(row)}],"x":2.50}`;
        const read = parseJson(text) as { rows: unknown[] };
        expect([read.rows[0], decimalOf(read, 'x')]).toEqual([row, '2.50']);
      }),
      { numRuns: 1_000 },
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
    const list = parseJson('[-1234567890123456.5,\n12345678901234567]') as object;
    expect(decimalOf(list, '0')).toBe('-1234567890123456.5');
    expect(decimalOf(list, '1')).toBe('12345678901234567');
  });
});

describe('a long number', () => {
  it('keeps its digits wherever it stands', () => {
    const filler = fc.stringMatching(/^[a-z0-9äß€🧀]{0,40}$/u);
    const long = fc.stringMatching(/^-?[1-9](\d{15,30}|\d{3}\.\d{13,30})$/);
    fc.assert(
      fc.property(filler, long, filler, (before, number, after) => {
        const row = parseJson(`{"a":"${before}","b":${number},"c":"${after}"}`) as object;
        expect(decimalOf(row, 'b')).toBe(number);
      }),
      { numRuns: 1_000 },
    );
  });
});
