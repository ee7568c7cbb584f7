/** Enough for the languages of many shops; whoever asks in thousands makes the server remember no more. */
const MAX_FORMATS = 100;
const formats = new Map<string, Intl.NumberFormat>();

/**
 * Decimal text as people of `locale` write money: `amountText('12.34', 'GBP', 'en')` is `'£12.34'`. No
 * binary float is made of it. Undefined without a locale that is known here: the page knows its own.
 */
export function amountText(
  amount: string,
  currency: string,
  locale: string | undefined,
): string | undefined {
  const format = locale && formatOf(locale, currency);
  return format ? format.format(amount as Intl.StringNumericLiteral) : undefined;
}

function formatOf(locale: string, currency: string): Intl.NumberFormat | undefined {
  const key = `${locale} ${currency}`;
  const known = formats.get(key);
  if (known) return known;
  if (!isKnown(locale)) return undefined;
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const [oldest] = formats.keys();
  if (oldest !== undefined && formats.size >= MAX_FORMATS) formats.delete(oldest);
  formats.set(key, format);
  return format;
}

/** Whether it is a BCP 47 tag, of a language whose way of writing is known here. */
function isKnown(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
}
