import { type Checkout, isPaymentPending } from '../checkouts/state-machine.js';
import type { CheckoutState, ReturnKind } from '../contract.js';
import { type Html, html } from '../http/html.js';
import { type Language, type PageText, textOf } from '../languages.js';
import type { Merchant } from '../merchants/merchant.js';

/** What is known of the payment; the address that was visited proves nothing. */
export function returnTitle(kind: ReturnKind, state: CheckoutState): PageText {
  if (state === 'paid' || state === 'failed') return state;
  if (kind === 'return' || isPaymentPending(state)) return 'checking';
  return state === 'cancelled' ? state : 'left';
}

export interface ReturnPage {
  readonly language: Language;
  readonly checkout: string;
  readonly kind: ReturnKind;
  readonly title: PageText;
  readonly order: string;
  /** Who may hear that the shopper came back. */
  readonly origins: readonly string[];
  /** The merchant's own page for this checkout. */
  readonly onward: string;
}

/** The tiny page behind the three return addresses; `assets/return.js` does its work. */
export function renderReturnPage({ language, ...page }: ReturnPage): Html {
  const title = textOf(language, page.title);
  const toShop = textOf(language, 'toShop');
  return html`<!doctype html>
    <html
      lang="${language.locale}"
      dir="${language.dir}"
      data-checkout="${page.checkout}"
      data-kind="${page.kind}"
      data-origins="${page.origins.join(' ')}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/v1/assets/page.css" />
      </head>
      <body class="quiet">
        <main>
          <h1>${title}</h1>
          <p>${textOf(language, 'order', { order: page.order })}</p>
          <a id="onward" class="action" target="_top" href="${page.onward}">${toShop}</a>
        </main>
        <script src="/v1/assets/return.js"></script>
      </body>
    </html>`;
}

/** Where the shopper goes next: the order's own return address if it has one, or the merchant's. */
export function shopperPage(merchant: Merchant, checkout: Checkout, kind: ReturnKind): string {
  return fillIn(checkout.returnUrl ?? merchant.returnUrl, checkout, kind);
}

/** The merchant's page, for anyone who knows a checkout id: it may have been shared. */
export function merchantPage(merchant: Merchant, checkout: Checkout, kind: ReturnKind): string {
  return fillIn(merchant.returnUrl, checkout, kind);
}

function fillIn(template: string, checkout: Checkout, kind: ReturnKind): string {
  const values: Readonly<Record<string, string>> = {
    order: checkout.order,
    checkout: checkout.id,
    kind,
  };
  return template.replace(/\{(order|checkout|kind)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
