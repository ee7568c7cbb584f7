import type { RequestListener } from 'node:http';
import { Secret } from '@pay-checkout/partner-api';
import type { RequestHandler, Router } from 'express';
import { createApp, createRouter } from './app.js';
import { ChangeFeed } from './checkouts/change-feed.js';
import { logChange } from './checkouts/change-log.js';
import { CheckoutService } from './checkouts/service.js';
import { startPriceCheck } from './checkouts/price-check.js';
import { checkoutRulesOf } from './checkouts/rules.js';
import type { StepContext } from './checkouts/checkout-transactions.js';
import { createPartnerGateway, observeGateway, type PartnerGateway } from './provider/gateway.js';
import { PartnerClients } from './provider/partner-clients.js';
import { StatusService } from './checkouts/status-service.js';
import { type Clock, systemClock } from './clock.js';
import { type Config } from './config.js';
import type { OnStep } from './crash-points.js';
import { ReconciliationService } from './reconciliation/service.js';
import { startSchedule } from './reconciliation/schedule.js';
import { registerKeys } from './known-keys.js';
import { createLogger, type Logger } from './logger.js';
import { SILENT_OBSERVER } from './observer.js';
import { Figures } from './metrics/figures.js';
import {
  createOperatorListener,
  type OperatorAccess,
  type OperatorRoutes,
} from './metrics/listener.js';
import { createBackOfficeApp } from './http/back-office-app.js';
import { ServerMetrics } from './metrics/server-metrics.js';
import { ShopClient } from './provider/shop-client.js';
import { startOutboxDispatcher } from './outbox/dispatcher.js';
import { startRetention } from './erasure/retention.js';
import {
  addOrderTokenSecrets,
  FileMerchantSource,
  type MerchantSource,
} from './merchants/merchant-source.js';
import { MerchantEntries } from './merchants/merchant-entries.js';
import { createOrderLookup, type OrderLookup } from './orders/order-lookup.js';
import { createOrderSource } from './orders/put-orders.js';
import { RunLoops } from './run-loop.js';
import { LOST_PAUSE_MS, startLossWatch } from './restore/loss-watch.js';
import { LostAttempts } from './restore/lost-attempts.js';
import { findLoss } from './restore/repository.js';
import { TOO_OPEN } from './secret-files.js';
import { findOpenFiles, unfinishedRestore } from './store/data-file.js';
import type { Database } from './store/database.js';
import { openDatabase } from './open-database.js';
import { readOperatorKeys } from './metrics/operator-people.js';
import { Servers } from './servers/servers.js';
import { VERSION } from './version.js';
import { loadSandboxKeys, DataEncryption, parseEncryptionKeys } from './encryption.js';
import { type SecretHandlers, watchSecretSettings } from './secret-settings.js';
import { startWebhookWorker } from './webhooks/worker.js';

/**
 * The one place where the parts are made and put together. The start order:
 * 1. merchants, then the database: nothing runs while either has a mistake;
 * 2. the provider's clients and the shop client, which connect when they are first used;
 * 3. reconciliation, checkouts and status, which need all of these;
 * 4. the loops: webhook worker, outbox dispatcher, schedule;
 * 5. the router, the operator's listener and the merchant's dashboard, for the program that listens.
 * `close()` ends what was made last first: the loops before the database. So does a start that fails.
 */
export interface SessionServer {
  /** For an Express app of your own, mounted at its root before any body parser. */
  readonly router: Router;
  /** The router as a server of its own, which answers 404 to everything else. */
  readonly handler: RequestListener;
  /** `/metrics`, and what the option `operator` made, for a listener of its own; undefined without a port for it. */
  readonly operator: RequestListener | undefined;
  /** What the option `dashboard` made, for a listener of its own; undefined without a port for it. */
  readonly dashboard: RequestListener | undefined;
  /** From now on `/readyz` is 503, so that proxies send requests to other servers. */
  announceStop(): void;
  /** Ends the loops and closes the database. End running requests first. May be called twice. */
  close(): Promise<void>;
}

/** What a platform may bring of its own. */
export interface SessionServerOptions {
  /** Default: JSON lines on standard output. */
  readonly logger?: Logger;
  /** Default: the file `config.merchantsFile`. The server closes it. */
  readonly merchants?: MerchantSource;
  /** For merchants whose entry has `orderLookup`. Default: a signed POST to its `url`. */
  readonly lookUpOrder?: OrderLookup;
  /** Default: the system's. */
  readonly clock?: Clock;
  /**
   * `createOperator` of `@pay-checkout/operator`: the operator's page, and routes for programs. Default: none.
   */
  readonly operator?: (parts: OperatorParts) => OperatorRoutes;
  /** `createDashboard` of `@pay-checkout/operator`: the page of a merchant that signs in with its key. Default: none. */
  readonly dashboard?: (parts: DashboardParts) => RequestHandler;
  /** Test hook, called after each step at which a drill kills the server. */
  readonly onStep?: OnStep | undefined;
}

