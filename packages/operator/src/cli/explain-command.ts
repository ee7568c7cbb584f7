import {
  AppError,
  type Config,
  ConfigError,
  type Database,
  findMerchantsOf,
  type Merchant,
  type MerchantSource,
  systemClock,
} from '@pay-checkout/session-server/internals';
import { describeTimeline, explainOrder } from '../explain.js';
import { withLists } from './list-access.js';

/**
 * `pay-session-server explain <order> [merchant]`, with or without a running server.
 *
 * @throws {AppError} 404 `order_not_found`
 */
export function runExplain(
  config: Config,
  order: string,
  merchantId?: string,
  isJson = false,
): Promise<string[]> {
  return withLists(config, async (access) => {
    const { database, merchants } = access;
    if (merchantId !== undefined && !(await merchants.find(merchantId))) {
      throw new ConfigError('merchants file', [`there is no merchant "${merchantId}"`]);
    }
    const { signal } = new AbortController();
    const now = systemClock.now();
    const explained = [];
    for (const merchant of await findMerchants(database, merchants, order, merchantId)) {
      const key = { merchant: merchant.id, order };
      const timeline = await describeTimeline(database, key);
      const lines = await explainOrder({ ...access, order, merchant, signal, now });
      explained.push({ ...key, timeline, lines });
    }
    if (isJson) return [JSON.stringify(explained)];
    return explained.flatMap(({ timeline, lines }) => [...timeline, ...lines]);
  });
}

/** The merchants of the file that have an order of this name; all of them, or the one that is named. */
async function findMerchants(
  database: Database,
  source: MerchantSource,
  order: string,
  named: string | undefined,
): Promise<Merchant[]> {
  const ids = await findMerchantsOf(database, order);
  const found = (await source.all()).filter(
    ({ id }) => ids.includes(id) && (named === undefined || id === named),
  );
  if (found.length > 0) return found;
  const others = ids.filter((id) => id !== named);
  const whose = named === undefined ? '' : ` of ${named}`;
  const hint =
    others.length === 0
      ? ''
      : `; ${others.join(', ')} ${others.length === 1 ? 'has' : 'have'} one of this name`;
  throw new AppError(404, 'order_not_found', `there is no order "${order}"${whose}${hint}`);
}
