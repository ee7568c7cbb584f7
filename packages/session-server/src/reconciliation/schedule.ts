import type { ChangeFeed } from '../checkouts/change-feed.js';
import { applyTime, type StepContext } from '../checkouts/checkout-transactions.js';
import { DEFAULT_ACCOUNT, type Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import type { Logger } from '../logger.js';
import { type RunLoop, type RunLoops, withUpkeep } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { sql } from '../store/sql.js';
import { countWatchedAttempts } from './polls.js';

const BATCH = 100;
const UPKEEP_MS = 1000;

/** When time alone changes a checkout. */
const NEXT_DUE = sql`SELECT min(due_at) FROM checkouts WHERE due_at IS NOT NULL`;

export interface ScheduleOptions {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: Pick<MerchantSource, 'all' | 'accounts'>;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/** Settles checkouts that no one came back for: applies time to those that are due. */
export function startSchedule(options: ScheduleOptions): RunLoop {
  const { loops, database, context, merchants, changes } = options;
  let checked: readonly Merchant[] | undefined;
  const upkeep = loops.start({
    name: 'schedule upkeep',
    async run() {
      const all = await merchants.all();
      if (all !== checked) await warnOfMissingAccounts(options);
      checked = all;
      return UPKEEP_MS;
    },
  });
  const schedule = loops.start({
    name: 'schedule',
    nextDue: NEXT_DUE,
    async run() {
      const changed = await database.transaction('schedule:apply-time', (tx) =>
        applyTime(tx, BATCH, context),
      );
      for (const { after } of changed) changes.notify(after.id);
      return changed.length === BATCH ? 0 : undefined;
    },
  });
  return withUpkeep(schedule, upkeep);
}

/** Attempts may outlive their account in the merchants file. */
async function warnOfMissingAccounts({ database, merchants, logger }: ScheduleOptions) {
  const accounts = await merchants.accounts?.();
  for (const { account, attempts } of await countWatchedAttempts(database)) {
    if (account === DEFAULT_ACCOUNT || accounts?.has(account)) continue;
    logger.warn(
      { account, attempts },
      'attempts are watched at an account that was removed; their payments are no longer confirmed',
    );
  }
}
