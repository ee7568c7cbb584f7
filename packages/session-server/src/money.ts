/**
 * Money as integer minor units made from decimal text, and back. No binary float ever holds an
 * amount. Amounts up to `Number.MAX_SAFE_INTEGER` minor units are exact; larger ones are refused.
 */

const DECIMAL = /^(\d{1,16})(?:\.(\d{1,20}))?$/;

/**
 * Minor units of a decimal text such as `'12.34'`, or undefined when the text is not a plain,
 * non-negative decimal or says more than `decimals` places can hold. Trailing zeros are harmless.
 */
export function parseMinor(text: string, decimals: number): number | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) return undefined;
  const minor = Number(`${match[1] ?? ''}${fraction.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(minor) ? minor : undefined;
}

/**
 * Minor units of a refunded amount; a leading minus is ignored. The sign of a
 * refund is not shown (spec 2.1).
 */
export function parseRefundMinor(text: string, decimals: number): number | undefined {
  return parseMinor(text.replace(/^-/, ''), decimals);
}

/** Decimal text of minor units: `formatMinor(1234, 2)` is `'12.34'`. */
export function formatMinor(minor: number, decimals: number): string {
  if (!Number.isSafeInteger(minor) || minor < 0) {
    throw new RangeError('minor units must be a non-negative safe integer');
  }
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