/** The parts of a server that the merchant's dashboard is made of. */
export interface DashboardParts {
  readonly config: Config;
  readonly database: Database;
  readonly merchants: MerchantSource;
  readonly encryption: DataEncryption;
  readonly shop: Pick<ShopClient, 'deliver' | 'visit'>;
  /** Where secrets are changed; undefined where the entries are not those of a file. */
  readonly entries: MerchantEntries | undefined;
  readonly clock: Clock;
  /** Called when events wait to be delivered again. */
  readonly onRedelivery: () => void;
}

/** The parts of a server that the operator's page and routes are made of. */
export interface OperatorParts {
  readonly config: Config;
  readonly access: OperatorAccess;
  readonly database: Database;
  readonly encryption: DataEncryption;
  readonly merchants: MerchantSource;
  readonly gateway: PartnerGateway;
  readonly reconciliation: ReconciliationService;
  readonly metrics: ServerMetrics;
  readonly figures: Figures;
  readonly servers: Pick<Servers, 'all'>;
  readonly clock: Clock;
  /** Called when events wait to be delivered again. */
  readonly onRedelivery: () => void;
}

/**
 * Makes a session server that does not listen. When it fails, everything is closed again.
 *
 * @throws {ConfigError} listing every mistake of the merchants file
 * @throws {DataFileError} when the data file cannot be used as it is
 */
