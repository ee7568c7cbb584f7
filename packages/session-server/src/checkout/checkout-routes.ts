import { json, type RequestHandler, type Response, Router } from 'express';
import type {
  CheckoutConfigReply,
  Environment,
  HintRequest,
  NeedsReply,
  OpenCheckoutReply,
  OpenCheckoutRequest,
  OpeningReply,
} from '../contract.js';
import { configQuery, hintRequest, openCheckoutRequest, statusQuery } from '../contract-schemas.js';
import { crashPoint } from '../crash-points.js';
import { parse } from '../http/parse.js';
import type { RateLimiters } from '../http/rate-limits.js';
import { refuseOtherOrigins } from '../http/security.js';
import { sendJson } from '../http/send-json.js';
import { formatMinor } from '../money.js';
import { amountText } from './amount-text.js';
import type { CheckoutService, OpenResult } from './checkout-service.js';
import type { StatusService } from './status-service.js';

export interface CheckoutRoutesOptions {
  readonly service: CheckoutService;
  readonly status: StatusService;
  readonly environment: Environment;
  readonly publicUrl: string;
  readonly limiters: RateLimiters;
  /** What each answer to a page needs before anything else: headers, and leave for its origin. */
  readonly guards: readonly RequestHandler[];
}

/** What a page may ask: config, open, status, hints. */
export function checkoutRoutes(options: CheckoutRoutesOptions): Router {
  const { service, status, environment, publicUrl, limiters, guards } = options;
  const router = Router();
  const body = json({ limit: '16kb', type: 'application/json' });

  // The one that is asked most comes first: each route before it would cost every poll its share.
  router.get('/checkouts', ...guards, limiters.questions, async (request, response) => {
    const { id, wait } = parse(statusQuery, request.query);
    const questions = id.map((text) => {
      const [checkout = '', revision = ''] = text.split(':');
      return { checkout, revision: Number(revision) };
    });
    sendJson(response, await status.ask(questions, wait, () => abortedByClose(response)));
  });

  router.get('/checkout-config', ...guards, async (request, response) => {
    const { merchant: id } = parse(configQuery, request.query);
    const merchant = await service.merchant(id);
    const reply: CheckoutConfigReply = { merchant: merchant.id, environment, sdk: merchant.sdk };
    response.setHeader('cache-control', 'public, max-age=60');
    sendJson(response, reply);
  });

  router.post('/checkouts', ...guards, limiters.opens, body, async (request, response) => {
    const wanted = parse(openCheckoutRequest, request.body) as OpenCheckoutRequest;
    refuseOtherOrigins(request.headers.origin, await service.merchant(wanted.merchant), publicUrl);
    const result = await service.open(wanted, limiters.admit);
    crashPoint('open:before-answer');
    if (result.kind === 'opening') {
      const reply: OpeningReply = { state: 'opening', retryAfterSeconds: result.retryAfterSeconds };
      response.status(202).setHeader('retry-after', String(result.retryAfterSeconds));
      sendJson(response, reply);
      return;
    }
    sendJson(response, toReply(result, environment, wanted.locale));
  });

  router.post(
    '/checkouts/:id/hints',
    ...guards,
    limiters.questions,
    body,
    async (request, response) => {
      const hint = parse(hintRequest, request.body) as HintRequest;
      const taken = await service.takeHint(String(request.params['id']), hint);
      crashPoint('hint:before-answer');
      sendJson(response, taken);
    },
  );

  // Else the router would answer a preflight by itself, naming methods only.
  router.options(['/checkouts', '/checkout-config', '/checkouts/:id/hints'], ...guards);
  return router;
}

/** Fires when the browser goes before it was answered. */
function abortedByClose(response: Response): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function toReply(
  result: Exclude<OpenResult, { kind: 'opening' }>,
  environment: Environment,
  locale: string | undefined,
): OpenCheckoutReply | NeedsReply {
  const { merchant } = result;
  if (result.kind === 'needs-avs') {
    const amount = formatMinor(result.amountMinor, merchant.decimals);
    const { currency, avsFields: fields } = merchant;
    const price = priceFor(amount, currency, locale);
    return { needs: ['avs'], fields, ...price, environment };
  }
  const { checkout, sessionId } = result;
  const amount = formatMinor(checkout.amountMinor, checkout.decimals);
  return {
    checkout: checkout.id,
    state: checkout.state,
    revision: checkout.revision,
    ...(sessionId === undefined ? {} : { sessionId, sdk: merchant.sdk }),
    ...priceFor(amount, checkout.currency, locale),
    environment,
  };
}

/** An amount for programs and, where its language is known, for people. */
function priceFor(
  amount: string,
  currency: string,
  locale: string | undefined,
): Pick<OpenCheckoutReply, 'amount' | 'currency' | 'amountText'> {
  const written = amountText(amount, currency, locale);
  return { amount, currency, ...(written !== undefined && { amountText: written }) };
}
