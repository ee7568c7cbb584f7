/** The partner console's back end: the provider's partner API for the pages of the platform team. */
import { PartnerClient } from '@pay-checkout/partner-api';
import express, { type Express } from 'express';
import { siteRoutes } from '../site.js';
import { analyticsRoutes } from './analytics-routes.js';
import type { ConsoleConfig } from './console-config.js';
import { handleConsoleErrors, hideSecret, refuseRequest } from './console-error.js';
import { setConsoleHeaders } from './console-headers.js';
import { KeyFolder } from './key-folder.js';
import { reportRoutes } from './report-routes.js';
import { refuseOtherSites, requireOwnHost } from './same-origin.js';
import { signupLinkRoutes } from './signup-link-routes.js';
import { transactionRoutes } from './transaction-routes.js';
import { transferRoutes } from './transfer-routes.js';
import { webhookRoutes } from './webhook-routes.js';

/** A person waits for the answer. */
const TIMEOUT_SECONDS = 20;

export interface ConsoleOptions {
  readonly config: ConsoleConfig;
  /** Where the built pages are; without it only the interface is served. */
  readonly siteDirectory?: string;
}

/** Makes the application. It never listens by itself: `console-main.ts` does. */
export function createConsole(options: ConsoleOptions): Express {
  const { config, siteDirectory } = options;
  const { apiKey } = config;
  const client = new PartnerClient({
    apiKey,
    baseUrl: config.partnerApiUrl,
    merchantsBaseUrl: config.merchantsApiUrl,
    transfersBaseUrl: config.transfersApiUrl,
    timeoutSeconds: TIMEOUT_SECONDS,
    // The provider may count both ends of the 90 days (spec 8 does not say).
    analyticsDays: 'inclusive',
  });
  const app = express();
  app.disable('x-powered-by');
  // A provider may send back what it was sent: the key leaves in no answer.
  app.set('json replacer', (_name: string, value: unknown) =>
    typeof value === 'string' ? hideSecret(value, apiKey) : value,
  );
  app.use(setConsoleHeaders);
  app.use(requireOwnHost(config.publicUrl));
  app.get('/healthz', (_request, response) => {
    response.json({ ok: true });
  });
  app.use('/api', refuseOtherSites, express.json({ limit: '16kb' }), (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  app.get('/api/known', (_request, response) => {
    response.json(config.known);
  });
  app.use(analyticsRoutes(client));
  app.use(transactionRoutes(client, apiKey));
  app.use(transferRoutes(client));
  app.use(reportRoutes(client));
  app.use(signupLinkRoutes(client));
  app.use(webhookRoutes(client, new KeyFolder(config.keyDirectory)));
  if (siteDirectory !== undefined) {
    app.use(siteRoutes({ directory: siteDirectory, values: {} }));
  }
  app.use(() => {
    const next = 'Use the links of the console.';
    throw refuseRequest(404, 'not_here', 'There is nothing at this address.', next);
  });
  app.use(handleConsoleErrors(apiKey));
  return app;
}
