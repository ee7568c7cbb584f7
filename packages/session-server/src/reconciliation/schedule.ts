import type { ChangeFeed } from '../checkouts/change-feed.js';
import type { CheckoutStore, DuePoll } from '../checkouts/repository.js';
import { crashPoint } from '../crash-points.js';
import { describeError, type Logger } from '../logger.js';
import { startRunLoop, type RunLoop } from '../run-loop.js';
import type { ReconciliationService } from './service.js';

const BATCH = 100;
const PAUSE_MS = 1000;

export interface ScheduleOptions {
  readonly store: Pick<CheckoutStore, 'applyTime' | 'claimDuePolls'>;
  readonly evidence: Pick<ReconciliationService, 'look'>;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Settles what nobody came back for: lets the clock work on checkouts whose time has come, and
 * looks for evidence of every watched attempt at growing pauses.
 */
export function startSchedule({ store, evidence, changes, logger }: ScheduleOptions): RunLoop {
  return startRunLoop({
    name: 'sweeper',
    logger,
    pauseMs: PAUSE_MS,
    async run() {
      const changed = await store.applyTime(BATCH);
      if (changed.length > 0) crashPoint('schedule:time-applied');
      for (const { after } of changed) changes.notify(after.id);
      const due = await store.claimDuePolls(BATCH);
      if (due.length > 0) crashPoint('schedule:polls-claimed');
      for (const oldest of oldestByReader(due)) {
        // Not awaited: a merchant whose reader is slow must not hold up the clock of the others.
        evidence.look(oldest).catch((error: unknown) => {
          const { merchant } = oldest;
          logger.error(
            { merchant, ...describeError(error) },
            'a look that was due could not begin',
          );
        });
      }
      return due.length === BATCH || changed.length === BATCH ? 0 : undefined;
    },
  });
}

/** The look that goes furthest back, for each merchant and each id that it had at the provider. */
function oldestByReader(due: readonly DuePoll[]): DuePoll[] {
  const oldest = new Map<string, DuePoll>();
  for (const look of due) {
    const reader = `${look.merchant} ${String(look.providerMerchantId)}`;
    const known = oldest.get(reader);
    if (!known || look.createdAt < known.createdAt) oldest.set(reader, look);
  }
  return [...oldest.values()];
}
