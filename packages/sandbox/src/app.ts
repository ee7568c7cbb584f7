import express, { type Express } from 'express';
import type { SandboxContext } from './context.js';
import { controlRoutes } from './control/control-routes.js';
import { requireOwnHost } from './control/guard.js';
import type { SandboxControl } from './control/sandbox-control.js';
import { recordUnknownCall } from './http/accept-call.js';
import { ApiError, handleError, sendGatewayPage } from './http/errors.js';
import { makeOpenapiDocument } from './openapi.js';
import { homeRoutes } from './pages/home-page.js';
import { pageRoutes } from './pages/page-routes.js';
import { analyticsRoutes } from './resources/analytics.js';
import { checkoutSessionRoutes } from './resources/checkout-sessions.js';
import { merchantRoutes } from './resources/merchants.js';
import { reportRoutes } from './resources/reports.js';
import { scheduledTransferRoutes } from './resources/scheduled-transfers.js';
import { transactionRoutes } from './resources/transactions.js';
import { webhookRoutes } from './resources/webhooks.js';
import { sdkRoutes } from './sdk/sdk-routes.js';

/** The routes of one sandbox. It never listens. */
export function createApp(context: SandboxContext, control: SandboxControl): Express {
  const { merchantsPrefix, transfersPrefix } = context.settings;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.set('x-pay-sandbox', '1');
    response.set('Date', new Date(context.clock.now()).toUTCString());
    response.set('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.use('/sdk', sdkRoutes(context));
  app.use('/pages', context.actions.record('page'), pageRoutes(context));
  // The page shows what the control routes do.
  app.use(['/_sandbox', /^\/$/], requireOwnHost(context.settings.publicUrl));
  app.use(homeRoutes());
  app.use('/_sandbox', context.actions.record('control'), controlRoutes(control));
  app.get('/openapi.json', (_request, response) => {
    response.json(makeOpenapiDocument(context.settings));
  });
  app.use(
    transactionRoutes(context),
    reportRoutes(context),
    merchantRoutes(context),
    scheduledTransferRoutes(context),
    analyticsRoutes(context),
    checkoutSessionRoutes(context),
    webhookRoutes(context),
  );
  // A path that lost its prefix, doubled it, or has two slashes in a row: the gateway in front of the
  // interfaces with a base address of their own knows no JSON.
  const gatewayPaths = ['/api', '//', merchantsPrefix, transfersPrefix].filter(Boolean);
  app.use(recordUnknownCall(context), ({ path }, response) => {
    if (gatewayPaths.some((start) => path.startsWith(start))) return sendGatewayPage(response, 404);
    throw new ApiError(404, 'The sandbox has nothing at this address.');
  });
  app.use(handleError);
  return app;
}
