import { isIP } from 'node:net';
import type { Secret } from '@pay-checkout/partner-api';
import express, { type Express, json, type Request, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { z } from 'zod';
import type { Clock } from '../clock.js';
import type { Environment } from '../contract.js';
import { AppError } from '../errors.js';
import { abortedByClose } from '../http/aborted-by-close.js';
import { errorHandler, notFoundHandler } from '../http/errors.js';
import { compress } from '../http/compress.js';
import { requestId, shortenNegotiation } from '../http/headers.js';
import { KeyAttempts, warnOfHiddenProxy } from '../http/limits.js';
import { parse, readBearerKey, word } from '../http/parse.js';
import { traceRequests } from '../http/trace-requests.js';
import type { Logger } from '../logger.js';
import { observeRequests } from '../http/observe-requests.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import type { Database } from '../store/database.js';
import type { RedeliverFilter } from '../outbox/repository.js';
import { orderKey } from './page-data-routes.js';
import { pageRoutes } from './page-routes.js';
import { fingerprintOf, isSame } from './page-session.js';
import { FigureGauges, type List, type OperatorService } from './service.js';

export interface OperatorAppOptions {
  readonly database: Database;
  readonly access: OperatorAccess;
  readonly metrics: ServerMetrics;
  readonly service: OperatorService;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly environment: Environment;
  /** As for the listener of the shoppers: the addresses of people, whose guesses are counted, come from proxies. */
  readonly trustProxy: number | string[];
  /** What the page reads and does, at `/page`. */
  readonly pageRoutes?: readonly Router[];
  /** For the page and for programs. */
  readonly report: Router;
}

/** `/metrics` and the operator's routes, for a listener of their own. It never listens itself. */
export function createOperatorApp(options: OperatorAppOptions): Express {
  const { access, metrics, service, logger, report, trustProxy } = options;
  const gauges = new FigureGauges(metrics.registry);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', trustProxy);
  app.use(observeRequests(metrics));
  app.use(requestId);
  app.use(warnOfHiddenProxy(logger));
  // Not what Prometheus reads every few seconds.
  app.use(['/operator', '/page'], traceRequests);
  app.use(
    helmet({
      // Of the proxy that speaks TLS, as for the pages of shoppers.
      strictTransportSecurity: false,
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
    }),
  );
  app.use((_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  app.use(requireOurHost(access));
  // Page, metrics and figures: keys and sessions are in no answer's body.
  app.use(shortenNegotiation, compress);
  app.use(
    pageRoutes({
      ...options,
      keys: access.keys,
      consoleUrl: access.consoleUrl,
      routes: [...(options.pageRoutes ?? []), report],
    }),
  );
  app.use(guardPrograms(access));
  app.get('/metrics', async (_request, response) => {
    gauges.set(await service.figures());
    const text = await metrics.registry.metrics();
    response.setHeader('content-type', metrics.registry.contentType);
    response.end(text);
  });
  app.use('/operator', operatorRoutes(service), report);
  app.use(notFoundHandler);
  app.use(errorHandler(logger));
  return app;
}

/** Wrong Bearer keys of one address in a minute: a scrape with an old key is no guess. */
const WRONG_KEYS = 20;
/** A century. */
const MAX_DAYS = 36_500;

/** Who may ask the operator's listener, beyond who can reach it. */
export interface OperatorAccess {
  /** One of them is wanted as `Authorization: Bearer` with every request; with none, nothing is. */
  readonly keys: () => readonly Secret[];
  /** Host names that it may be called by, apart from addresses and `localhost`. */
  readonly names: readonly string[];
  /** A partner console, to link to. */
  readonly consoleUrl?: string | undefined;
}

/** A web page could otherwise reach the listener under a name of its own that it lets lead here (DNS rebinding). */
function requireOurHost({ names }: OperatorAccess): RequestHandler {
  return (request, _response, next) => {
    if (!isOurs(request.headers.host ?? '', names)) {
      throw new AppError(
        421,
        'operator_host_refused',
        'This host name is not allowed here. Use its address, or add it to PAY_OPERATOR_NAMES.',
      );
    }
    next();
  };
}

/**
 * Lets programs of the operator in, and no web page: one that is open on the same machine could
 * otherwise reach a listener on loopback, by a form or by a script.
 */
function guardPrograms({ keys }: OperatorAccess): RequestHandler {
  const attempts = new KeyAttempts(WRONG_KEYS);
  return async (request, response, next) => {
    if (comesFromPage(request)) {
      throw new AppError(403, 'operator_page_refused', 'Web pages cannot use these routes.');
    }
    const given = readBearerKey(request.headers.authorization);
    const valid = keys();
    const find = () => valid.find((each) => isSame(given ?? '', each.reveal()));
    const key =
      given === undefined || valid.length === 0
        ? undefined
        : await attempts.check(request, given, find);
    if (valid.length > 0 && !key) {
      throw new AppError(401, 'operator_key_refused', 'Send PAY_OPERATOR_KEY as a Bearer key.');
    }
    response.locals['actor'] = key ? fingerprintOf(key) : 'without-key';
    next();
  };
}

/** @throws {AppError} 415 unless the body is JSON: a form of a page cannot send that */
const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') === false) {
    throw new AppError(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  next();
};

/** An address as numbers cannot be made to lead to another host; a name can. */
function isOurs(host: string, names: readonly string[]): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return isIP(name) !== 0 || name === 'localhost' || names.includes(name);
}

/** Browsers say so themselves, and scripts cannot change what they say. */
function comesFromPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}

const limit = z.coerce
  .number('expected a number from 1 to 1000')
  .int()
  .min(1)
  .max(1000)
  .default(100);
const merchant = word.optional();
const listQuery = z.strictObject({ merchant, limit });
const unmatchedQuery = z.strictObject({ limit });
const attentionQuery = z.strictObject({
  merchant,
  limit,
  days: z.coerce
    .number(`expected a number of days above 0, and at most ${String(MAX_DAYS)}`)
    .positive()
    .max(MAX_DAYS)
    .default(14),
});
const eventIds = z
  .array(word.startsWith('msg_', 'expected ids of events, such as "msg_…"'))
  .min(1, 'expected at least one id of an event')
  .max(1000, 'expected at most 1000 ids of events');
/** Strict, so that nothing is redelivered because a field was left out. */
const redeliverBody = z.union(
  [
    z.strictObject({ ids: eventIds }),
    z.strictObject({ merchant: word, retrying: z.boolean().optional() }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: 'expected {"ids": ["msg_…"]}, {"merchant": "…", "retrying"?: true} or {"all": true}' },
);

/** The operator's routes, on a listener of their own: JSON without personal data. */
function operatorRoutes(service: OperatorService): Router {
  const router = Router();

  router.get('/health', async (_request, response) => {
    const health = await service.health();
    response.status(health.status === 'ok' ? 200 : 503).json(health);
  });

  router.get('/orders/:merchant/:order/explain', async (request, response) => {
    const { merchant, order } = parse(orderKey, request.params);
    response.json({
      merchant,
      order,
      lines: await service.explain({ merchant, order }, abortedByClose(response)),
    });
  });

  router.get('/orders/:merchant/:order/timeline', async (request, response) => {
    const { merchant, order } = parse(orderKey, request.params);
    response.json({ merchant, order, lines: await service.timeline(merchant, order) });
  });

  router.get('/events/dead-lettered', async (request, response) => {
    const query = parse(listQuery, request.query);
    response.json(
      withTimes(await service.deadLetteredEvents({ merchant: query.merchant }, query.limit)),
    );
  });

  router.post(
    '/events/redeliver',
    requireJson,
    json({ limit: '64kb' }),
    async (request, response) => {
      const wanted = parse(redeliverBody, request.body);
      const { actor } = response.locals as { readonly actor: string };
      response.json({ redelivered: await service.redeliver(toFilter(wanted), actor) });
    },
  );

  router.get('/webhooks/unmatched', async (request, response) => {
    const query = parse(unmatchedQuery, request.query);
    const unmatched = await service.unmatchedWebhooks(query.limit);
    const items = unmatched.items.map(({ receivedAt, ...webhook }) => ({
      ...webhook,
      receivedAt: new Date(receivedAt).toISOString(),
    }));
    response.json({ ...unmatched, items });
  });

  router.get('/attention', async (request, response) => {
    const query = parse(attentionQuery, request.query);
    const list = await service.attention(query.merchant, query.days, query.limit);
    response.json(withTimes(list));
  });

  return router;
}

function toFilter(wanted: z.infer<typeof redeliverBody>): RedeliverFilter {
  if ('all' in wanted) return {};
  return 'ids' in wanted ? wanted : { merchant: wanted.merchant, waiting: wanted.retrying };
}

function withTimes<T extends { readonly createdAt: number }>(list: List<T>) {
  return {
    ...list,
    items: list.items.map((item) => ({
      ...item,
      createdAt: new Date(item.createdAt).toISOString(),
    })),
  };
}
