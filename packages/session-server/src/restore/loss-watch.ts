import type { Clock } from '../clock.js';
import { describeError, type LogFields, type Logger } from '../logger.js';
import type { MerchantSource } from '../merchants/merchant-source.js';
import { keyOf } from '../provider/gateway.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import type { RunLoop, RunLoops } from '../run-loop.js';
import type { Loss } from './repository.js';

const PAUSE_MS = 300_000;
/** A shop that gave no answer may be asked again at the next poll of this watch. */
export const LOST_PAUSE_MS = PAUSE_MS - 1000;
/** How far each poll goes back behind the one before it, for rows that are listed late. */
const RE_READ_MS = 3_600_000;

export interface LossWatchOptions {
  readonly loops: RunLoops;
  readonly loss: Loss;
  readonly watchSeconds: number;
  readonly reconciliation: Pick<ReconciliationService, 'poll'>;
  readonly merchants: Pick<MerchantSource, 'all'>;
  /** Whether a payment was found whose order trying again may find. */
  readonly isRetrying: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Polls for payments of sessions that a backup has lost: no one waits for them, and they may still be
 * open in a browser. The first poll goes back to the loss, the next ones to what is new, for as long
 * as an unpaid attempt is watched.
 */
export function startLossWatch(options: LossWatchOptions): RunLoop {
  const { loops, loss, watchSeconds, reconciliation, merchants, isRetrying } = options;
  const { clock, logger } = options;
  let since = loss.since;
  return loops.start({
    name: 'loss watch',
    async run() {
      const now = clock.now();
      if (now > loss.until + watchSeconds * 1000) return undefined;
      const createdAt = isRetrying() ? loss.since : since;
      // One poll for each id at an account, whichever merchant has it.
      const all = await merchants.all();
      const byProvider = new Map(all.map((merchant) => [keyOf(merchant), merchant]));
      for (const { id, account, providerMerchantId } of byProvider.values()) {
        // Not awaited: a poller that backs off must not delay the end of the server.
        reconciliation
          .poll({ merchant: id, account, providerMerchantId, createdAt })
          .catch((error: unknown) => {
            const fields: LogFields = { merchant: id, ...describeError(error) };
            logger.error(fields, 'a scheduled poll could not start');
          });
      }
      since = now - RE_READ_MS;
      return PAUSE_MS;
    },
  });
}
