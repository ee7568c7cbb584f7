import type { PartnerGateway } from '../provider/gateway.js';
import { crashPoint } from '../crash-points.js';
import type { ReconciliationService } from '../reconciliation/service.js';
import type { Merchant } from '../merchants/merchant.js';
import type { Loss } from './restore-store.js';

const DAY_MS = 86_400_000;
const PAGE_ROWS = 100;

export interface ReadSinceLossOptions {
  readonly loss: Loss;
  readonly merchants: readonly Merchant[];
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly evidence: Pick<ReconciliationService, 'settle'>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reads each merchant's list from the day before the loss to now, whole, and stores what it proves;
 * answers how many rows that were. It rejects when a page cannot be read: then it is to be run again.
 */
export async function readSinceLoss(options: ReadSinceLossOptions): Promise<number> {
  const { loss, merchants, gateway, evidence, now } = options;
  const window = { fromDate: dayOf(loss.since - DAY_MS), toDate: dayOf(now + DAY_MS) };
  let count = 0;
  for (const providerMerchantId of new Set(merchants.map((one) => one.providerMerchantId))) {
    const taken = new Set<string | undefined>();
    let cursor: string | undefined;
    do {
      taken.add(cursor);
      const query = { ...window, providerMerchantId, cursor, limit: PAGE_ROWS };
      const page = await gateway.listTransactions(query);
      await evidence.settle(providerMerchantId, page.rows);
      crashPoint('restore:page-settled');
      count += page.rows.length;
      cursor = page.nextCursor;
      // A cursor that comes again leads round in a circle.
    } while (cursor !== undefined && !taken.has(cursor));
  }
  return count;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
