/** Money as decimal text and integer minor units. A binary float never holds an amount. */

const DECIMAL = /^(-?)(0|[1-9]\d{0,11})(?:\.(\d{1,8}))?$/;

/** Says whether a text is a plain decimal number such as `12.34`: no exponent, no leading zeros. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * Turns decimal text into integer minor units.
 *
 * @returns `undefined` for a text that is not a plain decimal or has too many decimals.
 */
export function toMinor(text: string, decimals: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > decimals) return undefined;
  const minor = BigInt(whole + significant.padEnd(decimals, '0'));
  return sign === '-' ? -minor : minor;
}

/** Turns integer minor units into decimal text: `fromMinor(1234n, 2)` is `'12.34'`. */
export function fromMinor(minor: bigint, decimals: number): string {
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** `Intl` says how people write an amount, which in these currencies is without the decimals of ISO 4217. */
const WRITTEN_WITHOUT = 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'.split(' ');
const decimalsByCurrency = new Map<string, number>([
  ...WRITTEN_WITHOUT.map((currency) => [currency, 2] as const),
  ['IQD', 3],
]);

/** How many decimals a currency has: 2 for GBP, 0 for JPY. */
export function decimalsOf(currency: string): number {
  const known = decimalsByCurrency.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  decimalsByCurrency.set(currency, decimals);
  return decimals;
}

/** Writes an amount for people, with all its digits: `£12.34`. The formatter gets the text, not a float. */
export function formatMoney(amount: string, currency: string): string {
  if (!isDecimal(amount)) return `${amount} ${currency}`;
  const digits = Math.max(amount.split('.')[1]?.length ?? 0, decimalsOf(currency));
  const format = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
  });
  return format.format(amount as Intl.StringNumericLiteral);
}

// Every supported Node has these standard functions. TypeScript's library does not declare them yet.
const rawJson = JSON as JSON & {
  rawJSON(token: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** A JSON number written with exactly the digits of the text: `12.30` stays `12.30` on the wire. */
export function toJsonNumber(text: string): unknown {
  if (!isDecimal(text)) throw new TypeError('An amount must be a plain decimal such as 12.34.');
  // A number with the same digits is equivalent, and five times as fast.
  const number = Number(text);
  return String(number) === text ? number : rawJson.rawJSON(text);
}

/** Writes any JSON number as it is, including one that no double holds. */
export function writeRawNumber(token: string): unknown {
  return rawJson.rawJSON(token);
}

/** Says whether a value was made by {@link toJsonNumber} or {@link writeRawNumber}. */
export function isRawNumber(value: unknown): boolean {
  return rawJson.isRawJSON(value);
}
