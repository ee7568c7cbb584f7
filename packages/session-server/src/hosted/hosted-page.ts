import type { Merchant } from '../merchants/merchant.js';
import { type Html, html } from '../http/html.js';

export interface HostedPage {
  readonly merchant: Merchant;
  readonly order: string;
  readonly orderToken: string;
}

/**
 * A page of ours with the element inside, for shoppers who do not pay on the merchant's page. To
 * open it opens nothing at the provider; the element does that when it runs.
 */
export function renderHostedPage({ merchant, order, orderToken }: HostedPage): Html {
  return html`<!doctype html>
    <html
      lang="en"
      data-origins="${merchant.origins.join(' ')}"
      data-navigates="${String(merchant.sdk.navigates ?? false)}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Pay ${merchant.name} – order ${order}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/v1/assets/page.css" />
        <script src="/v1/assets/hosted.js" defer></script>
        <script src="/v1/pay-checkout.js" defer></script>
      </head>
      <body class="hosted">
        <main>
          <h1>${merchant.name}</h1>
          <p>Order ${order}</p>
          <pay-checkout
            merchant="${merchant.id}"
            order="${order}"
            order-token="${orderToken}"
            mode="inline"
            autostart
          ></pay-checkout>
          <p id="leave" hidden><a class="action" href="#">Continue to the shop</a></p>
          <noscript>
            <p>
              Paying needs JavaScript, and it is switched off in this browser. Switch it on, or pay
              from another device. Your order: ${order}
            </p>
          </noscript>
        </main>
      </body>
    </html>`;
}
