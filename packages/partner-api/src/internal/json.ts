import { needsSource, rememberSource } from '../decimal.js';

/**
 * Finds number tokens that may need {@link needsSource}, and some that do not: one cheap look at
 * the text, so that ordinary replies are read at the speed of `JSON.parse`.
 */
const MAY_NEED_SOURCE = /[:[,]\s*-?(?:[\d.]{15}|[\d.]+[eE])/;

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
  if (!MAY_NEED_SOURCE.test(text)) return JSON.parse(text) as unknown;
  return parseWithSource(text, function (key, value, context) {
    const source = context?.source;
    if (typeof value === 'number' && source !== undefined && needsSource(source)) {
      rememberSource(this, key, source);
    }
    return value;
  });
}
