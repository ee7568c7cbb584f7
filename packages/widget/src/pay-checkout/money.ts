/**
 * Decimal text in the reader's way of writing money; the plain text when the currency is unknown. For
 * an amount that the server has not written: a browser takes long to learn a language's way.
 */
export function formatMoney(amount: string, currency: string, locale: string | undefined): string {
  try {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
    return format.format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${amount} ${currency}`;
  }
}
