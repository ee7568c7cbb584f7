import { type Language, type PageText, textOf } from '../languages.js';

/** Markup that is safe to send: made by {@link html} only. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Joins markup and values; every value is escaped, and attributes must be in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const text = values.map((value) =>
    value instanceof Html ? value.text : value.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? ''),
  );
  return new Html(parts.map((part, index) => part + (text[index] ?? '')).join(''));
}

/** A page that says one thing, for example that an address is not known; `shop` is where its link leads. */
export function renderNotice(
  language: Language,
  title: PageText,
  text: PageText,
  values?: Readonly<Record<string, string>>,
  shop?: string,
): Html {
  return html`<!doctype html>
    <html lang="${language.locale}" dir="${language.dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${textOf(language, title)}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/v1/assets/page.css" />
      </head>
      <body>
        <main>
          <h1>${textOf(language, title)}</h1>
          <p>${textOf(language, text, values)}</p>
          ${shop === undefined ? '' : backLink(language, shop)}
        </main>
      </body>
    </html>`;
}

/** The way back to the shop, which needs no script. */
export function backLink(language: Language, shop: string): Html {
  return html`<p><a id="back" href="${shop}">${textOf(language, 'back')}</a></p>`;
}
