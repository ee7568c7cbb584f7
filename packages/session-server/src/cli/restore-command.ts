import { checkoutRulesOf } from '../checkouts/rules.js';
import { type Clock, systemClock } from '../clock.js';
import type { Config } from '../config.js';
import type { OnStep } from '../crash-points.js';
import { AppError } from '../errors.js';
import { DEFAULT_ACCOUNT } from '../merchants/merchant.js';
import { openDatabase } from '../open-database.js';
import type { LostPayment } from '../restore/lost-attempts.js';
import { type ReconciledLoss, reconcileLoss } from '../restore/reconcile-loss.js';
import { replaceDataFile } from '../restore/replace-data-file.js';
import { declareLoss, findLoss } from '../restore/repository.js';
import type { Database } from '../store/database.js';

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
    try {
      await database.transaction('restore:declare', (tx) =>
        declareLoss(tx, since, clock.now(), rules),
      );
    } finally {
      await database.close();
    }
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
    const found = await reconcileLoss(config, database, {
      ...{ loss, acceptsUnreadDays, clock, onStep },
    });
    return [...lines, ...describeLoss(found, loss.since)];
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

function describeLoss(
  { transactions, unreadDays, adopted, notFound }: ReconciledLoss,
  since: number,
): string[] {
  return [
    `Transactions read, back to ${new Date(since).toISOString()}: ${String(transactions)}`,
    ...unreadDays.map(
      (day) =>
        `Not read: ${day} (UTC). An order that was paid then may be unpaid here, and be paid again: compare it with the provider.`,
    ),
    `Payments found for lost checkouts: ${String(adopted)}`,
    ...notFound.map(describeNotFound),
    'You can start the server now.',
  ];
}

function describeNotFound(payment: LostPayment): string {
  const { transaction, reference, account, providerMerchantId, isTemporary } = payment;
  const at = account === DEFAULT_ACCOUNT ? '' : ` of account ${account}`;
  const why = isTemporary
    ? 'its shop gave no answer, or has to put the order again; the server will try again'
    : 'no order was found: check it with the shop';
  return `Transaction ${transaction} of ${reference} at ${String(providerMerchantId)}${at}: ${why}`;
}
