import {
  type Config,
  createPartnerGateway,
  type Database,
  fixedMerchants,
  hasAccountList,
  type MerchantSource,
  openAlongside,
  PageQuota,
  PartnerClients,
  type PartnerGateway,
  ReadLease,
  readMerchantsFile,
  type ReconciliationService,
  systemClock,
  waitForPage,
} from '@pay-checkout/session-server/internals';

/** What a command needs to read the provider's lists, with or without a running server. */
export interface ListAccess extends Pick<ReconciliationService, 'waitForPage'> {
  readonly database: Database;
  readonly merchants: MerchantSource;
  readonly gateway: PartnerGateway;
}

/** Closes everything when the work has ended. */
export async function withLists<T>(
  config: Config,
  work: (access: ListAccess) => Promise<T>,
): Promise<T> {
  const merchants = fixedMerchants(readMerchantsFile(config.merchantsFile, config.environment));
  const clients = new PartnerClients(config, merchants);
  const database = await openAlongside(config, 'read');
  try {
    return await work({
      ...{ database, merchants, gateway: createPartnerGateway(clients) },
      waitForPage: shareQuota(database, merchants, config),
    });
  } finally {
    await database.close();
    clients.close();
  }
}

/** Half of this a minute, as with every quota: the other half is reserved for polls, which do not run here. */
const PAGES_ALONE = 40;

/**
 * The quota of a command. A quota that servers share by PostgreSQL is shared with the command too. A server
 * on a data file keeps its quota in memory: the command reads 20 pages a minute in addition.
 */
function shareQuota(
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
    const lease = new ReadLease({ database, clock: systemClock, list, quota });
    return waitForPage(lease, signal);
  };
}
