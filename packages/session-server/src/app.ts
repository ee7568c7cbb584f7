import express, { type Express, Router } from 'express';
import type { ChangeFeed } from './checkouts/change-feed.js';
import { CHECKOUT_PATHS, checkoutRoutes } from './checkouts/routes.js';
import type { CheckoutService } from './checkouts/service.js';
import type { StepContext } from './checkouts/checkout-transactions.js';
import type { StatusService } from './checkouts/status-service.js';
import type { Clock } from './clock.js';
import type { Environment } from './contract.js';
import { assetRoutes, domainRoutes } from './hosted/assets.js';
import { hostedRoutes } from './hosted/routes.js';
import type { OnStep } from './crash-points.js';
import { reportAnswers } from './http/report-answers.js';
import { compress } from './http/compress.js';
import { allowPages } from './http/cors.js';
import { errorPages } from './http/error-pages.js';
import { errorHandler, notFoundHandler } from './http/errors.js';
import {
  dataHeaders,
  errorHeaders,
  requestId,
  requireOneHost,
  shortenNegotiation,
} from './http/headers.js';
import { AppError } from './errors.js';
import { healthRoutes } from './http/health.js';
import { limitByAddress, type RateLimits, warnOfHiddenProxy } from './http/limits.js';
import { describeApi } from './http/openapi.js';
import type { Logger } from './logger.js';
import type { MerchantSource } from './merchants/merchant-source.js';
import { observeRequests } from './http/observe-requests.js';
import { requireMount } from './http/require-mount.js';
import { traceRequests } from './http/trace-requests.js';
import type { Observer } from './observer.js';
import { merchantRoutes } from './merchant-api/routes.js';
import type { ReconciliationService } from './reconciliation/service.js';
import { returnRoutes } from './returns/routes.js';
import { readQueueAges } from './metrics/backlog.js';
import { type Database, ping } from './store/database.js';
import { hasTables } from './store/migrations.js';
import type { DataEncryption } from './encryption.js';
import { type WebhookRouteLimits, webhookRoutes } from './webhooks/routes.js';

export interface AppServices {
  readonly merchants: MerchantSource;
  readonly database: Database;
  readonly context: StepContext;
  readonly checkouts: CheckoutService;
  readonly status: StatusService;
  readonly reconciliation: ReconciliationService;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly environment: Environment;
  readonly encryption: DataEncryption;
  readonly webhooks: WebhookRouteLimits;
  /** Called when a webhook of the provider was stored. */
  readonly onWebhook: () => void;
  readonly publicUrl: string;
  readonly cspReportTo: string | undefined;
  readonly webhookBaseUrl: string;
  readonly widgetScript: string;
  readonly earlierWidgetScripts: readonly string[];
  readonly applePayFile: string | undefined;
  readonly rateLimits: RateLimits;
  readonly onStep: OnStep | undefined;
}

/** Where shoppers come back; as a pattern, it also knows an address that cannot be decoded. */
const RETURN_PATHS = /^\/(?:return|checkouts\/[^/]+\/leave)(?=\/|$)/i;
const NOT_FOUND = { title: 'notFoundTitle', text: 'notFound' } as const;
const INVALID_LINK = { title: 'invalidTitle', text: 'invalid' } as const;

/** Everything that the server answers, to mount at the root of an app, which keeps all other addresses. */
export function createRouter(services: AppServices): Router {
  const { merchants, database, checkouts: service, clock } = services;
  const { logger, publicUrl, widgetScript } = services;
  const { webhooks: limits, onWebhook: onStored } = services;
  const observe = observeRequests(services.observer);
  const first = [requireOneHost, shortenNegotiation, observe, requestId, warnOfHiddenProxy(logger)];

  // Express tries one path after the other: those that are asked most come first.
  const v1 = Router();
  v1.use(first, requireMount, traceRequests);
  v1.all(CHECKOUT_PATHS, dataHeaders, allowPages(merchants, publicUrl));
  v1.use(checkoutRoutes({ ...services, service }));
  v1.all('/webhooks/:token', dataHeaders);
  v1.use(webhookRoutes({ ...services, limits, onStored }));
  v1.use('/merchant', dataHeaders);
  v1.use(merchantRoutes(services));
  // Pages and their files set headers of their own.
  v1.use(returnRoutes(services));
  v1.use(hostedRoutes(services));
  v1.use(assetRoutes(widgetScript, services.earlierWidgetScripts));
  v1.use(notFoundHandler);
  v1.use(RETURN_PATHS, errorPages(logger, { failed: 'checking', refused: NOT_FOUND }));
  v1.use('/pay', errorPages(logger, { failed: 'unavailableTitle', refused: INVALID_LINK }));

  const router = Router();
  if (services.onStep) router.use(reportAnswers(services.onStep));
  router.use('/v1', v1);
  router.all(['/healthz', '/readyz', '/openapi.json'], first, dataHeaders);
  router.use(
    healthRoutes({
      ping: () => ping(database),
      hasTables: () => hasTables(database),
      readQueueAges: () => readQueueAges(database, clock.now()),
    }),
  );
  const limitPages = limitByAddress(services.rateLimits.pagesPerAddress);
  router.get('/openapi.json', limitPages, compress, (_request, response) => {
    response.json(describeApi(publicUrl));
  });
  router.use(domainRoutes(services.applePayFile));
  router.use(errorHeaders, errorHandler(logger));
  return router;
}

/** The router as an app of its own, which never listens. */
export function createApp(
  router: Router,
  options: {
    readonly trustProxy: number | readonly string[];
    readonly logger: Logger;
    /** Whether proxies should send requests to another server. */
    readonly isStopping: () => boolean;
  },
): Express {
  const { trustProxy, logger, isStopping } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', typeof trustProxy === 'number' ? trustProxy : [...trustProxy]);
  app.get('/readyz', requestId, dataHeaders, (_request, _response, next) => {
    if (isStopping()) throw new AppError(503, 'not_ready', 'The server is stopping.');
    next();
  });
  app.use(router);
  app.use(requestId, dataHeaders, notFoundHandler, errorHandler(logger));
  return app;
}
