/** The shop's process, with the roastery and the playground in it. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Router } from 'express';
import { renderDrawer } from '../playground/drawer-html.js';
import { breakRoutes } from '../playground/break-routes.js';
import { findShopSide } from '../playground/shop-sides.js';
import { playgroundRoutes } from '../playground/playground-routes.js';
import { RoasteryOrderStore } from '../roastery/order-store.js';
import { roasteryRoutes } from '../roastery/routes.js';
import { createShop } from '../shop/app.js';
import { readShopConfig } from '../shop/config.js';
import { OrderStore } from '../shop/order-store.js';
import { Payments } from '../shop/payments.js';
import { serveProcess } from './serve-process.js';
import { ROASTERY_PUBLIC_DIRECTORY, siteDirectoryOf } from './settings.js';

serveProcess(() => {
  const config = readShopConfig(process.env);
  mkdirSync(dirname(config.dataFile), { recursive: true });
  const store = new OrderStore(config.dataFile);
  const payments = new Payments(config);
  const roasteryStore = new RoasteryOrderStore(join(dirname(config.dataFile), 'roastery.sqlite'));
  const moreRoutes = Router();
  const { breakThings } = config;
  const drawerIn = (title: string): { drawer?: string } =>
    breakThings ? { drawer: renderDrawer(siteDirectoryOf('shop'), title) } : {};
  if (config.roastery !== undefined) {
    const { payApiUrl, payPublicUrl } = config;
    const publicDirectory = ROASTERY_PUBLIC_DIRECTORY;
    const settings = { ...config.roastery, payApiUrl, payPublicUrl, publicDirectory };
    const drawer = drawerIn('جرّب الأعطال');
    moreRoutes.use(roasteryRoutes({ store: roasteryStore, ...settings, ...drawer }));
  }
  if (breakThings !== undefined) {
    const roastery = config.roastery && { ...config.roastery, store: roasteryStore };
    const findOrder = findShopSide({ store, payments, roastery });
    moreRoutes.use(breakRoutes({ breakThings, findOrder }));
  }
  const playground = { store, payments, config, siteDirectory: siteDirectoryOf('playground') };
  moreRoutes.use(playgroundRoutes(playground));
  return {
    name: 'shop',
    app: createShop({
      config,
      store,
      payments,
      siteDirectory: siteDirectoryOf('shop'),
      moreRoutes,
      ...drawerIn('Break things'),
    }),
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    onClosed: () => {
      store.close();
      roasteryStore.close();
    },
  };
});
