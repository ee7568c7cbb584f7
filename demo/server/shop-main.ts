/** The shop's process: environment → settings → shop → listen → close when told to. */
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { OrderStore } from './orders/order-store.js';
import { findPackageDirectory } from './package-directory.js';
import { createShop } from './shop.js';
import { readShopConfig, ShopConfigError, type ShopConfig } from './shop-config.js';

const CLOSE_WITHIN_MS = 3000;

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
  const server = createShop({ config, store, siteDirectory }).listen(
    config.port,
    config.host,
    (error) => {
      if (error) {
        console.error(`The shop cannot listen on ${config.host}:${config.port}: ${error.message}`);
        process.exit(1);
      }
      const { port } = server.address() as AddressInfo;
      console.log(`The shop listens on http://${config.host}:${port} for ${config.publicUrl}`);
      process.send?.({ type: 'listening', port });
    },
  );

  let isClosing = false;
  const close = (): void => {
    if (isClosing) return;
    isClosing = true;
    server.close(() => {
      store.close();
      process.exit(0);
    });
    server.closeIdleConnections();
    setTimeout(() => {
      server.closeAllConnections();
    }, CLOSE_WITHIN_MS).unref();
  };
  process.once('SIGINT', close);
  process.once('SIGTERM', close);
  process.once('disconnect', close);
}
