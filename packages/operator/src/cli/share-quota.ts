import {
  type Config,
  type Database,
  hasAccountList,
  type MerchantSource,
  PageQuota,
  ReadTurns,
  type ReconciliationService,
  systemClock,
  waitForPage,
} from '@pay-checkout/session-server/internals';

/** Half of this a minute, as with every quota: the other half is reserved for polls, which do not run here. */
const PAGES_ALONE = 40;

/**
 * The quota of a command. A quota that servers share by PostgreSQL is shared with the command too. A server
 * on a data file keeps its quota in memory: the command reads 20 pages a minute in addition.
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
