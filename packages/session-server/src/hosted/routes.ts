import { Router } from 'express';
import type { Clock } from '../clock.js';
import { logRefusal } from '../http/errors.js';
import { setPageHeaders } from '../http/headers.js';
import { backLink, type Html, html, renderNotice } from '../http/html.js';
import { addressOf, Limit, type RateLimits } from '../http/limits.js';
import { type Language, languageFor, localeOf, textOf } from '../languages.js';
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
    const language = languageFor(request, response);
    const { orderToken } = request.params;
    const merchant = await merchants.find(request.params.merchant);
    const shop = merchant && shopOf(merchant);
    if (!(await limit.allows(addressOf(request)))) {
      setPageHeaders(response, { framedBy: [] });
      response.setHeader('retry-after', '60');
      const detail = 'too many visits from one address';
      logRefusal(logger, request, response, { status: 429, code: 'too_many_requests', detail });
      response.status(429).send(renderNotice(language, 'busyTitle', 'busy', {}, shop).text);
      return;
    }
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
      const detail = 'unknown merchant, or a token that is not authentic';
      logRefusal(logger, request, response, { status: 404, code: 'order_not_found', detail });
      response.status(404).send(renderNotice(language, 'invalidTitle', 'invalid', {}, shop).text);
      return;
    }
    if (check === 'expired') {
      setPageHeaders(response, { framedBy: merchant.origins });
      const detail = 'the order token has expired';
      logRefusal(logger, request, response, { status: 410, code: 'order_token_expired', detail });
      response.status(410).send(renderNotice(language, 'expiredTitle', 'expired', {}, shop).text);
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
    const wanted = localeOf(request);
    const locale = wanted?.startsWith(language.locale) ? wanted : language.locale;
    const page = { language, locale, merchant, order: parts.order, orderToken };
    response.send(renderHostedPage(page).text);
  });
  return router;
}

export interface HostedPage {
  readonly language: Language;
  /** The shopper's language and region, for the element. */
  readonly locale: string;
  readonly merchant: Merchant;
  readonly order: string;
  readonly orderToken: string;
}

/** The merchant's start page: before a checkout is open, there is no page of the shop for it. */
function shopOf({ returnUrl }: Merchant): string {
  return new URL('/', returnUrl).href;
}

/**
 * A page of ours with the element inside, for shoppers who do not pay on the merchant's page. The
 * page opens nothing at the provider; the element does that when it runs.
 */
export function renderHostedPage(page: HostedPage): Html {
  const { language, locale, merchant, order, orderToken } = page;
  return html`<!doctype html>
    <html
      lang="${language.locale}"
      dir="${language.dir}"
      data-origins="${merchant.origins.join(' ')}"
      data-navigates="${String(merchant.sdk.navigates ?? false)}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${textOf(language, 'payTitle', { merchant: merchant.name, order })}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/v1/assets/page.css" />
        <script src="/v1/assets/hosted.js" defer></script>
        <script src="/v1/pay-checkout.js" defer></script>
      </head>
      <body class="hosted">
        <main>
          <h1>${merchant.name}</h1>
          <p>${textOf(language, 'order', { order })}</p>
          ${backLink(language, shopOf(merchant))}
          <pay-checkout
            merchant="${merchant.id}"
            order="${order}"
            order-token="${orderToken}"
            locale="${locale}"
            mode="inline"
            autostart
          ></pay-checkout>
          <p id="leave" hidden><a class="action" href="#">${textOf(language, 'toShop')}</a></p>
          <noscript>
            <p>${textOf(language, 'noScript', { order })}</p>
          </noscript>
        </main>
      </body>
    </html>`;
}
