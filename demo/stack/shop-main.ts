/** The shop's process, with the playground in it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { playgroundRoutes } from '../playground/playground-routes.js';
import { createShop } from '../shop/app.js';
import { readShopConfig } from '../shop/config.js';
import { OrderStore } from '../shop/order-store.js';
import { serveProcess } from './serve-process.js';
import { siteDirectoryOf } from './settings.js';

serveProcess(() => {
  const config = readShopConfig(process.env);
  mkdirSync(dirname(config.dataFile), { recursive: true });
  const store = new OrderStore(config.dataFile);
  const playground = { store, config, siteDirectory: siteDirectoryOf('playground') };
  return {
    name: 'shop',
    app: createShop({
      config,
      store,
      siteDirectory: siteDirectoryOf('shop'),
      moreRoutes: playgroundRoutes(playground),
    }),
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    onClosed: () => store.close(),
  };
});
