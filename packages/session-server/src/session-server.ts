import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PartnerClient } from '@pay-checkout/partner-api';
import { createApp } from './app.js';
import { ChangeFeed } from './checkout/change-feed.js';
import { CheckoutService } from './checkout/checkout-service.js';
import type { CheckoutStore } from './checkout/checkout-store.js';
import { createPartnerGateway } from './checkout/partner-gateway.js';
import { StatusService } from './checkout/status-service.js';
import { type Clock, systemClock } from './clock.js';
import type { Config } from './config.js';
import { EvidenceService } from './evidence/evidence-service.js';
import { startSweeper } from './evidence/sweeper.js';
import { createLogger, type Logger } from './logger.js';
import { FileMerchantSource } from './merchants/file-merchant-source.js';
import { ShopClient } from './net/shop-client.js';
import { startEventSender } from './order-events/event-sender.js';
import type { MerchantSource } from './merchants/merchant-source.js';
import { createOrderLookup, type OrderLookup } from './orders/order-lookup.js';
import type { Repeating } from './repeat.js';
import { storeRulesOf } from './store-rules.js';
import { SqliteCheckoutStore } from './sqlite/sqlite-checkout-store.js';
import { loadSandboxKeys } from './webhooks/body-keys.js';
import { BodyVault } from './webhooks/body-vault.js';
import { startDeliveryInbox } from './webhooks/delivery-inbox.js';

/** How long requests that are under way may take when the server closes. */
const DRAIN_MS = 2000;

export interface SessionServer {
  /** The port that it listens on. */
  readonly port: number;
  /** Stops taking requests, ends the ones under way, stops the jobs, closes the store. */
  close(): Promise<void>;
}

/** What a platform may bring of its own. */
export interface SessionServerParts {
  /** Default: JSON lines on standard output. */
  readonly logger?: Logger;
  /** Default: the file `config.merchantsFile`. The server closes it. */
  readonly merchants?: MerchantSource;
  /** Default: a signed POST to the merchant's `orderLookup.url`. */
  readonly lookUpOrder?: OrderLookup;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Starts the session server: the one place where its parts are made and put together.
 *
 * @throws {ConfigError} listing every mistake of the merchants file
 */
export async function startSessionServer(
  config: Config,
  parts: SessionServerParts = {},
): Promise<SessionServer> {
  const clock = parts.clock ?? systemClock;
  const logger = parts.logger ?? createLogger(config.logLevel);
  const merchants =
    parts.merchants ??
    new FileMerchantSource({
      path: config.merchantsFile,
      environment: config.environment,
      logger,
    });
  const store: CheckoutStore = await SqliteCheckoutStore.open({
    path: config.databaseFile,
    clock,
    rules: storeRulesOf(config),
  });
  const shop = new ShopClient();
  const changes = new ChangeFeed();
  const gateway = createPartnerGateway(
    new PartnerClient({
      apiKey: config.partnerApiKey,
      baseUrl: config.partnerApiUrl,
      timeoutSeconds: config.createSessionTimeoutSeconds,
    }),
  );
  const evidence = new EvidenceService({
    store,
    merchants,
    gateway,
    changes,
    clock,
    logger,
    intervalMs: config.readIntervalSeconds * 1000,
    pagesPerMinute: config.readPagesPerMinute,
  });
  const checkouts = new CheckoutService({
    merchants,
    store,
    gateway,
    lookUpOrder: parts.lookUpOrder ?? createOrderLookup(shop),
    evidence,
    changes,
    clock,
    logger,
    addresses: config,
    maxOrderId: config.maxOrderId,
    followSeconds: config.followSeconds,
  });
  const status = new StatusService({ store, changes, evidence });
  const vault = new BodyVault(config.bodyKeys ?? loadSandboxKeys(config.databaseFile));
  const inbox = startDeliveryInbox({
    store,
    merchants,
    evidence,
    changes,
    vault,
    clock,
    logger,
    limits: config.deliveries,
  });
  const app = createApp({
    ...config,
    vault,
    onDelivery: () => {
      inbox.wake();
    },
    merchants,
    store,
    checkouts,
    status,
    evidence,
    changes,
    clock,
    logger,
  });
  const server = createServer(app);
  const sender = startEventSender({ store, merchants, shop, clock, logger });
  const jobs = [inbox, sender, startSweeper({ store, evidence, changes, logger })];
  changes.onAny(() => {
    sender.wake();
  });

  const close = async (): Promise<void> => {
    await closeServer(server);
    await Promise.all(jobs.map((job: Repeating) => job.close()));
    await evidence.close();
    await Promise.all([shop.close(), merchants.close()]);
    await store.close();
  };
  try {
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    close: () => (closing ??= close()),
  };
}

/** Lets requests end, then ends them: a shopper's long poll asks again by itself. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, DRAIN_MS);
  await closed;
  clearTimeout(timer);
}
