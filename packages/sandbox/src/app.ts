import express, { type ErrorRequestHandler, type Express } from 'express';
import { ApiError, writeApiError } from './api/api-error.js';
import { toApiError } from './api/json-body.js';
import type { SandboxContext } from './context.js';
import { controlRoutes } from './control/control-routes.js';
import type { SandboxControl } from './control/sandbox-control.js';
import { homeRoutes } from './pages/home-routes.js';
import { pageRoutes } from './pages/page-routes.js';
import { openapiRoutes } from './openapi/openapi-routes.js';
import { sendGatewayPage } from './pages/gateway-page.js';
import { analyticsRoutes } from './resources/analytics.js';
import { checkoutSessionRoutes } from './resources/checkout-sessions.js';
import { merchantRoutes } from './resources/merchants.js';
import { reportRoutes } from './resources/reports.js';
import { scheduledTransferRoutes } from './resources/scheduled-transfers.js';
import { transactionRoutes } from './resources/transactions.js';
import { webhookRoutes } from './resources/webhooks.js';
import { sdkRoutes } from './sdk/sdk-routes.js';
import type { SandboxSettings } from './settings.js';

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
  app.use(openapiRoutes(context.settings));
  app.use(
    transactionRoutes(context),
    reportRoutes(context),
    merchantRoutes(context),
    scheduledTransferRoutes(context),
    analyticsRoutes(context),
    checkoutSessionRoutes(context),
    webhookRoutes(context),
  );
  app.use((request, response) => {
    // What stands before the interfaces with a base address of their own knows no JSON.
    if (isOutsideItsBase(request.path, context.settings)) return sendGatewayPage(response, 404);
    throw new ApiError(404, 'The sandbox has nothing at this address.');
  });
  app.use(handleError);
  return app;
}

/** A path that lost its prefix, doubled it, or has two slashes in a row. */
function isOutsideItsBase(
  path: string,
  { merchantsPrefix, transfersPrefix }: SandboxSettings,
): boolean {
  const bases = [merchantsPrefix, transfersPrefix].filter((prefix) => prefix !== '');
  return ['/api', '//', ...bases].some((start) => path.startsWith(start));
}

const handleError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error);
  const refusal = toApiError(error);
  if (refusal === undefined) console.error(error);
  writeApiError(response, refusal ?? new ApiError(500, 'The sandbox itself failed.'));
};
