import { needsSource, rememberSource } from '../decimal.js';
import { parseDeepJson } from './deep-json.js';

/** What `JSON.parse` asks for each value, and tells of its text. */
export type SourceReviver = (
  this: object,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;
/** `JSON.parse` as it is where the platform tells the text of each number. */
export const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/**
 * Reads JSON without losing digits: `decimalOf` gives the exact text of numbers that are too long
 * for a double. Where the platform does not tell the source text, `decimalOf` says `undefined`.
 * The bytes are those of the text: they are quicker to look through.
 */
export function parseJson(
  text: string,
  bytes: Uint8Array = new TextEncoder().encode(text),
): unknown {
  if (!mayHoldLongNumber(bytes)) return JSON.parse(text) as unknown;
  try {
    return parseWithSource(text, keepSource);
  } catch (error) {
    // The stack is too small for it: one field of many levels must not cost the whole answer.
    if (error instanceof RangeError) return parseDeepJson(text);
    throw error;
  }
}

const keepSource: SourceReviver = function (key, value, context) {
  const source = context?.source;
  if (typeof value === 'number' && source !== undefined && needsSource(source)) {
    rememberSource(this, key, source);
  }
  return value;
};

/** A number of more than 15 digits has at least as many digits and points in a row. */
const LONG_RUN = 16;

/**
 * Whether a number in JSON may be too long for a double; now and then it says yes to digits in a
 * string. It looks at every sixteenth byte only, because a long run cannot pass between two looks:
 * ordinary replies are so read at the speed of `JSON.parse`.
 */
export function mayHoldLongNumber(json: Uint8Array): boolean {
  const { length } = json;
  for (let at = LONG_RUN - 1; at < length; at += LONG_RUN) {
    if (!isDigitOrPoint(json[at])) continue;
    let start = at;
    while (isDigitOrPoint(json[start - 1])) start -= 1;
    let end = at + 1;
    while (isDigitOrPoint(json[end])) end += 1;
    if (end - start >= LONG_RUN && startsNumber(json, start)) return true;
    at = end;
  }
  return false;
}

function isDigitOrPoint(byte = 0): boolean {
  return byte <= 0x39 && byte >= 0x2e && byte !== 0x2f;
}

/** What stands before a number: nothing, a colon, a comma, a bracket or white space. */
const BEFORE_NUMBER = new Set<number | undefined>([
  undefined,
  ...new TextEncoder().encode(':,[ \t\r\n'),
]);
const MINUS = 0x2d;

function startsNumber(json: Uint8Array, start: number): boolean {
  return BEFORE_NUMBER.has(json[json[start - 1] === MINUS ? start - 2 : start - 1]);
}
