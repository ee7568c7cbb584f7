import type { ChangeFeed } from '../checkouts/change-feed.js';
import { applyTime, type StepContext } from '../checkouts/steps.js';
import { DEFAULT_ACCOUNT, type Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { keyOf } from '../provider/gateway.js';
import { describeError, type Logger } from '../logger.js';
import { type RunLoop, startRunLoop } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { claimDuePolls, countWatchedAttempts, type DuePoll } from './repository.js';
import type { ReconciliationService } from './service.js';

const BATCH = 100;
const PAUSE_MS = 1000;

export interface ScheduleOptions {
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: Pick<MerchantSource, 'all' | 'accounts'>;
  readonly reconciliation: Pick<ReconciliationService, 'poll'>;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Settles checkouts that no one came back for: applies time to those that are due, and polls for every
 * watched attempt at growing pauses.
 */
export function startSchedule(options: ScheduleOptions): RunLoop {
  const { database, context, merchants, reconciliation, changes, logger } = options;
  let checked: readonly Merchant[] | undefined;
  return startRunLoop({
    name: 'schedule',
    logger,
    pauseMs: PAUSE_MS,
    async run() {
      const all = await merchants.all();
      if (all !== checked) await warnOfMissingAccounts(options);
      checked = all;
      const changed = await database.transaction('schedule:apply-time', (tx) =>
        applyTime(tx, BATCH, context),
      );
      for (const { after } of changed) changes.notify(after.id);
      const due = await database.transaction('schedule:claim-polls', (tx) =>
        claimDuePolls(tx, BATCH, context.clock.now(), context.rules),
      );
      for (const poll of oldestByPoller(due)) {
        // Not awaited: a slow list of one merchant must not delay the others.
        reconciliation.poll(poll).catch((error: unknown) => {
          const { merchant } = poll;
          logger.error({ merchant, ...describeError(error) }, 'a scheduled poll could not start');
        });
      }
      return due.length === BATCH || changed.length === BATCH ? 0 : undefined;
    },
  });
}

/** Attempts outlive what the merchants file says: their account may be gone from it. */
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

/** The poll that goes furthest back, for each merchant and each id that it had at an account. */
function oldestByPoller(due: readonly DuePoll[]): DuePoll[] {
  const oldest = new Map<string, DuePoll>();
  for (const poll of due) {
    const key = `${poll.merchant} ${keyOf(poll)}`;
    const known = oldest.get(key);
    if (!known || poll.createdAt < known.createdAt) oldest.set(key, poll);
  }
  return [...oldest.values()];
}
