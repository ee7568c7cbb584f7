import type { ChangeFeed } from '../checkouts/change-feed.js';
import type { CheckoutStore, DuePoll } from '../checkouts/repository.js';
import { crashPoint } from '../crash-points.js';
import { describeError, type Logger } from '../logger.js';
import { type RunLoop, startRunLoop } from '../run-loop.js';
import type { ReconciliationService } from './service.js';

const BATCH = 100;
const PAUSE_MS = 1000;

export interface ScheduleOptions {
  readonly store: Pick<CheckoutStore, 'applyTime' | 'claimDuePolls'>;
  readonly reconciliation: Pick<ReconciliationService, 'poll'>;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Settles checkouts that no one came back for: applies time to those that are due, and polls for every
 * watched attempt at growing pauses.
 */
export function startSchedule(options: ScheduleOptions): RunLoop {
  const { store, reconciliation, changes, logger } = options;
  return startRunLoop({
    name: 'schedule',
    logger,
    pauseMs: PAUSE_MS,
    async run() {
      const changed = await store.applyTime(BATCH);
      if (changed.length > 0) crashPoint('schedule:time-applied');
      for (const { after } of changed) changes.notify(after.id);
      const due = await store.claimDuePolls(BATCH);
      if (due.length > 0) crashPoint('schedule:polls-claimed');
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
