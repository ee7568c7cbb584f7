const formats = new Map<string, Intl.NumberFormat>();

/** Decimal text in the reader's way of writing money; the plain text when the currency is unknown. */
export function formatMoney(amount: string, currency: string, locale: string | undefined): string {
  const key = `${locale} ${currency}`;
  try {
    // A format takes as long to make as all else that is drawn.
    const format =
      formats.get(key) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
    formats.set(key, format);
    return format.format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${amount} ${currency}`;
  }
}
