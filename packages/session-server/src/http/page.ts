import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import { type Language, type PageText, textOf } from '../languages.js';
import { brandTokens, shopNameOf } from '../merchants/brand.js';
import type { Merchant } from '../merchants/merchant.js';
import { type PagePolicy, setPageHeaders } from './headers.js';
import { Html, html } from './html.js';

/** A page that a shopper sees. */
export interface Page {
  readonly language: Language;
  readonly title: string;
  /** The merchant whose brand it has; without one, it has our own. */
  readonly merchant: Merchant | undefined;
  /** Further attributes of its root, for its script. */
  readonly attributes?: Html;
  /** Further elements of its head. */
  readonly head?: Html;
  readonly body: Html;
}

/** Sends a page. Its style is our style sheet, and the tokens of the merchant's brand under a nonce. */
export function sendPage(response: Response, policy: PagePolicy, page: Page): void {
  const hasTokens = brandTokens(page.merchant?.brand) !== '';
  const styleNonce = hasTokens ? randomBytes(16).toString('base64') : undefined;
  setPageHeaders(response, { ...policy, ...(styleNonce !== undefined && { styleNonce }) });
  response.send(renderPage(page, styleNonce).text);
}

export function renderPage(page: Page, styleNonce?: string): Html {
  const { language, title, merchant, attributes = '', head = '', body } = page;
  const icon = merchant?.logo ? logoPath(merchant) : 'data:,';
  // Checked colours, a number and our own fonts: nothing in it needs to be escaped.
  const tokens = new Html(`:root { ${brandTokens(merchant?.brand)} }`);
  const style =
    styleNonce === undefined
      ? ''
      : html`<style nonce="${styleNonce}">
          ${tokens}
        </style>`;
  return html`<!doctype html>
    <html lang="${language.locale}" dir="${language.dir}" ${attributes}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="/v1/assets/page.css" />
        ${style} ${head}
      </head>
      ${body}
    </html>`;
}

/** A page that says one thing, for example that an address is not known. */
export interface Notice {
  readonly language: Language;
  readonly title: PageText;
  readonly text: PageText;
  readonly values?: Readonly<Record<string, string>>;
  readonly merchant?: Merchant | undefined;
}

/** Where the merchant is known, the page links to its start page. */
export function sendNotice(
  response: Response,
  { language, title, text, values, merchant }: Notice,
  framedBy: readonly string[] = [],
): void {
  const heading = textOf(language, title);
  const body = html`<body>
    <main class="card">
      ${merchant ? renderShop(merchant) : ''} ${renderMessage(language, title)}
      <p>${textOf(language, text, values)}</p>
      ${merchant ? html`<p>${renderBackLink(language, merchant)}</p>` : ''}
    </main>
  </body>`;
  sendPage(response, { framedBy }, { language, title: heading, merchant, body });
}

/** Paths of the icons, in a square of 24: those of the element. */
const ICONS: Readonly<Partial<Record<PageText, string>>> = {
  paid: 'M5 12.5l5 5L19 7.5',
  failed: 'M7 7l10 10M17 7L7 17',
  checking: 'M12 6v6l4 3',
  unavailableTitle: 'M12 6v6l4 3',
  expiredTitle: 'M12 6v6l4 3',
  cancelled: 'M6 12h12',
  left: 'M6 12h12',
};
const EXCLAMATION_MARK = 'M12 5v8m0 3v3';

/** The heading of a page that says one thing, with its icon. */
export function renderMessage(language: Language, heading: PageText): Html {
  return html`<div class="message">
    <svg class="icon ${heading}" viewBox="0 0 24 24" aria-hidden="true">
      <path d="${ICONS[heading] ?? EXCLAMATION_MARK}" />
    </svg>
    <h1>${textOf(language, heading)}</h1>
  </div>`;
}

/** Logo and name, where they are no heading. */
export function renderShop(merchant: Merchant): Html {
  return html`<p class="shop">
    ${renderLogo(merchant)}<span><bdi>${shopNameOf(merchant)}</bdi></span>
  </p>`;
}

/** The logo; the name is always shown next to it. */
export function renderLogo(merchant: Merchant): Html {
  const { logo } = merchant;
  if (!logo) return html``;
  const [width, height] = [String(logo.width), String(logo.height)];
  return html`<img
    class="logo"
    src="${logoPath(merchant)}"
    width="${width}"
    height="${height}"
    alt=""
  />`;
}

function logoPath({ id, logo }: Merchant): string {
  return `/v1/logos/${id}/${logo?.hash ?? ''}`;
}

/** The way back to the shop, which needs no script. Before a checkout is open, no page of the shop is for it. */
export function renderBackLink(language: Language, { returnUrl }: Merchant): Html {
  const shop = new URL('/', returnUrl).href;
  return html`<a id="back" href="${shop}">${textOf(language, 'back')}</a>`;
}
