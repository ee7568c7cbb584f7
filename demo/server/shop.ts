/** The shop's back end: orders, the signed conversation with the session server, and the pages. */
import express, { type Express } from 'express';
import { eventRoutes } from './events/event-routes.js';
import { lookupRoutes } from './events/lookup-routes.js';
import { handleError, ShopError } from './http/problem.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { orderRoutes } from './orders/order-routes.js';
import type { OrderStore } from './orders/order-store.js';
import { playgroundRoutes } from './playground/playground-routes.js';
import type { ShopConfig } from './shop-config.js';
import { siteRoutes } from './site.js';

export interface ShopOptions {
  readonly config: ShopConfig;
  readonly store: OrderStore;
  /** Where the built pages are; without it only the interface is served. */
  readonly siteDirectory?: string;
  /** Default: the real clock. */
  readonly now?: () => Date;
}

/** Makes the application. It never listens by itself: `shop-main.ts` does. */
export function createShop(options: ShopOptions): Express {
  const { config, store, siteDirectory, now = () => new Date() } = options;
  const shop = express();
  shop.disable('x-powered-by');
  shop.use(setSecurityHeaders(config.payPublicUrl, config.sdkOrigins));
  shop.get('/healthz', (_request, response) => {
    response.json({ ok: true });
  });
  shop.use(lookupRoutes({ store, config }));
  shop.use(eventRoutes({ store, config, now }));
  shop.use(orderRoutes({ store, config, now }));
  if (config.playgroundMerchants.length > 0) shop.use(playgroundRoutes({ store, config, now }));
  if (siteDirectory !== undefined) {
    const values = { merchant: config.merchant, payPublicUrl: config.payPublicUrl };
    shop.use(siteRoutes({ directory: siteDirectory, values }));
  }
  shop.use((request) => {
    throw new ShopError(404, 'not_found', `There is nothing at ${request.method} ${request.path}.`);
  });
  shop.use(handleError);
  return shop;
}
