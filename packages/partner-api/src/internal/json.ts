import { needsSource, rememberSource } from '../decimal.js';

type SourceReviver = (
  this: object,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/**
 * Reads JSON without losing digits: `decimalOf` gives the exact text of numbers that are too long
 * for a double. Where the platform does not tell the source text, `decimalOf` says `undefined`.
 */
export function parseJson(text: string): unknown {
  if (!mayHoldLongNumber(text)) return JSON.parse(text) as unknown;
  return parseWithSource(text, function (key, value, context) {
    const source = context?.source;
    if (typeof value === 'number' && source !== undefined && needsSource(source)) {
      rememberSource(this, key, source);
    }
    return value;
  });
}

/** A number of more than 15 digits has at least as many digits and points in a row. */
const LONG_RUN = 16;

/**
 * Whether a number may be too long for a double; now and then it says yes to digits in a string.
 * It looks at every sixteenth character only, because a long run cannot pass between two looks:
 * ordinary replies are so read at the speed of `JSON.parse`.
 */
export function mayHoldLongNumber(text: string): boolean {
  for (let at = LONG_RUN - 1; at < text.length; at += LONG_RUN) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (isDigitOrPoint(text.charCodeAt(end))) end += 1;
    if (end - start >= LONG_RUN && startsNumber(text, start)) return true;
    at = end;
  }
  return false;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

function startsNumber(text: string, start: number): boolean {
  const before = text.charAt(text.charAt(start - 1) === '-' ? start - 2 : start - 1);
  return before === '' || ':,[ \t\r\n'.includes(before);
}
