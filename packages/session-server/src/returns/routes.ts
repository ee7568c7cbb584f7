import { type Request, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import { type StoredToken, toStoredToken } from '../checkouts/attempt-ids.js';
import { findToken } from '../checkouts/attempt-repository.js';
import { logFields } from '../checkouts/change-log.js';
import type { ChangeFeed } from '../checkouts/change-feed.js';
import { findCheckout } from '../checkouts/repository.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Clock } from '../clock.js';
import type { ReturnKind } from '../contract.js';
import { AppError, checkoutNotFound } from '../errors.js';
import { logRefusal } from '../http/errors.js';
import { requestFields } from '../http/headers.js';
import { traceCheckout } from '../tracing/spans.js';
import { addressOf, Limit, type RateLimits } from '../http/limits.js';
import { sendNotice, sendPage } from '../http/page.js';
import { type Language, languageFor } from '../languages.js';
import type { Logger } from '../logger.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { checkOrderToken } from '../orders/order-token.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import type { StepContext } from '../checkouts/checkout-transactions.js';
import type { Database } from '../store/database.js';
import { merchantPage, makeReturnPage, returnTitle, shopperPage } from './page.js';
import { recordReturn } from './record-return.js';

/** Visits of one return address a minute that are stored, after its first one. */
const MAX_VISITS_PER_MINUTE = 10;
/** Return addresses whose checkout is remembered. */
const MAX_REMEMBERED = 5_000;
/** Headers in which browsers say that a page is only loaded ahead, oldest names last. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

export interface ReturnRoutesOptions {
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: MerchantSource;
  readonly reconciliation: ReconciliationService;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly rateLimits: Pick<RateLimits, 'pagesPerAddress'>;
  readonly logger: Logger;
}

/** Where `RedirectUrl`, `CancelUrl` and `backurl` (spec 4.6) lead: a hint each, never proof. */
export function returnRoutes(options: ReturnRoutesOptions): Router {
  const { database, context, merchants, reconciliation, changes, clock, publicUrl } = options;
  const { logger, rateLimits } = options;
  const router = Router();
  const visits = new ReturnVisits(database, context);
  const unknown = new Limit('address', rateLimits.pagesPerAddress);

  const comeBack = async (request: Request<{ token: string }>, response: Response) => {
    if (request.method === 'HEAD' || isPrefetch(request)) {
      response.status(204).set('cache-control', 'no-store').end();
      return;
    }
    const language = languageFor(request, response);
    const visit = await visits.take(toStoredToken(request.params.token));
    const merchant = visit && (await merchants.find(visit.checkout.merchant));
    if (!visit) {
      const isFrequent = !(await unknown.allows(addressOf(request)));
      const [status, code] = isFrequent ? [429, 'too_many_requests'] : [404, 'not_found'];
      const detail = 'no such return address';
      logRefusal(logger, request, response, { status, code, detail });
      if (isFrequent) response.setHeader('retry-after', '60');
      response.status(status);
      sendNotice(response, { language, title: 'notFoundTitle', text: 'notFound' });
      return;
    }
    const { kind, checkout } = visit;
    if (visit.hasMoved) changes.notify(checkout.id);
    if (visit.isRecorded) {
      traceCheckout(checkout);
      logger.info({ ...requestFields(response), kind, ...logFields(checkout) }, 'hint received');
      reconciliation.wake();
    }
    if (!merchant) {
      sendWithoutShop(response, language, checkout, kind);
      return;
    }
    const page = makeReturnPage({ language, checkout, kind, merchant, publicUrl });
    sendPage(response, { framedBy: merchant.origins }, page);
  };
  router.get('/return/:token', comeBack);
  router.post('/return/:token', comeBack);

  // Only unknown ids have a limit: it leads shoppers home after they paid.
  router.get('/checkouts/:id/leave', async (request, response) => {
    const checkout = await findCheckout(database, request.params.id);
    const merchant = checkout && (await merchants.find(checkout.merchant));
    if (!checkout) {
      await unknown.count(addressOf(request));
      throw checkoutNotFound();
    }
    response.set('referrer-policy', 'no-referrer').set('cache-control', 'no-store');
    const { kind, orderToken } = request.query;
    if (!merchant) {
      sendWithoutShop(response, languageFor(request, response), checkout, parseKind(kind));
      return;
    }
    const isShopper = isOrderToken(orderToken, merchant, checkout, clock.now());
    const page = isShopper ? shopperPage : merchantPage;
    response.redirect(303, page(merchant, checkout, parseKind(kind)));
  });

  return router;
}

/** The merchant is no longer in the file, so its pages are not known; its shoppers may still return. */
function sendWithoutShop(
  response: Response,
  language: Language,
  checkout: Checkout,
  kind: ReturnKind,
): void {
  const title = returnTitle(kind, checkout);
  const { order } = checkout;
  sendNotice(response, { language, title, text: 'noShop', values: { order } });
}

/** Whether a browser only loads the page ahead: the shopper has not been there. */
function isPrefetch(request: Request<{ token: string }>): boolean {
  return PURPOSE_HEADERS.some((name) =>
    /prefetch|prerender|preview/i.test(String(request.headers[name] ?? '')),
  );
}

/** Whether the shop made this token for the order, however long ago: paying takes its time. */
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

interface ReturnVisit {
  readonly kind: ReturnKind;
  readonly checkout: Checkout;
  /** Whether it was stored; only then is it a hint. */
  readonly isRecorded: boolean;
  readonly hasMoved: boolean;
}

/**
 * Visits of return addresses. Repeated visits are not all stored, and lead to the same page. There
 * is no limit by the visitor's address: the first visit has to count everyone behind that address, and
 * a shopper who has paid never sees an error.
 */
class ReturnVisits {
  readonly #database: Database;
  readonly #context: StepContext;
  readonly #limit = new Limit('return address', MAX_VISITS_PER_MINUTE);
  readonly #known = new LRUCache<string, { readonly kind: ReturnKind; readonly checkout: string }>({
    max: MAX_REMEMBERED,
  });

  constructor(database: Database, context: StepContext) {
    this.#database = database;
    this.#context = context;
  }

  /** Undefined when the token belongs to no return address. */
  async take(token: StoredToken): Promise<ReturnVisit | undefined> {
    const repeated = await this.#repeat(token);
    if (repeated) return repeated;
    // What is unknown costs one row that is read, and waits for no one's writes.
    return (await findToken(this.#database, token)) && (await this.#record(token));
  }

  async #repeat({ hash }: StoredToken): Promise<ReturnVisit | undefined> {
    const known = this.#known.get(hash);
    if (!known || (await this.#limit.allows(hash))) return undefined;
    const checkout = await findCheckout(this.#database, known.checkout);
    return checkout && { kind: known.kind, checkout, isRecorded: false, hasMoved: false };
  }

  async #record(token: StoredToken): Promise<ReturnVisit | undefined> {
    const visit = await this.#database.transaction('return:record', (tx) =>
      recordReturn(tx, token, this.#context),
    );
    if (!visit) return undefined;
    const { kind, change } = visit;
    this.#known.set(token.hash, { kind, checkout: change.after.id });
    const hasMoved = change.after !== change.before;
    return { kind, checkout: change.after, isRecorded: true, hasMoved };
  }
}
