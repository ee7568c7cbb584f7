const formats = new Map<string, Intl.NumberFormat>();

/**
 * Decimal text in the reader's way of writing money; the plain text when the currency is unknown. For
 * an amount that the server has not written: a browser takes long to learn a language's way.
 */
export function formatMoney(amount: string, currency: string, locale: string | undefined): string {
  const key = `${locale} ${currency}`;
  try {
    const format =
      formats.get(key) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
    formats.set(key, format);
    return format.format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${amount} ${currency}`;
  }
}
