import type { ChangeFeed } from '../checkouts/change-feed.js';
import { applyTime, type StepContext } from '../checkouts/steps.js';
import { describeError, type Logger } from '../logger.js';
import { type RunLoop, startRunLoop } from '../run-loop.js';
import type { Database } from '../store/database.js';
import { claimDuePolls, type DuePoll } from './repository.js';
import type { ReconciliationService } from './service.js';

const BATCH = 100;
const PAUSE_MS = 1000;

export interface ScheduleOptions {
  readonly database: Database;
  readonly context: StepContext;
  readonly reconciliation: Pick<ReconciliationService, 'poll'>;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Settles checkouts that no one came back for: applies time to those that are due, and polls for every
 * watched attempt at growing pauses.
 */
export function startSchedule(options: ScheduleOptions): RunLoop {
  const { database, context, reconciliation, changes, logger } = options;
  return startRunLoop({
    name: 'schedule',
    logger,
    pauseMs: PAUSE_MS,
    async run() {
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

/** The poll that goes furthest back, for each merchant and each id that it had at the provider. */
function oldestByPoller(due: readonly DuePoll[]): DuePoll[] {
  const oldest = new Map<string, DuePoll>();
  for (const poll of due) {
    const key = `${poll.merchant} ${String(poll.providerMerchantId)}`;
    const known = oldest.get(key);
    if (!known || poll.createdAt < known.createdAt) oldest.set(key, poll);
  }
  return [...oldest.values()];
}
