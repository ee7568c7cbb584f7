import express, { type Express } from 'express';
import helmet from 'helmet';
import { errorHandler, notFoundHandler } from '../http/errors.js';
import { requestId } from '../http/headers.js';
import type { Logger } from '../logger.js';
import { observeRequests } from '../metrics/observe-requests.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import { BacklogGauges } from './backlog.js';
import { guardOperator, type OperatorAccess } from './operator-guard.js';
import { operatorRoutes } from './operator-routes.js';
import type { OperatorService } from './operator-service.js';

export interface OperatorAppOptions {
  readonly access: OperatorAccess;
  readonly metrics: ServerMetrics;
  readonly service: OperatorService;
  readonly logger: Logger;
}

/** `/metrics` and the operator's routes, for a listener of their own. It never listens itself. */
export function createOperatorApp(options: OperatorAppOptions): Express {
  const { access, metrics, service, logger } = options;
  const gauges = new BacklogGauges(metrics.registry);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use(observeRequests(metrics));
  app.use(requestId);
  app.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
    }),
  );
  app.use((_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  app.use(guardOperator(access));
  app.get('/metrics', async (_request, response) => {
    gauges.set(await service.backlog());
    const text = await metrics.registry.metrics();
    response.setHeader('content-type', metrics.registry.contentType);
    response.end(text);
  });
  app.use('/operator', operatorRoutes(service));
  app.use(notFoundHandler);
  app.use(errorHandler(logger));
  return app;
}
