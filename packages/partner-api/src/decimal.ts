/**
 * Exact decimal text of money that the provider sends as JSON numbers.
 *
 * A double holds any decimal of at most 15 significant digits, without the zeros at its end. Number
 * texts with more digits are kept alongside the value while the reply is read.
 */
const SOURCES = Symbol.for('pay-checkout.partner-api.decimal-sources');

/** Digits that survive the way from decimal text to a double and back (`DBL_DIG` of C). */
export const EXACT_DIGITS = 15;
/** Beyond this an exponent is no amount of money, only a way to fill the memory. */
const MAX_EXPONENT = 100;

interface WithSources {
  [SOURCES]?: Map<string, string>;
}

/**
 * Remembers how a number stood in the JSON. The property is a symbol so that `JSON.stringify` and
 * `Object.keys` do not see it, and enumerable so that a copy by spread keeps it.
 */
function rememberSource(holder: object, field: string, text: string): void {
  const withSources = holder as WithSources;
  (withSources[SOURCES] ??= new Map()).set(field, text);
}

/** A number whose text says more than its double: too many digits, or zeros at the end (`68.00`). */
const HAS_SOURCE = /[:,[\s]-?(?:[\d.]{16}|\d+\.\d*0[,}\]\s])/;
const SOURCE = /([:,[]\s*)(-?(?:\d+\.\d*0|[\d.]{16,})(?:[eE][+-]?\d+)?)(?=\s*[,}\]])/g;
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"|[^"]+/g;

/** Reads JSON of any depth without losing digits: `decimalOf` gives the text of numbers as it came. */
export function parseJson(text: string): unknown {
  if (!HAS_SOURCE.test(text)) return JSON.parse(text) as unknown;
  // Such numbers pass the parser as texts that no provider can guess. A reviver, which is given the
  // source text of each number, is slow, and fails where an answer has some thousands of levels.
  const mark = crypto.randomUUID();
  const root = { body: parseMarked(text, `$1"${mark}$2"`) };
  const open: Record<string, unknown>[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const key in holder) {
      const value = holder[key];
      if (typeof value === 'object' && value !== null) open.push(value as typeof holder);
      if (typeof value !== 'string' || !value.startsWith(mark)) continue;
      const source = value.slice(mark.length);
      holder[key] = Number(source);
      rememberSource(holder, key, source);
    }
  }
  return root.body;
}

function parseMarked(text: string, marked: string): unknown {
  try {
    return JSON.parse(text.replace(SOURCE, marked)) as unknown;
  } catch {
    // A text that holds what looks like a number ends at the mark, which no JSON allows: then only
    // what stands between texts is marked.
    const between = (token: string): string =>
      token.startsWith('"') ? token : token.replace(SOURCE, marked);
    return JSON.parse(text.replace(TEXT, between)) as unknown;
  }
}

/**
 * The exact value of a numeric field of a reply, as plain decimal text (no exponent).
 *
 * Digits are those of the JSON, zeros at the end included (`68.00`). `undefined` when the field is
 * not a decimal number, or when the row is a copy or a computed value whose exact text is not known:
 * a changed amount is never given. (What is nearer to nothing than 1e-307 counts as 0.)
 *
 * @example
 * decimalOf(transaction, 'amount'); // '12.34'
 */
export function decimalOf(row: object, field: string): string | undefined {
  const value: unknown = (row as Record<string, unknown>)[field];
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value) ? value : undefined;
  if (typeof value !== 'number') return undefined;
  const source = (row as WithSources)[SOURCES]?.get(field);
  if (source !== undefined && Object.is(Number(source), value)) return toPlainDecimal(source);
  const text = toPlainDecimal(String(value));
  return text !== undefined && countSignificantDigits(text) <= EXACT_DIGITS ? text : undefined;
}

/** How many digits a plain decimal text has, without the zeros at either end. */
export function countSignificantDigits(text: string): number {
  return text.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
}

/** Writes out an exponent: `1.5e3` is `1500`. `undefined` for what is no decimal number. */
export function toPlainDecimal(text: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText] = parts;
  if (exponentText === undefined) return text;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const point = whole.length + exponent;
  const digits = (whole + fraction).padStart(
    whole.length + fraction.length - Math.min(point, 0),
    '0',
  );
  const at = Math.max(point, 0);
  const wholePart =
    digits
      .slice(0, at)
      .padEnd(at, '0')
      .replace(/^0+(?=\d)/, '') || '0';
  const rest = digits.slice(at);
  return sign + (rest === '' ? wholePart : `${wholePart}.${rest}`);
}

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/**
 * JSON text of an answer or of a part of it, numbers with every digit that they came with: those that
 * are too long for a double are written from their source text.
 *
 * @param indent - As of `JSON.stringify`. Default: one line.
 */
export function toJsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, keepDigits, indent);
}

function keepDigits(this: object, key: string, item: unknown): unknown {
  if (typeof item !== 'number') return item;
  const exact = decimalOf(this, key);
  return exact === undefined || exact === String(item) ? item : rawJSON(exact);
}

/**
 * A field of an answer as text for people: exact numbers, nested values as JSON, nothing for what is
 * missing or `null`, and `(not exact)` for a number whose exact text is not known.
 */
export function fieldText(row: object, field: string): string {
  const value: unknown = Object.hasOwn(row, field)
    ? (row as Record<string, unknown>)[field]
    : undefined;
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return decimalOf(row, field) ?? '(not exact)';
  return toJsonText(value);
}