export async function createSessionServer(
  config: Config,
  options: SessionServerOptions = {},
): Promise<SessionServer> {
  const opened: Closable[] = [];
  const keep: Keep = (part) => {
    opened.unshift(part);
    return part;
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll(opened));
  try {
    return { ...(await assemble(config, options, keep)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Closable {
  close(): Promise<void> | void;
}

/** Notes a part that is to be closed with the server. */
type Keep = <T extends Closable>(part: T) => T;

async function closeAll(parts: readonly Closable[]): Promise<void> {
  for (const part of parts) await part.close();
}

async function assemble(
  config: Config,
  options: SessionServerOptions,
  keep: Keep,
): Promise<Omit<SessionServer, 'close'>> {
  const {
    clock = systemClock,
    logger = createLogger(config.logLevel, config.serverName),
    onStep,
  } = options;
  if (config.unknownVariables.length > 0) {
    const variables = config.unknownVariables;
    logger.warn({ variables }, 'unknown PAY_ variables are ignored');
  }
  logger.info({ version: VERSION, node: process.version, ...config.settings }, 'server starts');
  const { merchantsFile: path, environment } = config;
  const listed = keep(options.merchants ?? new FileMerchantSource({ path, environment, logger }));
  const metrics = (config.operator ?? config.metrics) && new ServerMetrics();
  const observer = metrics ?? SILENT_OBSERVER;
  const rules = checkoutRulesOf(config);
  const database = keep(await openDatabase(config, { clock, logger, observer, onStep }));
  const { databaseFile: file, databaseUrl } = config;
  if (databaseUrl && file !== undefined) {
    logger.warn({ file }, 'PAY_DATABASE_FILE is ignored because DATABASE_URL is set');
  }
  const files = file === undefined ? [] : [file, `${file}.body-key`];
  // The group may read the merchants file, as systemd and Kubernetes give it to the server.
  const openFiles = [...findOpenFiles(files), ...findOpenFiles([config.merchantsFile], TOO_OPEN)];
  for (const open of openFiles) {
    logger.warn({ ...open }, 'other users can read this: run chmod go-rwx on it');
  }
  const encryption = new DataEncryption(
    config.encryptionKeys ?? loadSandboxKeys(config.databaseFile),
  );
  // One that was created next to its data file belongs to that file.
  if (config.encryptionKeys) await registerKeys(database, config.encryptionKeys);
  const merchants = addOrderTokenSecrets(listed, encryption);
  const loss = await findLoss(database);
  if (loss?.isRead === false) throw unfinishedRestore(databaseUrl ? 'DATABASE_URL' : (file ?? ''));
  const changes = new ChangeFeed();
  const context: StepContext = {
    rules,
    clock,
    onChange: (before, after) => {
      observer.checkoutChanged(before, after);
      logChange(logger, before, after, clock.now());
      if (before && before.state !== 'paid' && after.state === 'paid') priceCheck.wake();
      // It stored events for the merchant.
      if (before && after.sequence > before.sequence) dispatcher.wake();
    },
    onSuperseded: (id) => {
      changes.notify(id);
    },
    orderIds: {},
  };
  const loops = new RunLoops({ database, clock, logger, tickMs: config.tickSeconds * 1000 });

  const clients = keep(new PartnerClients(config, merchants));
  let operatorKeys = config.operator?.keys ?? [];
  const handlers: SecretHandlers = {
    PAY_PARTNER_API_KEY: (text) => {
      clients.useKey(new Secret(text));
    },
    PAY_ENCRYPTION_KEY: async (text) => {
      const keys = parseEncryptionKeys(text) ?? [];
      await registerKeys(database, keys);
      encryption.use(keys);
    },
    PAY_OPERATOR_KEY: (text) => {
      operatorKeys = readOperatorKeys(text) ?? [];
    },
  };
  keep(watchSecretSettings(config.secretFiles, handlers, logger));
  const partner = createPartnerGateway(clients);
  const gateway = metrics ? observeGateway(partner, metrics) : partner;
  const shop = keep(new ShopClient());
  const lookUp = options.lookUpOrder ?? createOrderLookup(shop);
  const lookUpOrder = createOrderSource({ database, encryption, lookUp });

  const priceCheck = keep(
    startPriceCheck({ loops, merchants, lookUpOrder, database, context, changes, clock, logger }),
  );
  const lostAttempts = new LostAttempts({
    loss,
    database,
    context,
    merchants,
    lookUpOrder,
    hashReference: (reference) => encryption.hashReference(reference),
    clock,
    logger,
    pauseMs: LOST_PAUSE_MS,
  });
  const reconciliation = keep(
    new ReconciliationService({
      database,
      context,
      merchants,
      gateway,
      changes,
      clock,
      logger,
      loops,
      observer,
      lostAttempts,
      intervalMs: config.pollIntervalSeconds * 1000,
      pagesPerMinute: config.pollPagesPerMinute,
      onStep,
    }),
  );
  const { publicUrl, webhookBaseUrl, rateLimits, webhooks } = config;
  const checkouts = new CheckoutService({
    merchants,
    database,
    encryption,
    context,
    gateway,
    lookUpOrder,
    reconciliation,
    changes,
    clock,
    logger,
    observer,
    addresses: { publicUrl, webhookBaseUrl },
    maxOrderId: config.maxOrderId,
    ownerWaitSeconds: config.ownerWaitSeconds,
    hasLostAttempts: loss !== undefined,
    onStep,
  });
  const status = new StatusService({ database, changes, reconciliation });

  const worker = keep(
    startWebhookWorker({
      loops,
      database,
      context,
      merchants,
      reconciliation,
      changes,
      encryption,
      clock,
      logger,
      observer,
      limits: webhooks,
    }),
  );
  const dispatcher = keep(
    startOutboxDispatcher({
      loops,
      database,
      merchants,
      shop,
      encryption,
      clock,
      logger,
      observer,
      onStep,
    }),
  );
  keep(
    startSchedule({
      loops,
      database,
      context,
      merchants,
      changes,
      logger,
    }),
  );
  await reconciliation.start();
  const servers = keep(
    new Servers({
      loops,
      database,
      clock,
      name: config.serverName,
      encryption,
      reconciliation,
      merchants,
    }),
  );
  const { orderRetentionDays = Infinity, orderRemovalDays: removeDays } = config;
  const eraseDays = Math.min(orderRetentionDays, removeDays ?? Infinity);
  if (eraseDays < Infinity) {
    keep(startRetention({ loops, database, clock, logger, eraseDays, removeDays }));
  }
  if (loss) {
    const { watchSeconds } = rules;
    const isRetrying = () => lostAttempts.isRetrying();
    keep(
      startLossWatch({
        loops,
        loss,
        watchSeconds,
        reconciliation,
        merchants,
        isRetrying,
        clock,
        logger,
      }),
    );
  }

  const router = createRouter({
    merchants,
    database,
    context,
    checkouts,
    status,
    reconciliation,
    changes,
    clock,
    logger,
    observer,
    environment,
    encryption,
    webhooks,
    publicUrl,
    cspReportTo: config.cspReportTo,
    webhookBaseUrl,
    widgetScript: config.widgetScript,
    earlierWidgetScripts: config.earlierWidgetScripts,
    applePayFile: config.applePayFile,
    rateLimits,
    onStep,
    onWebhook: () => {
      worker.wake();
    },
  });
  const createRoutes = config.operator && options.operator;
  const createListener = (of: ServerMetrics): RequestListener => {
    const access: OperatorAccess = {
      keys: () => operatorKeys,
      names: config.operator?.names ?? [],
      people: config.operator?.people,
      consoleUrl: config.operator?.consoleUrl,
    };
    const { maxOrderId, settleWindowSeconds } = config;
    const figures = new Figures({
      registry: of.registry,
      database,
      reconciliation,
      clock,
      maxOrderId,
      settleWindowSeconds,
    });
    const routes = createRoutes?.({
      config,
      access,
      database,
      encryption,
      merchants,
      gateway,
      reconciliation,
      metrics: of,
      figures,
      servers,
      clock,
      onRedelivery: () => {
        dispatcher.wake();
      },
    });
    return createOperatorListener({ access, metrics: of, figures, logger, trustProxy, routes });
  };
  const { dashboard: createPage } = options;
  const page =
    config.dashboard &&
    createPage?.({
      config,
      database,
      merchants,
      encryption,
      shop,
      entries: options.merchants
        ? undefined
        : new MerchantEntries({ file: config.merchantsFile, environment }),
      clock,
      onRedelivery: () => {
        dispatcher.wake();
      },
    });
  const { trustProxy } = config;
  let isStopping = false;
  return {
    router,
    dashboard:
      page &&
      createBackOfficeApp({ logger, observer: metrics, trustProxy, traced: ['/page'] }, page),
    handler: createApp(router, {
      trustProxy,
      logger,
      isStopping: () => isStopping,
    }),
    announceStop: () => {
      isStopping = true;
    },
    operator: metrics && createListener(metrics),
  };
}
