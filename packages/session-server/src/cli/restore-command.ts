import { checkoutRulesOf } from '../checkouts/rules.js';
import type { StepContext } from '../checkouts/checkout-transactions.js';
import { type Clock, systemClock } from '../clock.js';
import type { Config } from '../config.js';
import type { OnStep } from '../crash-points.js';
import { DataEncryption, loadSandboxKeys } from '../encryption.js';
import { AppError } from '../errors.js';
import { createLogger } from '../logger.js';
import { DEFAULT_ACCOUNT } from '../merchants/merchant.js';
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
import { LostAttempts, type LostPayment } from '../restore/lost-attempts.js';
import { replaceDataFile } from '../restore/replace-data-file.js';
import { declareLoss, findLoss, type Loss, markLossRead } from '../restore/repository.js';
import type { Database } from '../store/database.js';
import { openDatabase } from '../open-database.js';

/**
 * `pay-session-server restore <backup file>`, `restore --since <time>` and `restore`, while no server
 * runs: restores a backup, or notes that one was restored, and then finds out from the provider's
 * lists what was paid in the time that it has lost. The server does not start before that is done.
 *
 * @throws {AppError} when the arguments are wrong, or the provider cannot be reached
 */
export async function runRestore(
  config: Config,
  args: readonly string[],
  { clock = systemClock, onStep }: { clock?: Clock; onStep?: OnStep | undefined } = {},
): Promise<string[]> {
  const wanted = parseArgs(args, clock.now());
  const lines: string[] = [];
  const rules = checkoutRulesOf(config);
  const open = (path: string | undefined): Promise<Database> =>
    openDatabase({ ...config, databaseFile: path }, { clock, onStep });
  const declare = async (path: string | undefined, since?: number): Promise<void> => {
    const database = await open(path);
    await database
      .transaction('restore:declare', (tx) => declareLoss(tx, since, clock.now(), rules))
      .finally(() => database.close());
  };
  const path = config.databaseFile;
  if (wanted.kind === 'backup') {
    const backupFile = wanted.file;
    if (config.databaseUrl || path === undefined) {
      throw new AppError(
        400,
        'invalid_request',
        'a backup of PostgreSQL is put back with its own tools; then run: restore --since <time of the backup>',
      );
    }
    const kept = await replaceDataFile({
      path,
      backupFile,
      clock,
      prepare: declare,
      onStep,
    });
    if (kept !== undefined) lines.push(`The old data file is kept: ${kept}`);
  } else if (wanted.kind === 'since') {
    await declare(path, wanted.since);
  }
  const database = await open(path);
  try {
    const loss = await findLoss(database);
    if (!loss || (loss.isRead && wanted.kind === 'finish'))
      return ['There is no restore to finish.'];
    const acceptsUnreadDays = wanted.kind === 'finish' && wanted.acceptsUnreadDays;
    return [
      ...lines,
      ...(await reconcileLoss(config, database, { loss, acceptsUnreadDays, onStep }, clock)),
    ];
  } finally {
    await database.close();
  }
}

type Wanted =
  | { readonly kind: 'backup'; readonly file: string }
  | { readonly kind: 'since'; readonly since: number }
  | { readonly kind: 'finish'; readonly acceptsUnreadDays: boolean };

function parseArgs(args: readonly string[], now: number): Wanted {
  const [first, second, ...more] = args;
  const acceptsUnreadDays = first === '--accept-unread-days' && second === undefined;
  if (first === undefined || acceptsUnreadDays) return { kind: 'finish', acceptsUnreadDays };
  if (first === '--since' && second !== undefined && more.length === 0) {
    const since = Date.parse(second);
    if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(second) && since <= now) {
      return { kind: 'since', since };
    }
  } else if (!first.startsWith('-') && second === undefined) {
    return { kind: 'backup', file: first };
  }
  throw new AppError(
    400,
    'invalid_request',
    'expected: restore <backup file>, or: restore --since <time of the backup, such as 2026-03-01T10:15:00Z>, or: restore [--accept-unread-days]',
  );
}

/** Reads the provider's lists back to the loss, stores what they prove, and says what was found. */
async function reconcileLoss(
  config: Config,
  database: Database,
  {
    loss,
    acceptsUnreadDays,
    onStep,
  }: { loss: Loss; acceptsUnreadDays: boolean; onStep: OnStep | undefined },
  clock: Clock,
): Promise<string[]> {
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
      const fields = { since: new Date(loss.since).toISOString(), days: unreadDays };
      const logger = createLogger(config.logLevel);
      logger.warn(fields, 'a restore was finished without these days');
    }
    await database.transaction('restore:mark-read', markLossRead);
    return [
      `Transactions read, back to ${new Date(loss.since).toISOString()}: ${String(count)}`,
      ...unreadDays.map(
        (day) =>
          `Not read: ${day} (UTC). An order that was paid then may be unpaid here, and be paid again: compare it with the provider.`,
      ),
      `Payments found for lost checkouts: ${String(lostAttempts.adopted)}`,
      ...lostAttempts.notFound.map(describeNotFound),
      'You can start the server now.',
    ];
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

/** How often a page is requested before its day is skipped. */
const MAX_TRIES = 3;

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

function describeNotFound(payment: LostPayment): string {
  const { transaction, reference, account, providerMerchantId, isTemporary } = payment;
  const at = account === DEFAULT_ACCOUNT ? '' : ` of account ${account}`;
  const why = isTemporary
    ? 'its shop gave no answer, or has to put the order again; the server will try again'
    : 'no order was found: check it with the shop';
  return `Transaction ${transaction} of ${reference} at ${String(providerMerchantId)}${at}: ${why}`;
}
