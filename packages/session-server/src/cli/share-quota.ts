import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { hasAccountList, type MerchantSource } from '../merchants/merchant-source.js';
import { PageQuota, waitForPage } from '../reconciliation/pacing.js';
import { ReadTurns } from '../reconciliation/read-turns.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import type { Database } from '../store/database.js';

/** Half of them a minute, as of every quota: the other half is for polls, which there are none of here. */
const PAGES_ALONE = 40;

/**
 * The quota of a command. That of an account that servers share by PostgreSQL is shared here too. That of
 * a server on a data file is in its memory: 20 pages a minute are read beside it.
 */
export function shareQuota(
  database: Database,
  merchants: MerchantSource,
  { pollPagesPerMinute }: Config,
): ReconciliationService['waitForPage'] {
  const alone = new PageQuota(systemClock, PAGES_ALONE);
  return async ({ account, providerMerchantId }, signal) => {
    if (!database.isShared) return waitForPage(alone, signal);
    const list = (await hasAccountList(merchants, account))
      ? { account }
      : { account, providerMerchantId };
    const quota = new PageQuota(systemClock, pollPagesPerMinute);
    const turns = new ReadTurns({ database, clock: systemClock, list, quota, intervalMs: 0 });
    return waitForPage(turns, signal);
  };
}
