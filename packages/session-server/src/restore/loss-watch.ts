import type { Clock } from '../clock.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import { describeError, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { startRunLoop, type RunLoop } from '../run-loop.js';
import type { Loss } from './restore-store.js';

const PAUSE_MS = 300_000;
/** Whoever was asked at one look may be asked again at the next one of this watch. */
export const LOST_REST_MS = PAUSE_MS - 1000;
/** How far each look goes back behind the one before it: the list may be late. */
const OVERLAP_MS = 3_600_000;

export interface LossWatchOptions {
  readonly loss: Loss;
  readonly watchSeconds: number;
  readonly evidence: Pick<ReconciliationService, 'look'>;
  readonly merchants: Pick<MerchantSource, 'all'>;
  /** Whether a payment was found of an order that a shop could not be asked for. */
  readonly isAsking: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Looks for payments of sessions that a backup has lost: nobody waits for them, and they may still be
 * open in some browser. It looks back to the loss once, then at what is new, for as long as an unpaid
 * attempt is polled for.
 */
export function startLossWatch(options: LossWatchOptions): RunLoop {
  const { loss, watchSeconds, evidence, merchants, isAsking, clock, logger } = options;
  let since = loss.since;
  return startRunLoop({
    name: 'loss watch',
    logger,
    pauseMs: PAUSE_MS,
    async run() {
      const now = clock.now();
      if (now > loss.until + watchSeconds * 1000) return undefined;
      const createdAt = isAsking() ? loss.since : since;
      // One look for each id at the provider, whichever merchant it is of.
      const all = await merchants.all();
      const byProvider = new Map(all.map((merchant) => [merchant.providerMerchantId, merchant]));
      for (const [providerMerchantId, { id }] of byProvider) {
        // Not awaited: a reader that pauses must not hold up the end of the server.
        evidence.look({ merchant: id, providerMerchantId, createdAt }).catch((error: unknown) => {
          logger.error(
            { merchant: id, ...describeError(error) },
            'a look that was due could not begin',
          );
        });
      }
      since = now - OVERLAP_MS;
      return undefined;
    },
  });
}
