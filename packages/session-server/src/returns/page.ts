import { type Checkout, isPaymentPending } from '../checkouts/state-machine.js';
import type { ReturnKind } from '../contract.js';
import { html } from '../http/html.js';
import { type Page, renderMessage, renderShop } from '../http/page.js';
import { type Language, type PageText, textOf } from '../languages.js';
import { shopNameOf } from '../merchants/brand.js';
import type { Merchant } from '../merchants/merchant.js';

/** What is known of the payment; the address that was visited proves nothing. */
export function returnTitle(
  kind: ReturnKind,
  checkout: Pick<Checkout, 'state' | 'submittedAt'>,
): PageText {
  const { state } = checkout;
  if (state === 'paid' || state === 'failed') return state;
  if (kind === 'return' || isPaymentPending(checkout)) return 'checking';
  return state === 'cancelled' ? state : 'left';
}

export interface ReturnPage {
  readonly language: Language;
  readonly checkout: Checkout;
  readonly kind: ReturnKind;
  readonly merchant: Merchant;
  /** Origin of the session server. */
  readonly publicUrl: string;
}

/** The tiny page behind the three return addresses; `assets/return.js` does its work. */
export function makeReturnPage(page: ReturnPage): Page {
  const { language, checkout, kind, merchant, publicUrl } = page;
  const name = returnTitle(kind, checkout);
  const title = textOf(language, name);
  const [address, toShop] = [shopperPage(merchant, checkout, kind), textOf(language, 'toShop')];
  const onward = html`<a id="onward" class="action" target="_top" href="${address}">${toShop}</a>`;
  return {
    language,
    title: `${title} · ${shopNameOf(merchant)}`,
    merchant,
    attributes: html`data-checkout="${checkout.id}" data-kind="${kind}"
    data-origins="${[...merchant.origins, publicUrl].join(' ')}"`,
    body: html`<body class="quiet">
      <main class="card">
        ${renderShop(merchant)} ${renderMessage(language, name)}
        <p>${textOf(language, 'order', { order: checkout.order })}</p>
        ${onward}
      </main>
      <script src="/v1/assets/return.js"></script>
    </body>`,
  };
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
