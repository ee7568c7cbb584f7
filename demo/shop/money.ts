/** Money as integer minor units, and how it is written: exact text for machines, words for people. */
import { CURRENCY, CURRENCY_DECIMALS } from './catalogue.js';

/** Exact decimal text of an amount in minor units: `1234` → `'12.34'`. */
export function toDecimalText(amountMinor: number, decimals: number = CURRENCY_DECIMALS): string {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 0) {
    throw new RangeError('An amount must be a whole number of minor units, 0 or more.');
  }
  const digits = String(amountMinor).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Minor units of decimal text, or undefined when it is not an exact amount: `'12.3'` → `1230`. */
export function fromDecimalText(
  text: string,
  decimals: number = CURRENCY_DECIMALS,
): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(text);
  const whole = match?.[1];
  if (whole === undefined) return undefined;
  const fraction = (match?.[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) return undefined;
  return Number(whole + fraction.padEnd(decimals, '0'));
}

const formatter = new Intl.NumberFormat('en-GB', { style: 'currency', currency: CURRENCY });

/** What a person reads: `1234` → `£12.34`. */
export function formatMoney(amountMinor: number): string {
  // Intl formats decimal text exactly; going through a division would make a binary float of it.
  return formatter.format(toDecimalText(amountMinor) as Intl.StringNumericLiteral);
}
