import type {
  PartnerGateway,
  ProviderMerchant,
  TransactionList,
  TransactionRow,
} from '../provider/gateway.js';
import { timeOf } from './matching.js';
import { newestRange, readNextPage } from './page-range.js';

const DAY_MS = 86_400_000;
const DAYS = 14;
/** A sample: with thousands of merchants, not every list is requested. */
const MAX_MERCHANTS = 10;
const MAX_PAGES = 20;

/** How an account's list compares with its merchants' own lists. */
export type ListComparison =
  /** The list of a merchant cannot be read. */
  | { readonly kind: 'unreachable'; readonly providerMerchantId: number; readonly cause: unknown }
  /** The account's list cannot be read; the merchants' lists can. */
  | { readonly kind: 'refused'; readonly cause: unknown }
  | {
      readonly kind: 'compared';
      readonly merchants: number;
      readonly transactions: number;
      readonly missing: number;
      /** Rows without the right `merchantId`. */
      readonly withoutMerchant: number;
    };

/**
 * Compares the newest transactions of some merchants with the list of their account, back to where both
 * were read.
 *
 * @param places merchants of one account
 */
export async function compareLists(
  gateway: Pick<PartnerGateway, 'listTransactions'>,
  account: string,
  places: readonly ProviderMerchant[],
  now: number,
): Promise<ListComparison> {
  const ids = [...new Set(places.map(({ providerMerchantId }) => providerMerchantId))];
  const asked = ids.slice(0, MAX_MERCHANTS);
  const own: { readonly id: number; readonly row: TransactionRow }[] = [];
  // Before the account's list, so that it includes whatever is added in between.
  for (const id of asked) {
    try {
      const { rows } = await readNewest(gateway, { account, providerMerchantId: id }, now, 1);
      own.push(...rows.map((row) => ({ id, row })));
    } catch (cause) {
      return { kind: 'unreachable', providerMerchantId: id, cause };
    }
  }
  let ofAccount;
  try {
    ofAccount = await readNewest(gateway, { account }, now, MAX_PAGES);
  } catch (cause) {
    return { kind: 'refused', cause };
  }
  const { rows, sinceMs } = ofAccount;
  const listed = new Map(rows.map((row) => [row.id, row]));
  const compared = own.filter(({ row }) => row.id !== undefined && (timeOf(row) ?? 0) > sinceMs);
  const missing = compared.filter(({ row }) => !listed.has(row.id));
  const withoutMerchant = compared.filter(({ id, row }) => {
    const found = listed.get(row.id);
    return found !== undefined && found.merchantId !== id;
  });
  return {
    kind: 'compared',
    merchants: asked.length,
    transactions: compared.length,
    missing: missing.length,
    withoutMerchant: withoutMerchant.length,
  };
}

/** The newest rows, and the time back to which they are complete. */
async function readNewest(
  gateway: Pick<PartnerGateway, 'listTransactions'>,
  list: TransactionList,
  now: number,
  maxPages: number,
): Promise<{ rows: TransactionRow[]; sinceMs: number }> {
  const rows: TransactionRow[] = [];
  const sinceMs = now - DAYS * DAY_MS;
  const range = newestRange({ ...list, startedAt: now, sinceMs }, sinceMs);
  for (let page = 0; page < maxPages && !range.isRead; page += 1) {
    await readNextPage(gateway, range, (read) => {
      rows.push(...read.rows);
    });
  }
  return { rows, sinceMs: range.isRead ? sinceMs : range.oldestReadMs };
}
