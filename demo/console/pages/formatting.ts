/** Decimal text for people: grouped, with its currency, and with every digit that came. */
import { renderFacts } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';

const DECIMAL = /^-?\d+(?:\.(\d+))?$/;
const MAX_DIGITS = 100;

/** `1234567.5` → `1,234,567.5`. Other texts stay as they are. */
export function formatNumber(text: string): string {
  const digits = countDecimals(text);
  if (digits === undefined) return text;
  return formatOf(digits).format(text as Intl.StringNumericLiteral);
}

/** `12.5` and `GBP` → `£12.50`. Digits are added to the usual number, and never taken away. */
export function formatMoney(text: string, currency: string): string {
  const digits = countDecimals(text);
  if (digits === undefined) return text;
  if (!/^[A-Z]{3}$/.test(currency)) return `${formatNumber(text)} ${currency}`.trim();
  const usualDigits = formatOf(undefined, currency).resolvedOptions().minimumFractionDigits ?? 0;
  const shown = Math.max(usualDigits, digits);
  return formatOf(shown, currency).format(text as Intl.StringNumericLiteral);
}

/** One for each kind of number: to make one takes longer than to write a whole row with it. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(digits: number | undefined, currency?: string): Intl.NumberFormat {
  const kind = `${currency ?? ''} ${digits ?? ''}`;
  const known = formats.get(kind);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat('en-GB', {
    ...(currency !== undefined && { style: 'currency', currency }),
    ...(digits !== undefined && { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  });
  formats.set(kind, made);
  return made;
}

/** Whether a text is a decimal that is not zero. */
export function isAmount(text: string | undefined): text is string {
  return text !== undefined && DECIMAL.test(text) && /[1-9]/.test(text);
}

function countDecimals(text: string): number | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const { length } = match[1] ?? '';
  return length <= MAX_DIGITS ? length : undefined;
}

/** The provider's own names, easier to read: `total_volume` → `Total volume`. */
export function humanise(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/\s+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** How many there are, in words: `1 transaction`, `2 transactions`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** A name and its text; two may have one name. */
export type Field = readonly [name: string, text: string];

/** As {@link renderFacts} does; an address can be opened, and a document scrolls. */
export function renderFields(
  fields: readonly Field[],
  { style = 'facts', format = (text: string): string => text } = {},
): TemplateResult {
  const facts = fields.map(([name, text]) => [name, renderText(format(text))] as const);
  return renderFacts(facts, style);
}

/** Is a page, a document or a message of a program. */
const WHOLE_DOCUMENT = 200;

function renderText(text: string): TemplateResult | string {
  if (/^https?:\/\/\S+$/.test(text)) return html`<a href=${text} rel="noopener">${text}</a>`;
  return text.length > WHOLE_DOCUMENT ? html`<pre tabindex="0">${text}</pre>` : text;
}

/** The other fields that the provider sent, to be unfolded; nothing when there are none. */
export function renderOthers(others: readonly Field[]): TemplateResult | typeof nothing {
  if (others.length === 0) return nothing;
  return html`<details>
    <summary>Other fields</summary>
    ${renderFields(others)}
  </details>`;
}
