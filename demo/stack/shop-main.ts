/** The shop's process, with the playground in it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
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
  const store = new OrderStore(config.dataFile);
  const payments = new Payments(config);
  const playground = { store, payments, config, siteDirectory: siteDirectoryOf('playground') };
  return {
    name: 'shop',
    app: createShop({
      config,
      store,
      payments,
      siteDirectory: siteDirectoryOf('shop'),
      moreRoutes: playgroundRoutes(playground),
    }),
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    onClosed: () => store.close(),
  };
});
