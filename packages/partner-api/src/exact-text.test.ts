import { describe, expect, it } from 'vitest';

import { fieldText, parseJson, toJsonText } from './decimal.js';

const LONG =
  '{"amount":12345678901234567.89,"net":0.10,"gross":68.00,"inner":{"fee":9007199254740993}}';

describe('the text of an answer', () => {
  it('is JSON with every digit that came, also of numbers that a double cannot hold', () => {
    expect(toJsonText(parseJson(LONG))).toBe(LONG);
    expect(toJsonText(parseJson('{"a":1e2}'), 2)).toBe('{\n  "a": 100\n}');
  });

  it('is one field for people: exact, nested values as JSON, nothing for what is missing', () => {
    const row = parseJson(LONG) as object;
    expect(fieldText(row, 'amount')).toBe('12345678901234567.89');
    expect(fieldText(row, 'inner')).toBe('{"fee":9007199254740993}');
    expect(fieldText({ name: 'a', none: null, yes: true }, 'name')).toBe('a');
    expect(fieldText({ none: null }, 'none') + fieldText({}, 'gone')).toBe('');
    expect(fieldText({ yes: true }, 'yes')).toBe('true');
  });

  it('says so when the exact text of a number is lost', () => {
    const { amount } = parseJson(LONG) as { amount: number };
    expect(fieldText({ amount }, 'amount')).toBe('(not exact)');
  });
});
