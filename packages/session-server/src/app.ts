import type { RequestListener } from 'node:http';
import express, { type Express } from 'express';
import type { ChangeFeed } from './checkouts/change-feed.js';
import { checkoutRoutes } from './checkouts/routes.js';
import type { CheckoutService } from './checkouts/service.js';
import type { CheckoutStore } from './checkouts/repository.js';
import { createCheckoutRoute } from './checkouts/create-route.js';
import type { StatusService } from './checkouts/status-service.js';
import type { Clock } from './clock.js';
import type { Environment } from './contract.js';
import type { ReconciliationService } from './reconciliation/service.js';
import { hostedRoutes } from './hosted/hosted-routes.js';
import { Door } from './http/door.js';
import { errorHandler, notFoundHandler } from './http/error-handler.js';
import { healthRoutes } from './http/health-routes.js';
import { watchForHiddenProxy } from './http/hidden-proxy.js';
import { describeApi } from './http/openapi.js';
import { KeyAttempts } from './http/key-guesses.js';
import { createRateLimiters, type RateLimiters, type RateLimits } from './http/rate-limits.js';
import { requestId } from './http/request-id.js';
import { allowPages, dataHeaders, errorHeaders } from './http/security.js';
import type { Logger } from './logger.js';
import { merchantOrderRoutes } from './orders/merchant-routes.js';
import type { MerchantSource } from './merchants/merchant-source.js';
import { observeRequests } from './metrics/observe-requests.js';
import { type Observer, SILENT_OBSERVER } from './observer.js';
import { assetRoutes } from './hosted/asset-routes.js';
import { returnRoutes } from './returns/return-routes.js';
import type { WebhookEncryption } from './webhooks/encryption.js';
import { type WebhookRouteLimits, webhookRoutes } from './webhooks/routes.js';

export interface AppServices {
  readonly merchants: MerchantSource;
  readonly store: CheckoutStore;
  readonly checkouts: CheckoutService;
  readonly status: StatusService;
  readonly evidence: ReconciliationService;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  /** {@link SILENT_OBSERVER} when there is nobody to tell. */
  readonly observer: Observer;
  readonly environment: Environment;
  readonly encryption: WebhookEncryption;
  readonly webhooks: WebhookRouteLimits;
  /** Called when a webhook of the provider was stored. */
  readonly onWebhook: () => void;
  readonly publicUrl: string;
  readonly webhookBaseUrl: string;
  readonly widgetScript: string;
  readonly earlierWidgetScripts: readonly string[];
  readonly rateLimits: RateLimits;
  /** Proxies between the browser and us: how many, or their addresses. */
  readonly trustProxy: number | readonly string[];
}

/** All that the server answers: openings at its door, the rest by the app. It never listens. */
export function createRequestListener(services: AppServices): RequestListener {
  const door = new Door(services.logger, services.observer);
  const limiters = createRateLimiters(services.rateLimits);
  const takeOpening = createCheckoutRoute({
    ...services,
    door,
    limiters,
    service: services.checkouts,
  });
  const app = createApp(services, limiters);
  const watch = watchForHiddenProxy(services.trustProxy, services.logger);
  return (request, response) => {
    watch(request);
    if (takeOpening(request, response)) return;
    app(request, response);
  };
}

/** The middleware and routes, in order. */
function createApp(services: AppServices, limiters: RateLimiters): Express {
  const { merchants, store, checkouts, status, evidence, changes, clock, logger } = services;
  const { environment, publicUrl, widgetScript, rateLimits, trustProxy, observer } = services;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', typeof trustProxy === 'number' ? trustProxy : [...trustProxy]);
  if (observer !== SILENT_OBSERVER) app.use(observeRequests(observer));
  app.use(requestId);

  // What is asked most comes first: each layer before it would cost every request its share.
  const guards = [dataHeaders, allowPages(merchants, publicUrl)];
  app.use('/v1', checkoutRoutes({ service: checkouts, status, environment, limiters, guards }));

  app.use(
    '/v1',
    webhookRoutes({ ...services, limits: services.webhooks, onStored: services.onWebhook }),
  );

  // Pages and their files set headers of their own.
  app.use('/v1', assetRoutes(widgetScript, services.earlierWidgetScripts));
  app.use('/v1', returnRoutes({ store, merchants, evidence, changes, clock, publicUrl }));
  app.use('/v1', hostedRoutes({ merchants, clock, limiters }));

  app.use(dataHeaders);
  app.use(healthRoutes(store));
  app.get('/openapi.json', (_request, response) => {
    response.json(describeApi(publicUrl));
  });
  const guesses = new KeyAttempts(rateLimits.wrongKeysPerAddress);
  app.use('/v1', merchantOrderRoutes({ merchants, store, guesses }));
  app.use('/v1', allowPages(merchants, publicUrl));

  app.use(notFoundHandler);
  app.use(errorHeaders);
  app.use(errorHandler(logger));
  return app;
}
