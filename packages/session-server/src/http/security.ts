import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { AppError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';

/** Headers for answers that are data: nothing is rendered, framed or kept. */
export const dataHeaders: readonly RequestHandler[] = [
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  }),
  (_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  },
];

/**
 * Cross-origin access for the pages of merchants, and of our hosted page: exact origins, never
 * with credentials. A preflight does not say which merchant is meant, so every merchant's origins
 * are good for it; the route itself then asks for the one merchant.
 */
export function allowPages(merchants: MerchantSource, publicUrl: string): RequestHandler {
  return async (request, response, next) => {
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin !== undefined && (await isKnownOrigin(origin, merchants, publicUrl))) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', 'retry-after, x-request-id');
      if (request.method === 'OPTIONS') {
        response.setHeader('access-control-allow-methods', 'GET, POST');
        response.setHeader('access-control-allow-headers', 'content-type');
        response.setHeader('access-control-max-age', '7200');
      }
    }
    if (request.method === 'OPTIONS') response.status(204).end();
    else next();
  };
}

/** @throws {AppError} 403 `origin_not_allowed` when a page of somebody else asks */
export function refuseOtherOrigins(
  origin: string | undefined,
  merchant: Merchant,
  publicUrl: string,
): void {
  if (origin !== undefined && (merchant.origins.includes(origin) || origin === publicUrl)) return;
  throw new AppError(
    403,
    'origin_not_allowed',
    'This page may not open checkouts of this merchant. Add its origin to the merchant entry.',
  );
}

async function isKnownOrigin(
  origin: string,
  merchants: MerchantSource,
  publicUrl: string,
): Promise<boolean> {
  if (origin === publicUrl) return true;
  return (await merchants.all()).some(({ origins }) => origins.includes(origin));
}
