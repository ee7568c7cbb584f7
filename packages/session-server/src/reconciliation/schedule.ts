import type { ChangeFeed } from '../checkouts/change-feed.js';
import { applyTime, type StepContext } from '../checkouts/checkout-transactions.js';
import { DEFAULT_ACCOUNT, type Merchant } from '../merchants/merchant.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { keyOf } from '../provider/gateway.js';
import { describeError, type Logger } from '../logger.js';
import { type RunLoop, type RunLoops, withUpkeep } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { sql } from '../store/sql.js';
import type { PollLog } from './poll-log.js';
import { claimDuePolls, countWatchedAttempts } from './repository.js';
import type { ReconciliationService } from './service.js';

const BATCH = 100;
const UPKEEP_MS = 1000;

/** When time alone changes a checkout, or an attempt is to be polled for. */
const NEXT_DUE = sql`
  SELECT min(at) FROM (
    SELECT min(due_at) AS at FROM checkouts WHERE due_at IS NOT NULL
    UNION ALL SELECT min(next_poll_at) FROM attempts WHERE next_poll_at IS NOT NULL
  ) AS due`;

export interface ScheduleOptions {
  readonly loops: RunLoops;
  readonly database: Database;
  readonly context: StepContext;
  readonly merchants: Pick<MerchantSource, 'all' | 'accounts'>;
  readonly reconciliation: Pick<ReconciliationService, 'poll'>;
  /** Default: polls are not logged. */
  readonly pollLog?: Pick<PollLog, 'write'>;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Settles checkouts that no one came back for: applies time to those that are due, and polls for every
 * watched attempt at growing intervals.
 */
export function startSchedule(options: ScheduleOptions): RunLoop {
  const { loops, database, context, merchants, reconciliation, changes, logger } = options;
  let checked: readonly Merchant[] | undefined;
  const upkeep = loops.start({
    name: 'schedule upkeep',
    async run() {
      const all = await merchants.all();
      if (all !== checked) await warnOfMissingAccounts(options);
      checked = all;
      await options.pollLog?.write();
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
      const due = await database.transaction('schedule:claim-polls', (tx) =>
        claimDuePolls(tx, BATCH, context.clock.now(), context.rules),
      );
      const byPlace = Map.groupBy(due, (poll) => `${poll.merchant} ${keyOf(poll)}`);
      for (const polls of byPlace.values()) {
        const oldest = polls.reduce((one, other) =>
          one.createdAt <= other.createdAt ? one : other,
        );
        // Not awaited: a slow list of one merchant must not delay the others.
        reconciliation.poll(oldest, polls).catch((error: unknown) => {
          const { merchant } = oldest;
          logger.error({ merchant, ...describeError(error) }, 'a scheduled poll could not start');
        });
      }
      return due.length === BATCH || changed.length === BATCH ? 0 : undefined;
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
