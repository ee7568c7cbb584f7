import { PartnerClient } from '@pay-checkout/partner-api';
import { createApp, createRouter } from './app.js';
import { ChangeFeed } from './checkouts/change-feed.js';
import { CheckoutService } from './checkouts/service.js';
import type { CheckoutStore } from './checkouts/repository.js';
import { createPartnerGateway, observeGateway } from './provider/gateway.js';
import { StatusService } from './checkouts/status-service.js';
import { type Clock, systemClock } from './clock.js';
import type { Config } from './config.js';
import { ReconciliationService } from './reconciliation/service.js';
import { startSchedule } from './reconciliation/schedule.js';
import { type Listener, startListener } from './http/listener.js';
import { createLogger, type Logger } from './logger.js';
import { SILENT_OBSERVER } from './observer.js';
import { ServerMetrics } from './metrics/server-metrics.js';
import { ShopClient } from './provider/shop-client.js';
import { createOperatorApp } from './operator/operator-app.js';
import { OperatorService } from './operator/operator-service.js';
import { startOutboxDispatcher } from './outbox/dispatcher.js';
import { FileMerchantSource, type MerchantSource } from './merchants/merchant-source.js';
import { createOrderLookup, type OrderLookup } from './orders/order-lookup.js';
import type { RunLoop } from './run-loop.js';
import { LOST_PAUSE_MS, startLossWatch } from './restore/loss-watch.js';
import { LostAttempts } from './restore/lost-attempts.js';
import { storeRulesOf } from './store/store-rules.js';
import { unfinishedRestore } from './store/data-file-error.js';
import { SqliteCheckoutStore } from './store/sqlite-store.js';
import { loadSandboxKeys, WebhookEncryption } from './webhooks/encryption.js';
import { startWebhookWorker } from './webhooks/worker.js';

export interface SessionServer {
  /** The port that it listens on. */
  readonly port: number;
  /** The port of the operator's listener; undefined when there is none. */
  readonly operatorPort: number | undefined;
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
 * @throws {DataFileError} when the data file cannot be used as it is
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
  const metrics = config.operator && new ServerMetrics();
  const observer = metrics ?? SILENT_OBSERVER;
  const store: CheckoutStore = await SqliteCheckoutStore.open({
    path: config.databaseFile,
    clock,
    rules: storeRulesOf(config),
    observer,
    // Asked for nothing before the server listens.
    hashReference: (reference) => encryption.hashReference(reference),
  });
  const encryption = new WebhookEncryption(config.bodyKeys ?? loadSandboxKeys(config.databaseFile));
  const loss = await store.findLoss();
  if (loss?.isRead === false) {
    await Promise.all([store.close(), merchants.close()]);
    throw unfinishedRestore(config.databaseFile);
  }
  const shop = new ShopClient();
  const lookUpOrder = parts.lookUpOrder ?? createOrderLookup(shop);
  const changes = new ChangeFeed();
  const provider = new PartnerClient({
    apiKey: config.partnerApiKey,
    baseUrl: config.partnerApiUrl,
    timeoutSeconds: config.createSessionTimeoutSeconds,
  });
  const partner = createPartnerGateway(provider);
  const gateway = metrics ? observeGateway(partner, metrics) : partner;
  const unused = await store.findUnused();
  const lost = new LostAttempts({
    ...{ loss, unused, store, merchants, lookUpOrder, clock, logger },
    pauseMs: LOST_PAUSE_MS,
  });
  const evidence = new ReconciliationService({
    store,
    merchants,
    gateway,
    changes,
    clock,
    logger,
    intervalMs: config.readIntervalSeconds * 1000,
    pagesPerMinute: config.readPagesPerMinute,
    lostAttempts: lost,
    observer,
  });
  const checkouts = new CheckoutService({
    merchants,
    store,
    gateway,
    lookUpOrder,
    evidence,
    changes,
    clock,
    logger,
    addresses: config,
    maxOrderId: config.maxOrderId,
    ownerWaitSeconds: config.ownerWaitSeconds,
    observer,
  });
  const status = new StatusService({ store, changes, evidence });
  const webhookWorker = startWebhookWorker({
    store,
    merchants,
    evidence,
    changes,
    encryption,
    clock,
    logger,
    limits: config.webhooks,
    observer,
  });
  const router = createRouter({
    ...config,
    encryption,
    onWebhook: () => {
      webhookWorker.wake();
    },
    merchants,
    store,
    checkouts,
    status,
    evidence,
    changes,
    clock,
    logger,
    observer,
  });
  const dispatcher = startOutboxDispatcher({ store, merchants, shop, clock, logger, observer });
  const jobs = [webhookWorker, startSchedule({ store, reconciliation: evidence, changes, logger })];
  if (loss) {
    const { watchSeconds } = storeRulesOf(config);
    const isRetrying = () => lost.isRetrying();
    jobs.push(
      startLossWatch({
        loss,
        watchSeconds,
        reconciliation: evidence,
        merchants,
        isRetrying,
        clock,
        logger,
      }),
    );
  }
  changes.onAny(() => {
    dispatcher.wake();
  });

  const listeners: Listener[] = [];
  const close = async (): Promise<void> => {
    // Requests and tries to tell a shop have the same two seconds to end.
    await Promise.all([dispatcher, ...listeners].map((part) => part.close()));
    await Promise.all(jobs.map((job: RunLoop) => job.close()));
    await evidence.close();
    provider.close();
    await Promise.all([shop.close(), merchants.close()]);
    await store.close();
  };
  try {
    listeners.push(await startListener(createApp(router, { ...config, logger }), config));
    if (config.operator && metrics) {
      const service = new OperatorService({
        store,
        merchants,
        gateway,
        evidence,
        clock,
        maxOrderId: config.maxOrderId,
        onRedelivery: () => {
          dispatcher.wake();
        },
      });
      const access = config.operator;
      const operatorApp = createOperatorApp({ access, metrics, service, logger });
      listeners.push(await startListener(operatorApp, config.operator));
    }
    let closing: Promise<void> | undefined;
    const [main, operator] = listeners;
    return {
      port: main?.port ?? 0,
      operatorPort: operator?.port,
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
