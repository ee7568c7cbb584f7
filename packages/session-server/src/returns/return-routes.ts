import { type Request, type Response, Router } from 'express';
import { toStoredToken } from '../checkout/attempt-token.js';
import type { ChangeFeed } from '../checkout/change-feed.js';
import type { CheckoutStore } from '../checkout/checkout-store.js';
import type { ReturnKind } from '../contract.js';
import { crashPoint } from '../crash-points.js';
import { AppError, checkoutNotFound } from '../errors.js';
import type { EvidenceService } from '../evidence/evidence-service.js';
import { setPageHeaders } from '../http/page-headers.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { merchantPage } from './merchant-page.js';
import { renderNotice, renderReturnPage } from './return-page.js';

export interface ReturnRoutesOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly evidence: EvidenceService;
  readonly changes: ChangeFeed;
  readonly publicUrl: string;
}

/** In which browsers say that nobody has asked for the page yet, oldest names last. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Where `RedirectUrl`, `CancelUrl` and `backurl` (spec 4.6) lead: a hint each, never proof. */
export function returnRoutes(options: ReturnRoutesOptions): Router {
  const { store, merchants, evidence, changes, publicUrl } = options;
  const router = Router();

  const comeBack = async (request: Request<{ token: string }>, response: Response) => {
    if (request.method === 'HEAD' || isPrefetch(request)) {
      response.status(204).setHeader('cache-control', 'no-store');
      response.end();
      return;
    }
    const visit = await store.recordReturn(toStoredToken(request.params.token));
    crashPoint('return:recorded');
    const merchant = visit && (await merchants.find(visit.attempt.merchant));
    if (!visit || !merchant) {
      setPageHeaders(response, { framedBy: [] });
      const text = 'Go back to the shop and open your order there to see whether it is paid.';
      response.status(404).send(renderNotice('This address is not known', text).text);
      return;
    }
    const { kind, change } = visit;
    if (change.after !== change.before) changes.notify(change.after.id);
    evidence.hint(change.after);
    setPageHeaders(response, { framedBy: merchant.origins });
    const page = renderReturnPage({
      checkout: change.after.id,
      kind,
      order: change.after.order,
      origins: [...merchant.origins, publicUrl],
      onward: merchantPage(merchant, change.after, kind),
    });
    crashPoint('return:before-answer');
    response.send(page.text);
  };
  router.get('/return/:token', comeBack);
  router.post('/return/:token', comeBack);

  router.get('/checkouts/:id/leave', async (request, response) => {
    const checkout = await store.find(request.params.id);
    const merchant = checkout && (await merchants.find(checkout.merchant));
    if (!merchant) throw checkoutNotFound();
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cache-control', 'no-store');
    response.redirect(303, merchantPage(merchant, checkout, parseKind(request.query['kind'])));
  });

  return router;
}

/** A browser that only guesses where the shopper may go next has not been there. */
function isPrefetch(request: Request<{ token: string }>): boolean {
  return PURPOSE_HEADERS.some((name) =>
    /prefetch|prerender|preview/i.test(String(request.headers[name] ?? '')),
  );
}

function parseKind(kind: unknown): ReturnKind {
  if (kind === 'return' || kind === 'cancel' || kind === 'back') return kind;
  throw new AppError(400, 'invalid_request', 'kind: expected "return", "cancel" or "back".');
}
