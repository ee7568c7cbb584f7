import { Router } from 'express';
import type { Clock } from '../clock.js';
import { setPageHeaders } from '../http/page-headers.js';
import type { RateLimiters } from '../http/rate-limits.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { checkOrderToken, splitOrderToken } from '../orders/order-token.js';
import { renderNotice } from '../returns/return-page.js';
import { sdkSources } from '../security/tag-sources.js';
import { renderHostedPage } from './hosted-page.js';

export interface HostedRoutesOptions {
  readonly merchants: MerchantSource;
  readonly clock: Clock;
  readonly limiters: Pick<RateLimiters, 'pages'>;
}

/** The hosted payment page: for redirects, pay-by-link, and pages where our script cannot run. */
export function hostedRoutes({ merchants, clock, limiters }: HostedRoutesOptions): Router {
  const router = Router();
  router.get('/pay/:merchant/:orderToken', async (request, response) => {
    if (!limiters.pages(request)) {
      setPageHeaders(response, { framedBy: [] });
      response.setHeader('retry-after', '60');
      const text = 'Nothing was paid with this link now. Wait a minute, then load this page again.';
      response.status(429).send(renderNotice('Too many visits', text).text);
      return;
    }
    const { orderToken } = request.params;
    const merchant = await merchants.find(request.params.merchant);
    const parts = splitOrderToken(orderToken);
    const verdict =
      merchant && parts
        ? checkOrderToken(
            orderToken,
            { merchant: merchant.id, order: parts.order },
            merchant.orderTokenSecret,
            clock.now(),
          )
        : 'forged';
    if (!merchant || !parts || verdict === 'forged') {
      setPageHeaders(response, { framedBy: [] });
      const text = 'Go back to the shop and open your order there.';
      response.status(404).send(renderNotice('This payment link is not known', text).text);
      return;
    }
    if (verdict === 'expired') {
      setPageHeaders(response, { framedBy: merchant.origins });
      const text = 'Nothing was paid with it now. Go back to the shop and open your order there.';
      response.status(410).send(renderNotice('This payment link has expired', text).text);
      return;
    }
    const { script, connect, frame } = sdkSources(merchant.sdk);
    setPageHeaders(response, {
      scripts: script,
      frames: frame,
      connects: connect,
      framedBy: merchant.origins,
    });
    response.send(renderHostedPage({ merchant, order: parts.order, orderToken }).text);
  });
  return router;
}
