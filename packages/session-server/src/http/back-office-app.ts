import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from '../logger.js';
import type { Observer } from '../observer.js';
import { compress } from './compress.js';
import { errorHandler, notFoundHandler } from './errors.js';
import { requestId, shortenNegotiation } from './headers.js';
import { warnOfHiddenProxy } from './limits.js';
import { observeRequests } from './observe-requests.js';
import { traceRequests } from './trace-requests.js';

export interface BackOfficeOptions {
  readonly logger: Logger;
  /** Counts requests, where there are metrics. */
  readonly observer: Pick<Observer, 'requestAnswered'> | undefined;
  /** As for the listener of the shoppers: the addresses of people, whose guesses are counted, come from proxies. */
  readonly trustProxy: number | string[];
  /** What is traced, by the beginning of its path. */
  readonly traced: string[];
}

/** An app for a listener that shoppers do not reach: headers, request ids and errors around its routes. It never listens itself. */
export function createBackOfficeApp(
  { logger, observer, trustProxy, traced }: BackOfficeOptions,
  ...routes: readonly RequestHandler[]
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', trustProxy);
  if (observer) app.use(observeRequests(observer));
  app.use(requestId);
  app.use(warnOfHiddenProxy(logger));
  app.use(traced, traceRequests);
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
  // Keys and sessions are in no answer's body.
  app.use(shortenNegotiation, compress);
  for (const part of routes) app.use(part);
  app.use(notFoundHandler);
  app.use(errorHandler(logger));
  return app;
}
