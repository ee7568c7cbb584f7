import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decimalOf } from '../decimal.js';
import { fieldText, toJsonText } from '../exact-text.js';
import { parseDeepJson, writeDeepJson } from './deep-json.js';
import { parseJson } from './json.js';

const LONG = '12345678901234567890.12';

/** A field of so many levels around a long number. */
function nest(levels: number, begin: string, end: string): string {
  return `{"id":"a","amount":${LONG},"deep":${begin.repeat(levels)}${LONG}${end.repeat(levels)}}`;
}

const plain = (_holder: object, _key: string, number: number): string => JSON.stringify(number);

describe('a field of 50,000 levels', () => {
  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])(
    'of %s is read and written with every digit, also of what stands beside it',
    (_, begin, end) => {
      const text = nest(50_000, begin, end);
      const row = parseJson(text) as object;
      expect(decimalOf(row, 'amount')).toBe(LONG);
      expect(toJsonText(row) === text).toBe(true);
      expect(fieldText(row, 'deep') === text.slice(text.indexOf('"deep":') + 7, -1)).toBe(true);
    },
  );

  it('is written on one line where it should be indented', () => {
    const text = nest(50_000, '[', ']');
    expect(toJsonText(parseJson(text), 2) === text).toBe(true);
  });

  it('or of 200,000, is read and written, too', () => {
    const text = nest(200_000, '[', ']');
    expect(toJsonText(parseJson(text)) === text).toBe(true);
  });
});

describe('the reader of any depth', () => {
  it('reads what the engine reads, digits included', () => {
    const values = fc.oneof(
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
    );
    const number = fc.stringMatching(/^-?[1-9]\d{0,25}(\.\d{1,25})?([eE][+-]?\d{1,2})?$/);
    fc.assert(
      fc.property(values, number, (text, digits) => {
        const json = `{"long":${LONG},"a" : ${digits},"list":[${digits} , ${text}],"tr\\"u\\\\e":true,"__proto__":${digits}}`;
        const read = parseDeepJson(json);
        expect(toJsonText(read)).toBe(toJsonText(parseJson(json)));
        expect(decimalOf(read, 'a')).toBe(decimalOf(parseJson(json) as object, 'a'));
      }),
    );
  });

  it('leaves digits in texts and names alone', () => {
    const json = `{"${LONG}":"${LONG}","a":"\\"${LONG}"}`;
    expect(JSON.stringify(parseDeepJson(json))).toBe(json);
  });
});

describe('the writer of any depth', () => {
  it('writes what the engine writes', () => {
    const odd = [undefined, () => 1, new Date(0), { gone: undefined, kept: null }, -0, NaN];
    odd.length += 1;
    expect(writeDeepJson(odd, plain)).toBe(JSON.stringify(odd));
    fc.assert(
      fc.property(fc.object(), (value) => {
        expect(writeDeepJson(value, plain)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('refuses what holds itself, and takes what comes twice', () => {
    const twice = { a: 1 };
    expect(writeDeepJson([twice, twice], plain)).toBe('[{"a":1},{"a":1}]');
    const loop: unknown[] = [];
    loop.push([loop]);
    expect(() => writeDeepJson(loop, plain)).toThrow(TypeError);
  });
});
