import { needsSource, rememberSource } from '../decimal.js';

/** A number that may be too long for a double, or digits in a text that look like one. */
const LONG_NUMBER = /[:,[\s]-?[\d.]{16}/;

const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads JSON of any depth without losing digits: `decimalOf` gives the exact text of numbers that
 * are too long for a double.
 */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as unknown;
  // Long numbers pass the parser as texts that no provider can guess. A reviver, which is given the
  // source text of each number, fails where an answer has some thousands of levels.
  const mark = crypto.randomUUID();
  const marked = text.replace(TEXT_OR_NUMBER, (token) =>
    token.startsWith('"') || !needsSource(token) ? token : `"${mark}${token}"`,
  );
  const root = { body: JSON.parse(marked) as unknown };
  const open: Record<string, unknown>[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) open.push(value as typeof holder);
      if (typeof value !== 'string' || !value.startsWith(mark)) continue;
      const source = value.slice(mark.length);
      holder[key] = Number(source);
      rememberSource(holder, key, source);
    }
  }
  return root.body;
}
