import { needsSource, rememberSource } from '../decimal.js';

/** What `JSON.parse` asks for each value, and tells of its text. */
export type SourceReviver = (
  this: object,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;
/** `JSON.parse` as it is where the platform tells the text of each number. */
export const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** A number in JSON that may be too long for a double, or digits in a text that look like one. */
const LONG_NUMBER = /[:,[\s]-?[\d.]{16}|^-?[\d.]{16}/;

/**
 * Reads JSON without losing digits: `decimalOf` gives the exact text of numbers that are too long
 * for a double. Where the platform does not tell the source text, `decimalOf` says `undefined`.
 */
export function parseJson(text: string): unknown {
  // A reviver makes the parser several times slower.
  return LONG_NUMBER.test(text)
    ? parseWithSource(text, keepSource)
    : (JSON.parse(text) as unknown);
}

const keepSource: SourceReviver = function (key, value, context) {
  const source = context?.source;
  if (typeof value === 'number' && source !== undefined && needsSource(source)) {
    rememberSource(this, key, source);
  }
  return value;
};
