import { type Request, type Response, Router } from 'express';
import { toStoredToken } from '../checkouts/attempt-token.js';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { CheckoutStore } from '../checkouts/repository.js';
import type { Clock } from '../clock.js';
import type { ReturnKind } from '../contract.js';
import { crashPoint } from '../crash-points.js';
import { AppError, checkoutNotFound } from '../errors.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { setPageHeaders } from '../http/page-headers.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { checkOrderToken } from '../orders/order-token.js';
import { merchantPage, shopperPage } from './merchant-page.js';
import { renderNotice, renderReturnPage } from './return-page.js';
import { ReturnVisits } from './return-visits.js';

export interface ReturnRoutesOptions {
  readonly store: CheckoutStore;
  readonly merchants: MerchantSource;
  readonly evidence: ReconciliationService;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly publicUrl: string;
}

/** In which browsers say that nobody has asked for the page yet, oldest names last. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Where `RedirectUrl`, `CancelUrl` and `backurl` (spec 4.6) lead: a hint each, never proof. */
export function returnRoutes(options: ReturnRoutesOptions): Router {
  const { store, merchants, evidence, changes, clock, publicUrl } = options;
  const router = Router();
  const visits = new ReturnVisits(store);

  const comeBack = async (request: Request<{ token: string }>, response: Response) => {
    if (request.method === 'HEAD' || isPrefetch(request)) {
      response.status(204).setHeader('cache-control', 'no-store');
      response.end();
      return;
    }
    const visit = await visits.take(toStoredToken(request.params.token));
    const merchant = visit && (await merchants.find(visit.checkout.merchant));
    if (!visit || !merchant) {
      setPageHeaders(response, { framedBy: [] });
      const text = 'Go back to the shop and open your order there to see whether it is paid.';
      response.status(404).send(renderNotice('This address is not known', text).text);
      return;
    }
    const { kind, checkout } = visit;
    if (visit.hasMoved) changes.notify(checkout.id);
    if (visit.isRecorded) evidence.hint(checkout);
    setPageHeaders(response, { framedBy: merchant.origins });
    const page = renderReturnPage({
      checkout: checkout.id,
      kind,
      order: checkout.order,
      origins: [...merchant.origins, publicUrl],
      onward: shopperPage(merchant, checkout, kind),
    });
    crashPoint('return:before-answer');
    response.send(page.text);
  };
  router.get('/return/:token', comeBack);
  router.post('/return/:token', comeBack);

  // No limit stands before it: it leads home whoever has paid, and costs no more than a refusal.
  router.get('/checkouts/:id/leave', async (request, response) => {
    const checkout = await store.find(request.params.id);
    const merchant = checkout && (await merchants.find(checkout.merchant));
    if (!merchant) throw checkoutNotFound();
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cache-control', 'no-store');
    const { kind, orderToken } = request.query;
    const isShopper = isOrderToken(orderToken, merchant, checkout, clock.now());
    const page = isShopper ? shopperPage : merchantPage;
    response.redirect(303, page(merchant, checkout, parseKind(kind)));
  });

  return router;
}

/** A browser that only guesses where the shopper may go next has not been there. */
function isPrefetch(request: Request<{ token: string }>): boolean {
  return PURPOSE_HEADERS.some((name) =>
    /prefetch|prerender|preview/i.test(String(request.headers[name] ?? '')),
  );
}

/** Whether the shop made it for this order, however long ago: paying takes its time. */
function isOrderToken(
  given: unknown,
  merchant: Merchant,
  { order }: Checkout,
  nowMs: number,
): boolean {
  if (typeof given !== 'string') return false;
  const expected = { merchant: merchant.id, order };
  return checkOrderToken(given, expected, merchant.orderTokenSecret, nowMs) !== 'forged';
}

function parseKind(kind: unknown): ReturnKind {
  if (kind === 'return' || kind === 'cancel' || kind === 'back') return kind;
  throw new AppError(400, 'invalid_request', 'kind: expected "return", "cancel" or "back".');
}
