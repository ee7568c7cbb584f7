/** The process of a shop, with the playground in it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Router } from 'express';
import { renderDrawer } from '../playground/drawer-html.js';
import { breakRoutes } from '../playground/break-routes.js';
import { playgroundRoutes } from '../playground/playground-routes.js';
import { createShop } from '../shop/app.js';
import { readShopConfig } from '../shop/config.js';
import { OrderStore } from '../shop/order-store.js';
import { Payments } from '../shop/payments.js';
import { serveProcess } from './serve-process.js';
import { siteDirectoryOf } from './settings.js';

serveProcess(() => {
  const config = readShopConfig(process.env);
  mkdirSync(dirname(config.dataFile), { recursive: true });
  const store = new OrderStore(config.dataFile, config.brand.orderPrefix);
  const payments = new Payments(config);
  const { brand, breakThings } = config;
  const siteDirectory = siteDirectoryOf(brand.id);
  const moreRoutes = Router();
  if (breakThings !== undefined) moreRoutes.use(breakRoutes({ breakThings, store, payments }));
  const playground = { store, payments, config, siteDirectory: siteDirectoryOf('playground') };
  moreRoutes.use(playgroundRoutes(playground));
  return {
    name: brand.id,
    app: createShop({
      config,
      store,
      payments,
      siteDirectory,
      moreRoutes,
      ...(breakThings && { drawer: renderDrawer(siteDirectory, brand.words.breakThings) }),
    }),
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    onClosed: () => {
      store.close();
    },
  };
});
