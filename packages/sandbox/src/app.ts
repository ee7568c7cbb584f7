import express, { type ErrorRequestHandler, type Express } from 'express';
import { ApiError, writeApiError } from './api/api-error.js';
import { toApiError } from './api/json-body.js';
import type { SandboxContext } from './context.js';
import { controlRoutes } from './control/control-routes.js';
import type { SandboxControl } from './control/sandbox-control.js';
import { homeRoutes } from './pages/home-routes.js';
import { pageRoutes } from './pages/page-routes.js';
import { checkoutSessionRoutes } from './resources/checkout-sessions.js';
import { transactionRoutes } from './resources/transactions.js';
import { sdkRoutes } from './sdk/sdk-routes.js';

/** Puts the routes of one sandbox together. It never listens. */
export function createApp(context: SandboxContext, control: SandboxControl): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.set('x-pay-sandbox', '1');
    response.set('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.use('/sdk', sdkRoutes());
  app.use('/pages', pageRoutes(context));
  app.use('/_sandbox', controlRoutes(control));
  app.use(homeRoutes(context, control));
  app.use(checkoutSessionRoutes(context), transactionRoutes(context));
  app.use(() => {
    throw new ApiError(404, 'The sandbox has nothing at this address.');
  });
  app.use(handleError);
  return app;
}

const handleError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error);
  const refusal = toApiError(error);
  if (refusal === undefined) console.error(error);
  writeApiError(response, refusal ?? new ApiError(500, 'The sandbox itself failed.'));
};
