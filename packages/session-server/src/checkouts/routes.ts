import { type RequestHandler, Router } from 'express';
import type {
  CheckoutConfigReply,
  Environment,
  HintRequest,
  NeedsReply,
  CreateCheckoutReply,
  CreateCheckoutRequest,
  OpeningReply,
  PreviewReply,
} from '../contract.js';
import {
  configQuery,
  hintRequest,
  createCheckoutRequest,
  statusQuery,
} from '../contract-schemas.js';
import { abortedByClose } from '../http/aborted-by-close.js';
import { compress } from '../http/compress.js';
import { refuseOtherOrigins, requirePage } from '../http/cors.js';
import { requestFields, requestIdOf } from '../http/headers.js';
import { addressOf, CreateLimits, Limit, limitByAddress, type RateLimits } from '../http/limits.js';
import { jsonBody, parse } from '../http/parse.js';
import type { Logger } from '../logger.js';
import { shopNameOf } from '../merchants/brand.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { formatMinor } from '../money.js';
import { traceCheckout } from '../tracing/spans.js';
import { logFields } from './change-log.js';
import type { CheckoutService, CreateResult, Preview } from './service.js';
import { type Checkout, isSubmitted } from './state-machine.js';
import type { StatusService } from './status-service.js';

/** What pages of other origins call. */
export const CHECKOUT_PATHS = ['/checkouts', '/checkouts/:id/hints', '/checkout-config'];

/** What a page sends is short. */
const MAX_BODY_BYTES = 16 * 1024;

export interface CheckoutRoutesOptions {
  readonly merchants: Pick<MerchantSource, 'all'>;
  readonly service: CheckoutService;
  readonly status: StatusService;
  readonly environment: Environment;
  readonly publicUrl: string;
  readonly rateLimits: RateLimits;
  readonly logger: Logger;
}

/** What a page asks: a checkout for an order, its status, the SDK description; and its hints. */
export function checkoutRoutes(options: CheckoutRoutesOptions): Router {
  const { merchants, service, status, environment, publicUrl, rateLimits, logger } = options;
  const router = Router();
  const body = jsonBody(MAX_BODY_BYTES);
  const creates = new Limit('address', rateLimits.createPerAddress);
  const previews = new Limit('address', rateLimits.statusPerAddress);
  const limitCreate: RequestHandler = async (request, _response, next) => {
    await creates.count(addressOf(request));
    next();
  };
  const limitStatus = limitByAddress(rateLimits.statusPerAddress);
  const limits = new CreateLimits(rateLimits);
  const previewLimits = new CreateLimits(rateLimits);

  // As text, a request of another site needs no preflight: the element waits for no round trip.
  const checkoutBody = jsonBody(MAX_BODY_BYTES, ['application/json', 'text/plain']);
  const create = [limitCreate, requirePage(merchants, publicUrl), ...checkoutBody];
  router.post('/checkouts', ...create, async (request, response) => {
    const wanted = parse(createCheckoutRequest, request.body) as CreateCheckoutRequest;
    const { order, orderToken } = wanted;
    const merchant = await service.merchant(wanted.merchant);
    refuseOtherOrigins(request.headers.origin, merchant, publicUrl);
    const subject = { merchant: merchant.id, order, hasToken: orderToken !== undefined };
    if (wanted.preview) {
      // Has its own limit, so that previews never use up the limit for paying.
      await creates.takeBack(addressOf(request));
      // Before the token is checked: one that is refused counts too.
      await previews.count(addressOf(request));
      const checkLimits = () => previewLimits.count(subject, request);
      const preview = await service.preview(merchant, wanted, checkLimits);
      response.json(toPreviewReply(preview, merchant, environment));
      return;
    }
    const identified = { ...wanted, requestId: requestIdOf(response) };
    const checkLimits = () => limits.count(subject, request);
    const result = await service.create(merchant, identified, checkLimits);
    if (result.kind === 'opening') {
      const { retryAfterSeconds } = result;
      response.set('retry-after', String(retryAfterSeconds));
      response.status(202).json({ state: 'opening', retryAfterSeconds } satisfies OpeningReply);
    } else {
      if (result.kind === 'opened') traceCheckout(result.checkout);
      if (result.kind === 'opened' && result.isNew) {
        logger.info(
          { ...requestFields(response), ...logFields(result.checkout) },
          'checkout created',
        );
      }
      response.json(toReply(result, environment));
    }
  });

  router.get('/checkouts', limitStatus, compress, async (request, response) => {
    const { id, wait } = parse(statusQuery, request.query);
    const questions = id.map((text) => {
      const [checkout = '', revision = ''] = text.split(':');
      return { checkout, revision: Number(revision) };
    });
    response.json(await status.ask(questions, wait, () => abortedByClose(response)));
  });

  router.get('/checkout-config', limitStatus, compress, async (request, response) => {
    const { merchant: id } = parse(configQuery, request.query);
    const merchant = await service.merchant(id);
    const { origin } = request.headers;
    // A page hands its nonce to the SDK that this names, and markup may name another merchant.
    if (origin !== undefined) refuseOtherOrigins(origin, merchant, publicUrl);
    const reply: CheckoutConfigReply = { merchant: merchant.id, environment, sdk: merchant.sdk };
    response.set('cache-control', 'public, max-age=60').json(reply);
  });

  router.post('/checkouts/:id/hints', limitStatus, ...body, async (request, response) => {
    const hint = parse(hintRequest, request.body) as HintRequest;
    const checkout = await service.takeHint(String(request.params['id']), hint);
    const { kind } = hint;
    traceCheckout(checkout);
    logger.info({ ...requestFields(response), kind, ...logFields(checkout) }, 'hint received');
    response.json({ state: checkout.state });
  });

  return router;
}

function toPreviewReply(
  { amountMinor, checkout, lineItems }: Preview,
  merchant: Merchant,
  environment: Environment,
): PreviewReply {
  const { currency, decimals } = checkout ?? merchant;
  const amount = formatMinor(amountMinor, decimals);
  return {
    ...{ shop: shopNameOf(merchant), amount, currency, environment },
    ...(checkout && toKnown(checkout)),
    ...(lineItems && { lineItems }),
  };
}

/** What a reply says of a checkout. */
function toKnown(checkout: Checkout) {
  return {
    checkout: checkout.id,
    state: checkout.state,
    revision: checkout.revision,
    refund: checkout.refund,
    ...(isSubmitted(checkout) && { submitted: true as const }),
  };
}

function toReply(
  result: Exclude<CreateResult, { kind: 'opening' }>,
  environment: Environment,
): CreateCheckoutReply | NeedsReply {
  const { merchant } = result;
  if (result.kind === 'needs-avs') {
    const amount = formatMinor(result.amountMinor, merchant.decimals);
    const { currency, avsFields: fields } = merchant;
    const lines = result.lineItems && { lineItems: result.lineItems };
    return { needs: ['avs'], fields, amount, currency, environment, ...lines };
  }
  const { checkout, sessionId, lineItems } = result;
  const amount = formatMinor(checkout.amountMinor, checkout.decimals);
  return {
    ...toKnown(checkout),
    ...(sessionId === undefined ? {} : { sessionId, sdk: merchant.sdk }),
    amount,
    currency: checkout.currency,
    environment,
    ...(checkout.requestId !== undefined && { requestId: checkout.requestId }),
    ...(lineItems && { lineItems }),
  };
}
