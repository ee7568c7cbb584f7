import { type Checkout, isPaymentPending } from '../checkouts/state-machine.js';
import type { CheckoutState, ReturnKind } from '../contract.js';
import { type Html, html } from '../http/html.js';
import type { Merchant } from '../merchants/merchant.js';

/** What is known of the payment; the address that was visited proves nothing. */
export function returnTitle(kind: ReturnKind, state: CheckoutState): string {
  if (state === 'paid') return 'Payment received. Thank you.';
  if (state === 'failed') return 'The payment did not go through.';
  if (kind === 'return' || isPaymentPending(state)) {
    return 'Thank you. We are checking your payment.';
  }
  return state === 'cancelled' ? 'The payment was cancelled.' : 'Back to the shop.';
}

export interface ReturnPage {
  readonly checkout: string;
  readonly kind: ReturnKind;
  readonly title: string;
  readonly order: string;
  /** Who may hear that the shopper came back. */
  readonly origins: readonly string[];
  /** The merchant's own page for this checkout. */
  readonly onward: string;
}

/** The tiny page behind the three return addresses; `assets/return.js` does its work. */
export function renderReturnPage(page: ReturnPage): Html {
  return html`<!doctype html>
    <html
      lang="en"
      data-checkout="${page.checkout}"
      data-kind="${page.kind}"
      data-origins="${page.origins.join(' ')}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${page.title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/v1/assets/page.css" />
      </head>
      <body class="quiet">
        <main>
          <h1>${page.title}</h1>
          <p>Order ${page.order}</p>
          <a id="onward" class="action" target="_top" href="${page.onward}">Continue to the shop</a>
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
