import { Router } from 'express';
import type { Clock } from '../clock.js';
import { logRefusal } from '../http/errors.js';
import { setPageHeaders } from '../http/headers.js';
import { type Html, html, renderNotice } from '../http/html.js';
import { addressOf, Limit, type RateLimits } from '../http/limits.js';
import type { Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { checkOrderToken, splitOrderToken } from '../orders/order-token.js';
import { sdkSources } from '../security/csp.js';

export interface HostedRoutesOptions {
  readonly merchants: MerchantSource;
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  /** Address that browsers report violations of the page's policy to. */
  readonly cspReportTo: string | undefined;
  readonly logger: Logger;
}

/** The hosted payment page: for redirects, pay-by-link, and pages where our script cannot run. */
export function hostedRoutes({
  merchants,
  clock,
  rateLimits,
  cspReportTo,
  logger,
}: HostedRoutesOptions): Router {
  const router = Router();
  const limit = new Limit('address', rateLimits.pagesPerAddress);
  router.get('/pay/:merchant/:orderToken', async (request, response) => {
    if (!(await limit.allows(addressOf(request)))) {
      setPageHeaders(response, { framedBy: [] });
      response.setHeader('retry-after', '60');
      const text = 'No payment was taken just now. Wait a minute, then reload this page.';
      const detail = 'too many visits from one address';
      logRefusal(logger, request, response, { status: 429, code: 'too_many_requests', detail });
      response.status(429).send(renderNotice('Too many visits', text).text);
      return;
    }
    const { orderToken } = request.params;
    const merchant = await merchants.find(request.params.merchant);
    const parts = splitOrderToken(orderToken);
    const check =
      merchant && parts
        ? checkOrderToken(
            orderToken,
            { merchant: merchant.id, order: parts.order },
            merchant.orderTokenSecret,
            clock.now(),
          )
        : 'forged';
    if (!merchant || !parts || check === 'forged') {
      setPageHeaders(response, { framedBy: [] });
      const text = 'Go back to the shop and open your order there.';
      const detail = 'unknown merchant, or a token that is not authentic';
      logRefusal(logger, request, response, { status: 404, code: 'order_not_found', detail });
      response.status(404).send(renderNotice('This payment link is not valid', text).text);
      return;
    }
    if (check === 'expired') {
      setPageHeaders(response, { framedBy: merchant.origins });
      const text = 'No payment was taken just now. Go back to the shop and open your order there.';
      const detail = 'the order token has expired';
      logRefusal(logger, request, response, { status: 410, code: 'order_token_expired', detail });
      response.status(410).send(renderNotice('This payment link has expired', text).text);
      return;
    }
    const { script, connect, frame } = sdkSources(merchant.sdk);
    setPageHeaders(response, {
      reportTo: cspReportTo,
      scripts: script,
      frames: frame,
      connects: connect,
      framedBy: merchant.origins,
    });
    response.send(renderHostedPage({ merchant, order: parts.order, orderToken }).text);
  });
  return router;
}

export interface HostedPage {
  readonly merchant: Merchant;
  readonly order: string;
  readonly orderToken: string;
}

/**
 * A page of ours with the element inside, for shoppers who do not pay on the merchant's page. The
 * page opens nothing at the provider; the element does that when it runs.
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
