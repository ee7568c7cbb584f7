import type { RequestHandler } from 'express';
import { AppError } from '../errors.js';

interface WithOrigins {
  /** Exact origins of the pages that may create checkouts. */
  readonly origins: readonly string[];
}

/**
 * Cross-origin access for the pages of merchants and for our hosted page: exact origins, never with
 * credentials. A preflight does not say which merchant is meant, so it allows every merchant's
 * origins; {@link refuseOtherOrigins} then checks the one merchant.
 */
export function allowPages(
  merchants: { all(): Promise<readonly WithOrigins[]> },
  publicUrl: string,
): RequestHandler {
  const mayRead = async (origin: string): Promise<boolean> =>
    origin === publicUrl || (await merchants.all()).some(({ origins }) => origins.includes(origin));

  return async (request, response, next) => {
    const { origin } = request.headers;
    response.vary('Origin');
    const isAllowed = origin !== undefined && (await mayRead(origin));
    if (isAllowed) {
      response.set('access-control-allow-origin', origin);
      response.set('access-control-expose-headers', 'retry-after, x-request-id');
    }
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    if (isAllowed) {
      response.set('access-control-allow-methods', 'GET, POST');
      response.set('access-control-allow-headers', 'content-type');
      response.set('access-control-max-age', '7200');
    }
    response.status(204).end();
  };
}

/** @throws {AppError} 403 `origin_not_allowed` for a page that is neither the merchant's nor ours */
export function refuseOtherOrigins(
  origin: string | undefined,
  merchant: WithOrigins,
  publicUrl: string,
): void {
  if (origin !== undefined && (merchant.origins.includes(origin) || origin === publicUrl)) return;
  throw new AppError(
    403,
    'origin_not_allowed',
    'This page may not open checkouts of this merchant. Add its origin to the merchant entry.',
  );
}
