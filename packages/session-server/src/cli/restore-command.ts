import { PartnerClient } from '@pay-checkout/partner-api';
import { ChangeFeed } from '../checkouts/change-feed.js';
import { createPartnerGateway } from '../provider/gateway.js';
import { type Clock, systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { crashPoint } from '../crash-points.js';
import { AppError } from '../errors.js';
import { ReconciliationService } from '../reconciliation/service.js';
import { createLogger } from '../logger.js';
import { readMerchants } from '../merchants/file-merchant-source.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { ShopClient } from '../provider/shop-client.js';
import { createOrderLookup } from '../orders/order-lookup.js';
import { type LostPayment, LostAttempts } from '../restore/lost-attempts.js';
import { finishPutBack, putBack } from '../restore/put-back.js';
import { readSinceLoss } from '../restore/read-since-loss.js';
import type { Loss } from '../restore/restore-store.js';
import { SqliteCheckoutStore } from '../store/sqlite-store.js';
import { storeRulesOf } from '../store/store-rules.js';

/**
 * `pay-session-server restore <backup file>`, `restore --since <time>` and `restore`, while no server
 * runs: puts a backup back, or is told that one was, and then finds out from the provider's lists what
 * was paid in the time that it has lost. The server does not start before that is done.
 *
 * @throws {AppError} when the words are not these, or the provider cannot be asked
 */
export async function runRestore(
  config: Config,
  words: readonly string[],
  clock: Clock = systemClock,
): Promise<string[]> {
  const wanted = parseWords(words, clock.now());
  const lines: string[] = [];
  const tellKept = (kept: string | undefined): void => {
    if (kept !== undefined) lines.push(`The data file that was there is kept: ${kept}`);
  };
  const open = (path: string) =>
    SqliteCheckoutStore.open({ path, clock, rules: storeRulesOf(config) });
  const declare = async (path: string, since?: number): Promise<void> => {
    const store = await open(path);
    await store.declareLoss(since).finally(() => store.close());
    crashPoint('restore:declared');
  };
  tellKept(await finishPutBack(config.databaseFile));
  if (wanted.kind === 'backup') {
    const kept = await putBack({
      path: config.databaseFile,
      backupFile: wanted.file,
      clock,
      prepare: declare,
    });
    crashPoint('restore:put-back');
    tellKept(kept);
  } else if (wanted.kind === 'since') {
    await declare(config.databaseFile, wanted.since);
  }
  const store = await open(config.databaseFile);
  try {
    const loss = await store.findLoss();
    if (!loss || (loss.isRead && wanted.kind === 'finish')) return ['No restore is unfinished.'];
    lines.push(...(await findAgain(config, store, loss, clock)));
    return lines;
  } finally {
    await store.close();
  }
}

type Wanted =
  | { readonly kind: 'backup'; readonly file: string }
  | { readonly kind: 'since'; readonly since: number }
  | { readonly kind: 'finish' };

function parseWords(words: readonly string[], now: number): Wanted {
  const [first, second, ...more] = words;
  if (first === undefined) return { kind: 'finish' };
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
    'expected: restore <backup file>, or: restore --since <time of the backup, such as 2026-03-01T10:15:00Z>, or: restore',
  );
}

/** Reads the provider's lists back to the loss, and says what came of it. */
async function findAgain(
  config: Config,
  store: SqliteCheckoutStore,
  loss: Loss,
  clock: Clock,
): Promise<string[]> {
  const all = [...readMerchants(config.merchantsFile, config.environment).values()];
  const merchants: MerchantSource = {
    find: (id) => Promise.resolve(all.find((merchant) => merchant.id === id)),
    all: () => Promise.resolve(all),
    close: () => Promise.resolve(),
  };
  const client = new PartnerClient({
    apiKey: config.partnerApiKey,
    baseUrl: config.partnerApiUrl,
    timeoutSeconds: config.createSessionTimeoutSeconds,
  });
  const shop = new ShopClient();
  const logger = createLogger('silent');
  const lookUpOrder = createOrderLookup(shop);
  const lost = new LostAttempts({
    ...{ loss, store, merchants, lookUpOrder, clock, logger },
    // Each is asked once, whatever the others answered.
    restMs: 0,
  });
  const gateway = createPartnerGateway(client);
  const evidence = new ReconciliationService({
    store,
    merchants,
    gateway,
    changes: new ChangeFeed(),
    clock,
    logger,
    intervalMs: config.readIntervalSeconds * 1000,
    pagesPerMinute: config.readPagesPerMinute,
    lost,
  });
  try {
    const now = clock.now();
    const count = await readSinceLoss({ loss, merchants: all, gateway, evidence, now });
    await store.markLossRead();
    crashPoint('restore:read');
    return [
      `Transactions read, back to ${new Date(loss.since).toISOString()}: ${String(count)}`,
      `Payments found of checkouts that were lost: ${String(lost.adopted)}`,
      ...lost.notFound.map(describeNotFound),
      'The server may be started.',
    ];
  } catch (cause) {
    throw new AppError(
      503,
      'provider_unavailable',
      'the backup is in its place, but the provider’s list of transactions could not be read to its end. ' +
        'Run "pay-session-server restore" again; the server does not start before',
      { cause },
    );
  } finally {
    await evidence.close();
    await shop.close();
    client.close();
  }
}

function describeNotFound(payment: LostPayment): string {
  const { transaction, reference, providerMerchantId, isTemporary } = payment;
  const why = isTemporary
    ? 'the shop could not be asked for its order; the server asks again'
    : 'no order was found for it: look at it with the shop';
  return `Transaction ${transaction} of ${reference} at ${String(providerMerchantId)}: ${why}`;
}
