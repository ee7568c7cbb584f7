/** The partner console's back end: the provider's partner API for the pages of the platform team. */
import { PartnerClient } from '@pay-checkout/partner-api';
import express, { type Express, type RequestHandler, type Request } from 'express';
import { isOwnHost } from '../shared/own-host.js';
import { siteRoutes } from '../shared/site.js';
import type { ConsoleConfig } from './config.js';
import { handleConsoleErrors, hideSecret, refuseRequest } from './console-error.js';
import { formHelpRoutes } from './form-help-routes.js';
import { KeyFolder } from './key-folder.js';
import { operationRoutes } from './operation-routes.js';
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

/** Makes the application. `stack/console-main.ts` makes it listen. */
export function createConsole(options: ConsoleOptions): Express {
  const { config, siteDirectory } = options;
  const { apiKey } = config;
  const client = new PartnerClient({
    apiKey,
    baseUrl: config.partnerApiUrl,
    merchantsBaseUrl: config.merchantsApiUrl,
    transfersBaseUrl: config.transfersApiUrl,
    timeoutSeconds: TIMEOUT_SECONDS,
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
  app.use(formHelpRoutes());
  app.use(operationRoutes(client));
  app.use(transferRoutes(client));
  app.use(transactionRoutes({ client, apiKey, operatorUrl: config.operatorUrl }));
  app.use(webhookRoutes(client, new KeyFolder(config.keyDirectory)));
  if (siteDirectory !== undefined) {
    app.use(siteRoutes({ directory: siteDirectory, values: {} }));
  }
  app.use(() => {
    const next = 'Use the links of the console.';
    throw refuseRequest(404, 'not_here', 'There is no page at this address.', next);
  });
  app.use(handleConsoleErrors(apiKey));
  return app;
}

const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `font-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Sets the security headers. Nothing inline is allowed: no script, no style. */
const setConsoleHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  next();
};

/** Refuses names that are not ours: another name may be made to point to this machine. */
function requireOwnHost(publicUrl: string): RequestHandler {
  return (request, _response, next) => {
    if (!isOwnHost(request, publicUrl)) {
      const advice = `Use ${publicUrl}.`;
      throw refuseRequest(421, 'wrong_host', 'This is not the address of the console.', advice);
    }
    next();
  };
}

/** Refuses calls that another site's page makes. One without these headers comes from no page. */
const refuseOtherSites: RequestHandler = (request, _response, next) => {
  if (isForeign(request)) {
    const advice = 'Open the console and do it there.';
    throw refuseRequest(403, 'cross_site', 'Other sites cannot use the console.', advice);
  }
  next();
};

function isForeign(request: Request): boolean {
  const { origin, host = '' } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return true;
  }
  const site = request.get('sec-fetch-site') ?? 'same-origin';
  // `none` is a person who typed the address; a POST cannot be typed.
  return site !== 'same-origin' && !(site === 'none' && request.method === 'GET');
}
