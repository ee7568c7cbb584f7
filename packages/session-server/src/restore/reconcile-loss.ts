import { checkoutRulesOf } from '../checkouts/rules.js';
import type { StepContext } from '../checkouts/checkout-transactions.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { OnStep } from '../crash-points.js';
import { DataEncryption, loadSandboxKeys } from '../encryption.js';
import { AppError } from '../errors.js';
import { createLogger, type LogFields } from '../logger.js';
import { fixedMerchants, readMerchantsFile } from '../merchants/merchant-source.js';
import { createOrderLookup } from '../orders/order-lookup.js';
import { createOrderSource } from '../orders/put-orders.js';
import { SILENT_OBSERVER } from '../observer.js';
import {
  createPartnerGateway,
  keyOf,
  type PartnerGateway,
  type ProviderMerchant,
  type TransactionList,
} from '../provider/gateway.js';
import { PartnerClients } from '../provider/partner-clients.js';
import { ShopClient } from '../provider/shop-client.js';
import { newestRange, passOver, readNextPage } from '../reconciliation/page-range.js';
import { PageRecorder } from '../reconciliation/page-recorder.js';
import { findLists } from '../reconciliation/service.js';
import type { Database } from '../store/database.js';
import { LostAttempts, type LostPayment } from './lost-attempts.js';
import { type Loss, markLossRead } from './repository.js';

/** How often a page is requested before its day is skipped. */
const MAX_TRIES = 3;

/** What was found of the time that a backup has lost. */
export interface ReconciledLoss {
  /** How many transactions were read. */
  readonly transactions: number;
  /** Days (UTC) of the list that could not be read, such as `2026-03-01`. */
  readonly unreadDays: readonly string[];
  /** How many attempts that the backup had lost were found by their payments. */
  readonly adopted: number;
  /** Payments of which no order was found. */
  readonly notFound: readonly LostPayment[];
}

/**
 * Reads the provider's lists back to the loss, and stores what they prove.
 *
 * @throws {AppError} `provider_unavailable` when a page cannot be read; with `acceptsUnreadDays`, when none can be
 */
export async function reconcileLoss(
  config: Config,
  database: Database,
  {
    loss,
    acceptsUnreadDays,
    clock,
    onStep,
  }: {
    readonly loss: Loss;
    /** Whether days of the list that cannot be read are given up. */
    readonly acceptsUnreadDays: boolean;
    readonly clock: Clock;
    /** Test hook. */
    readonly onStep?: OnStep | undefined;
  },
): Promise<ReconciledLoss> {
  const merchants = fixedMerchants(readMerchantsFile(config.merchantsFile, config.environment));
  const clients = new PartnerClients(config, merchants);
  const shop = new ShopClient();
  const gateway = createPartnerGateway(clients);
  const context: StepContext = {
    rules: checkoutRulesOf(config),
    clock,
    onChange: () => undefined,
    orderIds: {},
  };
  const shared = { database, context, merchants, clock, logger: createLogger('silent') };
  const keys = config.encryptionKeys ?? loadSandboxKeys(config.databaseFile);
  const encryption = new DataEncryption(keys);
  const lookUp = createOrderLookup(shop);
  const lookUpOrder = createOrderSource({ database, encryption, lookUp });
  // Each order is asked for once, whatever the shops answered about others.
  const hashReference = (reference: string) => encryption.hashReference(reference);
  const lostAttempts = new LostAttempts({
    ...{ ...shared, loss, lookUpOrder, hashReference },
    pauseMs: 0,
  });
  const recorder = new PageRecorder({
    ...shared,
    observer: SILENT_OBSERVER,
    lostAttempts,
    onChange: () => undefined,
  });
  try {
    const all = await merchants.all();
    const lists = await findLists(merchants, all);
    const parts = { all, lists, gateway, recorder, acceptsUnreadDays, onStep };
    const { count, unreadDays } = await readSince(loss.since, clock.now(), parts);
    if (unreadDays.length > 0) {
      const fields: LogFields = { since: new Date(loss.since).toISOString(), days: unreadDays };
      const logger = createLogger(config.logLevel);
      logger.warn(fields, 'a restore was finished without these days');
    }
    await database.transaction('restore:mark-read', markLossRead);
    const { adopted, notFound } = lostAttempts;
    return { transactions: count, unreadDays, adopted, notFound };
  } catch (cause) {
    throw new AppError(
      503,
      'provider_unavailable',
      'the backup is in place, but the provider’s list of transactions could not be read to the end. ' +
        'Run "pay-session-server restore" again; the server does not start before. Where a day of the list ' +
        'can never be read, --accept-unread-days gives it up',
      { cause },
    );
  } finally {
    await shop.close();
    clients.close();
  }
}

/**
 * Reads the lists of all merchants whole, back to a time; returns the number of rows.
 *
 * @throws {AppError} when a page cannot be read; with `acceptsUnreadDays`, when none can be
 */
async function readSince(
  sinceMs: number,
  now: number,
  parts: {
    readonly all: readonly ProviderMerchant[];
    readonly lists: readonly TransactionList[];
    readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
    readonly recorder: Pick<PageRecorder, 'record'>;
    readonly acceptsUnreadDays: boolean;
    readonly onStep: OnStep | undefined;
  },
): Promise<{ count: number; unreadDays: string[] }> {
  let count = 0;
  const unreadDays = new Set<string>();
  const lists = [...parts.lists];
  for (const list of lists) {
    // Without an end but that of the list: a row may be listed later than newer ones.
    const start = { ...list, startedAt: now, sinceMs: -Infinity };
    const range = newestRange(start, sinceMs);
    let pages = 0;
    let namesMerchants = true;
    while (!range.isRead) {
      try {
        await readNextPage(parts.gateway, range, async ({ rows }) => {
          await parts.recorder.record(start, rows);
          if (rows.some(({ merchantId }) => merchantId === undefined)) namesMerchants = false;
          parts.onStep?.('restore:page-reconciled');
          count += rows.length;
        });
        pages += 1;
      } catch (error) {
        if (!parts.acceptsUnreadDays || !isOfProvider(error)) throw error;
        range.failures += 1;
        if (range.failures % MAX_TRIES === 0) passOver(range);
        // A provider that cannot be reached has no day that is worth giving up.
        if (range.isRead && pages === 0) throw error;
      }
    }
    if (range.unreadDays.length > 0 && !parts.acceptsUnreadDays) {
      throw new Error('the list was cut off');
    }
    for (const day of range.unreadDays) unreadDays.add(day);
    // Rows that name no merchant count only on the lists of their merchants.
    if (list.providerMerchantId === undefined && !namesMerchants) {
      const places = parts.all.filter(({ account }) => account === list.account);
      lists.push(...new Map(places.map((place) => [keyOf(place), toList(place)])).values());
    }
  }
  // The list is requested to the day after: nothing was paid then.
  const today = new Date(now).toISOString().slice(0, 10);
  return { count, unreadDays: [...unreadDays].filter((day) => day <= today).toSorted() };
}

function toList({ account, providerMerchantId }: ProviderMerchant): TransactionList {
  return { account, providerMerchantId };
}

function isOfProvider(error: unknown): boolean {
  return error instanceof AppError && error.code === 'provider_unavailable';
}
