import type { ChangeFeed } from '../checkout/change-feed.js';
import type { CheckoutStore, DueLook } from '../checkout/checkout-store.js';
import { crashPoint } from '../crash-points.js';
import type { Logger } from '../logger.js';
import { repeat, type Repeating } from '../repeat.js';
import type { EvidenceService } from './evidence-service.js';

const BATCH = 100;
const PAUSE_MS = 1000;

export interface SweeperOptions {
  readonly store: CheckoutStore;
  readonly evidence: EvidenceService;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/**
 * Settles what nobody came back for: lets the clock work on checkouts whose time has come, and
 * looks for evidence of every watched attempt at growing pauses.
 */
export function startSweeper({ store, evidence, changes, logger }: SweeperOptions): Repeating {
  return repeat({
    name: 'sweeper',
    logger,
    pauseMs: PAUSE_MS,
    async run() {
      const changed = await store.applyTime(BATCH);
      if (changed.length > 0) crashPoint('sweep:time-applied');
      for (const { after } of changed) changes.notify(after.id);
      const due = await store.claimDueLooks(BATCH);
      if (due.length > 0) crashPoint('sweep:looks-claimed');
      for (const [merchant, since] of oldestByMerchant(due)) {
        // Not awaited: a merchant whose reader is slow must not hold up the clock of the others.
        void evidence.look(merchant, since);
      }
      return due.length === BATCH || changed.length === BATCH ? 0 : undefined;
    },
  });
}

function oldestByMerchant(due: readonly DueLook[]): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const { merchant, createdAt } of due) {
    oldest.set(merchant, Math.min(oldest.get(merchant) ?? Infinity, createdAt));
  }
  return oldest;
}
