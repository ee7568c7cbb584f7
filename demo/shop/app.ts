/** The shop's back end: orders, the signed conversation with the session server, and the pages. */
import express, { type Express, type RequestHandler, type Router } from 'express';
import { isOwnHost } from '../shared/own-host.js';
import { siteRoutes } from '../shared/site.js';
import type { ShopConfig } from './config.js';
import { orderRoutes } from './order-routes.js';
import type { OrderStore } from './order-store.js';
import { paymentRoutes } from './payment-routes.js';
import type { Payments } from './payments.js';
import { handleError, ShopError } from './problem.js';
import { setSecurityHeaders } from './security-headers.js';

export interface ShopOptions {
  readonly config: ShopConfig;
  readonly store: OrderStore;
  readonly payments: Payments;
  /** Where the built pages are; without it only the interface is served. */
  readonly siteDirectory?: string;
  /** HTML of a drawer below the pages of an order. */
  readonly drawer?: string;
  /** Further routes of the same application: those of the playground. */
  readonly moreRoutes?: Router;
  /** Default: the real clock. */
  readonly now?: () => Date;
}

/** Makes the application. `stack/shop-main.ts` makes it listen. */
export function createShop(options: ShopOptions): Express {
  const { config, store, payments, siteDirectory, drawer, moreRoutes } = options;
  const { now = () => new Date() } = options;
  const shop = express();
  shop.disable('x-powered-by');
  shop.use(setSecurityHeaders(config.payPublicUrl, config.sdkOrigins));
  shop.get('/healthz', (_request, response) => {
    response.json({ ok: true });
  });
  shop.use(paymentRoutes({ store, payments }));
  shop.use(orderRoutes({ store, payments, config, now }));
  shop.use(['/api/break', '/api/playground'], requireOwnHost(config.publicUrl));
  if (moreRoutes !== undefined) shop.use(moreRoutes);
  if (siteDirectory !== undefined) {
    const values = { merchant: config.brand.id, payPublicUrl: config.payPublicUrl };
    shop.use(
      siteRoutes({ directory: siteDirectory, values, ...(drawer !== undefined && { drawer }) }),
    );
  }
  shop.use((request) => {
    throw new ShopError(404, 'not_found', `There is nothing at ${request.method} ${request.path}.`);
  });
  shop.use(handleError);
  return shop;
}

/** For what needs no order's key: the sandbox obeys, and a price can be chosen. */
function requireOwnHost(publicUrl: string): RequestHandler {
  return (request, _response, next) => {
    if (!isOwnHost(request, publicUrl)) {
      throw new ShopError(
        421,
        'wrong_host',
        `This is not the address of the shop. Use ${publicUrl}.`,
      );
    }
    next();
  };
}
