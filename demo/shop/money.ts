/** Money as integer minor units, and how it is written: exact text for machines, words for people. */

/** Digits after the point in prices of a currency (ISO 4217): `GBP` → 2, `KWD` → 3. */
export function decimalsOf(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 0;
}

/** Exact decimal text of an amount in minor units: `1234` in `GBP` → `'12.34'`. */
export function toDecimalText(amountMinor: number, currency: string): string {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 0) {
    throw new RangeError('An amount must be a whole number of minor units, 0 or more.');
  }
  const decimals = decimalsOf(currency);
  const digits = String(amountMinor).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Minor units of decimal text, or undefined when it is not an exact amount: `'12.3'` → `1230`. */
export function fromDecimalText(text: string, currency: string): number | undefined {
  const decimals = decimalsOf(currency);
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(text);
  const whole = match?.[1];
  if (whole === undefined) return undefined;
  const fraction = (match?.[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) return undefined;
  return Number(whole + fraction.padEnd(decimals, '0'));
}

/** What a person reads, in the language of a shop: `1234` in `GBP` → `£12.34`. */
export function formatMoney(
  amountMinor: number,
  { language, currency }: { readonly language: string; readonly currency: string },
): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  // Intl formats decimal text exactly; going through a division would make a binary float of it.
  return format.format(toDecimalText(amountMinor, currency) as Intl.StringNumericLiteral);
}
