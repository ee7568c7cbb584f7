/** The shop's process: environment → settings → shop → listen → close when told to. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OrderStore } from './orders/order-store.js';
import { findPackageDirectory } from './package-directory.js';
import { serveProcess } from './process/serve-process.js';
import { createShop } from './shop.js';
import { readShopConfig, ShopConfigError, type ShopConfig } from './shop-config.js';

try {
  run(readShopConfig(process.env));
} catch (error) {
  if (!(error instanceof ShopConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}

function run(config: ShopConfig): void {
  mkdirSync(dirname(config.dataFile), { recursive: true });
  const store = new OrderStore(config.dataFile);
  const siteDirectory = join(findPackageDirectory('@pay-checkout/demo'), 'dist', 'site');
  serveProcess({
    name: 'shop',
    app: createShop({ config, store, siteDirectory }),
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    onClosed: () => store.close(),
  });
}
