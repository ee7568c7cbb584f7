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

/** As {@link parseMinor}, of an amount that may have a minus before it. */
export function parseSigned(text: string, decimals: number): number | undefined {
  if (!text.startsWith('-')) return parseMinor(text, decimals);
  const minor = parseMinor(text.slice(1), decimals);
  return minor === undefined || minor === 0 ? minor : -minor;
}

/** As {@link formatMinor}, with a minus before an amount below 0. */
export function formatSigned(minor: number, decimals: number): string {
  return minor < 0 ? `-${formatMinor(-minor, decimals)}` : formatMinor(minor, decimals);
}

/** Decimal text of minor units: `formatMinor(1234, 2)` is `'12.34'`. */
export function formatMinor(minor: number | bigint, decimals: number): string {
  if (minor < 0 || (typeof minor === 'number' && !Number.isSafeInteger(minor))) {
    throw new RangeError('minor units must be a non-negative safe integer');
  }
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
