import { setTimeout } from 'node:timers/promises';
import { Router } from 'express';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import { logRefusal } from '../http/errors.js';
import { type Html, html } from '../http/html.js';
import { type Page, renderBackLink, renderLogo, sendNotice, sendPage } from '../http/page.js';
import { addressOf, Limit, type RateLimits } from '../http/limits.js';
import { type Language, languageFor, localeOf, textOf } from '../languages.js';
import type { Logger } from '../logger.js';
import { shopNameOf } from '../merchants/brand.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { formatMinor } from '../money.js';
import { checkOrderToken, splitOrderToken } from '../orders/order-token.js';
import { findOrder } from '../orders/repository.js';
import { sdkSources } from '../security/csp.js';
import type { Reader } from '../store/database.js';
import { sendAsset, YEAR } from './assets.js';

export interface HostedRoutesOptions {
  readonly merchants: MerchantSource;
  readonly database: Reader;
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  /** Address that browsers report violations of the page's policy to. */
  readonly cspReportTo: string | undefined;
  readonly logger: Logger;
}

/** The hosted payment page: for redirects, pay-by-link, and pages where our script cannot run. */
export function hostedRoutes({
  merchants,
  database,
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
    if (!(await limit.allows(addressOf(request)))) {
      response.setHeader('retry-after', '60');
      const detail = 'too many visits from one address';
      logRefusal(logger, request, response, { status: 429, code: 'too_many_requests', detail });
      response.status(429);
      sendNotice(response, { language, title: 'busyTitle', text: 'busy', merchant });
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
      const detail = 'unknown merchant, or a token that is not authentic';
      logRefusal(logger, request, response, { status: 404, code: 'order_not_found', detail });
      response.status(404);
      sendNotice(response, { language, title: 'invalidTitle', text: 'invalid', merchant });
      return;
    }
    if (check === 'expired') {
      const detail = 'the order token has expired';
      logRefusal(logger, request, response, { status: 410, code: 'order_token_expired', detail });
      response.status(410);
      const notice = { language, title: 'expiredTitle', text: 'expired', merchant } as const;
      sendNotice(response, notice, merchant.origins);
      return;
    }
    const wanted = localeOf(request);
    const locale = wanted?.startsWith(language.locale) ? wanted : language.locale;
    const policy = {
      reportTo: cspReportTo,
      sdk: sdkSources(merchant.sdk),
      framedBy: merchant.origins,
    };
    const { order } = parts;
    // The page is there without it, also while the store is not.
    const price = await Promise.race([
      findPrice(database, merchant.id, order, locale).catch(() => undefined),
      setTimeout(PRICE_MS, undefined, { ref: false }),
    ]);
    const page = { language, locale, merchant, order, orderToken, price };
    sendPage(response, policy, makeHostedPage(page));
  });

  // Anyone may ask: a logo is no secret. Its address changes with it.
  router.get('/logos/:merchant/:hash', async (request, response) => {
    const logo = (await merchants.find(request.params.merchant))?.logo;
    if (logo?.hash !== request.params.hash) throw new AppError(404, 'not_found', 'No such logo.');
    sendAsset(response, logo, YEAR);
  });
  return router;
}

/** How long a page waits for the price in its preview. */
const PRICE_MS = 500;

/**
 * What the order costs, for the preview of a link; undefined where it cannot be paid. A shop with an order
 * lookup is not asked: programs of chats and mail visit links that no one has pressed.
 */
async function findPrice(
  database: Reader,
  merchant: string,
  order: string,
  locale: string,
): Promise<string | undefined> {
  const stored = await findOrder(database, { merchant, order });
  if (!stored?.put || stored.isVoid || stored.state === 'paid') return undefined;
  const { amountMinor, currency, decimals } = stored.put;
  const amount = formatMinor(amountMinor, decimals) as Intl.StringNumericLiteral;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits }).format(amount);
}

export interface HostedPage {
  readonly language: Language;
  /** The shopper's language and region, for the element. */
  readonly locale: string;
  readonly merchant: Merchant;
  readonly order: string;
  readonly orderToken: string;
  /** As people read it, for the preview of a link. */
  readonly price?: string | undefined;
}

/**
 * A page of ours with the element inside, for shoppers who do not pay on the merchant's page. The
 * page opens nothing at the provider; the element does that when it runs.
 */
export function makeHostedPage(page: HostedPage): Page {
  const { language, locale, merchant, order, orderToken, price } = page;
  const name = shopNameOf(merchant);
  const title = textOf(language, 'payTitle', { merchant: name, order });
  return {
    language,
    title,
    merchant,
    attributes: html`data-origins="${merchant.origins.join(' ')}"
    data-navigates="${String(merchant.sdk.navigates ?? false)}"`,
    head: html`<meta property="og:type" content="website" />
      <meta property="og:site_name" content="${name}" />
      <meta property="og:title" content="${title}" />
      ${price === undefined ? '' : html`<meta property="og:description" content="${price}" />`}
      <script src="/v1/assets/hosted.js" defer></script>
      <script src="/v1/pay-checkout.js" defer></script>
      ${renderPreloads(page)}`,
    body: html`<body class="hosted">
      <main>
        <header class="shop">
          ${renderLogo(merchant)}
          <div>
            <h1><bdi>${name}</bdi></h1>
            <p>${textOf(language, 'order', { order })} ${renderBackLink(language, merchant)}</p>
          </div>
        </header>
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
    </body>`,
  };
}

/**
 * What the element asks for first, so that the browser loads it along with the element's script. Each
 * has to be requested just as the element does, otherwise it is loaded twice.
 */
function renderPreloads({ merchant: { id, sdk }, language, locale }: HostedPage): Html {
  const texts = language.element && `/v1/languages/${locale}`;
  return html`${renderPreload(`/v1/checkout-config?merchant=${encodeURIComponent(id)}`)}
    ${texts === undefined ? '' : renderPreload(texts)}
    <link rel="preload" as="script" href="${sdk.url}" ${renderIntegrity(sdk.integrity)} />`;
}

function renderPreload(path: string): Html {
  return html`<link rel="preload" as="fetch" href="${path}" crossorigin />`;
}

function renderIntegrity(integrity: string | undefined): Html {
  return integrity === undefined ? html`` : html`integrity="${integrity}" crossorigin`;
}
