/** Markup that is written as it is. Everything else is escaped. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type HtmlValue = string | number | Html | undefined | readonly Html[];

/**
 * Makes markup from a template; every value is escaped unless it is {@link Html} itself.
 *
 * @example
 * html`<p>${'<b>'}</p>`.markup // '<p>&lt;b&gt;</p>'
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(
    strings.reduce((markup, text, index) => markup + toMarkup(values[index - 1]) + text),
  );
}

function toMarkup(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('');
  return escapeText(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
