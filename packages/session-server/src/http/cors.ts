import type { RequestHandler } from 'express';
import { AppError } from '../errors.js';

interface WithOrigins {
  /** Exact origins of the pages that may create checkouts. */
  readonly origins: readonly string[];
}

interface AllMerchants {
  all(): Promise<readonly WithOrigins[]>;
}

/**
 * Cross-origin access for the pages of merchants and for our hosted page: exact origins, never with
 * credentials. A preflight does not name the merchant, so it allows every merchant's
 * origins; {@link refuseOtherOrigins} then checks the one merchant.
 */
export function allowPages(merchants: AllMerchants, publicUrl: string): RequestHandler {
  return async (request, response, next) => {
    const { origin } = request.headers;
    response.vary('Origin');
    if (origin !== undefined && (await isOurPage(origin, merchants, publicUrl))) {
      response.set('access-control-allow-origin', origin);
      response.set('access-control-expose-headers', 'retry-after, x-request-id');
      if (request.method === 'OPTIONS') {
        response.set('access-control-allow-methods', 'GET, POST');
        response.set('access-control-allow-headers', 'content-type');
        response.set('access-control-max-age', '7200');
      }
    }
    if (request.method === 'OPTIONS') response.status(204).end();
    else next();
  };
}

/**
 * Refuses, before the body is read, a request that no page of ours made by script: a browser sends
 * JSON as `text/plain` without a preflight, and so does a form of any site.
 *
 * @throws {AppError} 403 `origin_not_allowed`
 */
export function requirePage(merchants: AllMerchants, publicUrl: string): RequestHandler {
  return async ({ headers }, _response, next) => {
    const { origin, 'sec-fetch-mode': mode } = headers;
    const isScript = origin !== undefined && mode !== 'navigate';
    if (!isScript || !(await isOurPage(origin, merchants, publicUrl))) throw originNotAllowed();
    next();
  };
}

async function isOurPage(
  origin: string,
  merchants: AllMerchants,
  publicUrl: string,
): Promise<boolean> {
  if (origin === publicUrl) return true;
  return (await merchants.all()).some(({ origins }) => origins.includes(origin));
}

/** @throws {AppError} 403 `origin_not_allowed` for a page that is neither the merchant's nor ours */
export function refuseOtherOrigins(
  origin: string | undefined,
  merchant: WithOrigins,
  publicUrl: string,
): void {
  if (origin !== undefined && (merchant.origins.includes(origin) || origin === publicUrl)) return;
  throw originNotAllowed();
}

function originNotAllowed(): AppError {
  return new AppError(
    403,
    'origin_not_allowed',
    'This page may not open checkouts of this merchant. Add its origin to the merchant entry.',
  );
}
