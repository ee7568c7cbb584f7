import { json, type RequestHandler, type Response, Router } from 'express';
import type { CheckoutConfigReply, Environment, HintRequest } from '../contract.js';
import { configQuery, hintRequest, statusQuery } from '../contract-schemas.js';
import { crashPoint } from '../crash-points.js';
import { parse } from '../http/parse.js';
import type { RateLimiters } from '../http/rate-limits.js';
import { sendJson } from '../http/send-json.js';
import { MAX_BODY_BYTES } from './create-route.js';
import type { CheckoutService } from './service.js';
import type { StatusService } from './status-service.js';

export interface CheckoutRoutesOptions {
  readonly service: CheckoutService;
  readonly status: StatusService;
  readonly environment: Environment;
  readonly limiters: Pick<RateLimiters, 'questions'>;
  /** What each answer to a page needs before anything else: headers, and leave for its origin. */
  readonly guards: readonly RequestHandler[];
}

/** What a page may ask beside opening a checkout: config, status, hints. */
export function checkoutRoutes(options: CheckoutRoutesOptions): Router {
  const { service, status, environment, limiters, guards } = options;
  const router = Router();
  const body = json({ limit: MAX_BODY_BYTES, type: 'application/json' });

  // The one that is asked most comes first: each route before it would cost every poll its share.
  router.get('/checkouts', ...guards, limiters.questions, async (request, response) => {
    const { id, wait } = parse(statusQuery, request.query);
    const questions = id.map((text) => {
      const [checkout = '', revision = ''] = text.split(':');
      return { checkout, revision: Number(revision) };
    });
    sendJson(response, await status.ask(questions, wait, () => abortedByClose(response)));
  });

  router.get('/checkout-config', ...guards, limiters.questions, async (request, response) => {
    const { merchant: id } = parse(configQuery, request.query);
    const merchant = await service.merchant(id);
    const reply: CheckoutConfigReply = { merchant: merchant.id, environment, sdk: merchant.sdk };
    response.setHeader('cache-control', 'public, max-age=60');
    sendJson(response, reply);
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
