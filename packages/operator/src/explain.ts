import {
  type Checkout,
  describeTime,
  expectedPaymentOf,
  findAttempts,
  findCheckoutsOfOrder,
  findKnownRow,
  findTransactions,
  formatMinor,
  hasAccountList,
  keyOf,
  type MatchResult,
  matchTransaction,
  type Merchant,
  type MerchantSource,
  newestRange,
  type OrderKey,
  type PartnerGateway,
  type ProviderMerchant,
  type Reader,
  readNextPage,
  type ReconciliationService,
  type TransactionRow,
} from '@pay-checkout/session-server/internals';
import { readTimeline } from './timeline.js';
import { describeEntry, describeReason } from './timeline-words.js';

/** Enough to find an order of the last days, and an end for one that is not there. */
const MAX_PAGES = 200;

export interface ExplainOptions {
  readonly merchant: Merchant;
  readonly order: string;
  readonly database: Reader;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  readonly merchants: Pick<MerchantSource, 'accounts'>;
  readonly waitForPage: ReconciliationService['waitForPage'];
  /** Ends the reading; what was read is explained. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Says in lines of text what is known of an order, and why each transaction that may be its payment
 * counts or not. It reads the provider's list again and changes nothing.
 */
export async function explainOrder(options: ExplainOptions): Promise<string[]> {
  const { merchant, order, database, merchants, now } = options;
  const checkouts = await findCheckoutsOfOrder(database, merchant.id, order);
  if (checkouts.length === 0) return [`Order ${order} of ${merchant.id}: no checkout was created.`];
  const attempts = (
    await Promise.all(checkouts.map(({ id }) => findAttempts(database, id)))
  ).flat();
  const { rows, unreadable, end } = await readLists(
    options,
    [...new Map(attempts.map((attempt) => [keyOf(attempt), attempt])).values()],
    Math.min(...checkouts.map(({ createdAt }) => createdAt)),
  );
  const lines: string[] = [];
  for (const checkout of checkouts) {
    const price = `${formatMinor(checkout.amountMinor, checkout.decimals)} ${checkout.currency}`;
    lines.push(
      `Checkout ${checkout.id}: ${checkout.state}, ${price}, created ${textOf(checkout.createdAt)}`,
      ...checkout.attention.map((code) => `  attention: ${code}`),
      ...(await findTransactions(database, checkout.id)).map(({ id }) => `  transaction: ${id}`),
    );
    for (const attempt of attempts.filter((made) => made.checkout === checkout.id)) {
      const names = `order_id ${String(attempt.orderId)}, reference ${attempt.merchantReference}`;
      lines.push(`  Attempt ${names}: ${attempt.status}, ${textOf(attempt.createdAt)}`);
      const expected = expectedPaymentOf(attempt, checkout);
      const candidates = rows
        .filter(({ account }) => account === attempt.account)
        .map(({ row }) => row)
        .filter((row) => isCandidate(row, order, attempt.orderId));
      for (const row of candidates) {
        const result = matchTransaction(row, expected, merchant.evidence);
        const known = await findKnownRow(database, attempt.account, row.id ?? '');
        const served = known?.checkout;
        const isOfAnother =
          result.kind !== 'none' && served !== undefined && served !== checkout.id;
        const reason = isOfAnother
          ? `does not count: it serves the checkout ${served}`
          : describeResult(result, row, checkout);
        lines.push(`    ${describeRow(row)}: ${reason}`);
        if (
          result.kind === 'paid' &&
          !known &&
          (await hasAccountList(merchants, attempt.account))
        ) {
          lines.push(
            '      not recorded yet: it is in the merchant’s list, and the server reads the account’s list; if this',
            '      does not change, "pay-session-server check" compares both',
          );
        }
      }
      if (candidates.length === 0)
        lines.push(
          `    no transaction${end === 'complete' ? '' : ' that was read'} names this order`,
        );
    }
  }
  if (unreadable > 0) {
    lines.push(
      `Rows of the list that could not be read: ${String(unreadable)}. Any may be about this order.`,
    );
  }
  const count = String(rows.length);
  const words = {
    complete: `${count} transactions read, back to the first checkout.`,
    limit: `The newest ${count} transactions were read, and older ones were not.`,
    gap: `${count} transactions read, and others may be missing: the provider cut its list off.`,
  };
  lines.push(`${words[end]} ${textOf(now)}`);
  return lines;
}

/** Says in lines of text what happened to an order, oldest first, as it is stored. */
export async function describeTimeline(
  database: Reader,
  key: OrderKey,
): Promise<readonly string[]> {
  const timeline = await readTimeline(database, key);
  const entries = timeline?.entries.toReversed() ?? [];
  return entries.map((entry) => `${textOf(entry.at)}  ${describeEntry(entry)}`);
}

/** A row, and the account whose list it is in. */
interface ListedRow {
  readonly account: string;
  readonly row: TransactionRow;
}

/** The rows of each id that the merchant had at each provider account. */
async function readLists(
  { gateway, now, waitForPage, signal }: ExplainOptions,
  places: readonly ProviderMerchant[],
  windowMs: number,
): Promise<{ rows: ListedRow[]; unreadable: number; end: 'complete' | 'limit' | 'gap' }> {
  const rows: ListedRow[] = [];
  let unreadable = 0;
  let pages = 0;
  let hasGap = false;
  for (const { account, providerMerchantId } of places) {
    const start = { account, providerMerchantId, startedAt: now, sinceMs: -Infinity };
    const range = newestRange(start, windowMs);
    while (!range.isRead) {
      if (pages < MAX_PAGES) await waitForPage(range, signal);
      if (pages === MAX_PAGES || signal.aborted) return { rows, unreadable, end: 'limit' };
      await readNextPage(gateway, range, (page) => {
        rows.push(...page.rows.map((row) => ({ account, row })));
        unreadable += page.unreadable?.count ?? 0;
      });
      pages += 1;
    }
    hasGap ||= range.unreadDays.length > 0;
  }
  return { rows, unreadable, end: hasGap ? 'gap' : 'complete' };
}

/**
 * Whether any field, not only a match field, seems to name this order. Near misses are shown too, such
 * as another case or leading zeros.
 */
function isCandidate(row: TransactionRow, order: string, orderId: number): boolean {
  const name = order.toLowerCase();
  return Object.values(row.references).some((value) => {
    const text = value.toLowerCase().trim();
    return (
      text === name || text.startsWith(`${name}.`) || text.replace(/^0+/, '') === String(orderId)
    );
  });
}

function describeRow(row: TransactionRow): string {
  const { id = 'no id', status = 'no status', amount = 'no amount', currencyCode = '' } = row;
  return `${id} ${describeTime(row)} ${status} ${amount} ${currencyCode}`.trim();
}

function describeResult(
  result: MatchResult,
  { id }: TransactionRow,
  { amountMinor, decimals, paidBy }: Checkout,
): string {
  switch (result.kind) {
    case 'none':
      return `does not count: ${describeReason(result.reason)}`;
    case 'mismatch':
      return `does not count, and needs a person: ${result.code}`;
    case 'failed':
      return 'says that the payment failed';
    case 'refunded':
      if (paidBy === undefined) {
        return 'does not count: money was refunded, and no row shows the payment of the price';
      }
      return `counts, refunded ${formatMinor(result.money.refundedMinor, decimals)}`;
    case 'paid': {
      const { isRefundRow, refundedMinor } = result.money;
      const isOther = paidBy !== undefined && paidBy !== id && !isRefundRow;
      const counts = isOther ? `counts, in addition to the payment ${paidBy}` : 'counts';
      const refunded = formatMinor(Math.min(refundedMinor, amountMinor), decimals);
      return refundedMinor === 0 ? counts : `${counts}, refunded ${refunded}`;
    }
  }
}

function textOf(ms: number): string {
  return new Date(ms).toISOString();
}
