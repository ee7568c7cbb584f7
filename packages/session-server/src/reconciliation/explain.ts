import type { Checkout } from '../checkouts/state-machine.js';
import type { CheckoutStore } from '../checkouts/repository.js';
import type { PartnerGateway } from '../provider/gateway.js';
import type { Merchant } from '../merchants/merchant.js';
import { formatMinor } from '../checkouts/money.js';
import { matchTransaction, type TransactionRow, type MatchResult } from './matching.js';
import { expectedPaymentOf } from './expected-payment.js';

const DAY_MS = 86_400_000;
const PAGE_ROWS = 100;
/** Enough to find an order of the last days, and an end for one that is not there. */
const MAX_PAGES = 200;

export interface ExplainOptions {
  readonly merchant: Merchant;
  readonly order: string;
  readonly store: Pick<
    CheckoutStore,
    'findOrder' | 'findAttempts' | 'findTransactions' | 'findServed'
  >;
  readonly gateway: Pick<PartnerGateway, 'listTransactions'>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Says in lines of text what is known of an order, and of each transaction that could be its
 * payment why it counts or not. It asks the provider's list anew and changes nothing.
 */
export async function explainOrder(options: ExplainOptions): Promise<string[]> {
  const { merchant, order, store, now } = options;
  const checkouts = await store.findOrder(merchant.id, order);
  if (checkouts.length === 0) return [`Order ${order} of ${merchant.id}: never opened here.`];
  const attempts = (await Promise.all(checkouts.map(({ id }) => store.findAttempts(id)))).flat();
  const { rows, unreadable, isWhole } = await readBack(
    options,
    new Set(attempts.map(({ providerMerchantId }) => providerMerchantId)),
    Math.min(...checkouts.map(({ createdAt }) => createdAt)),
  );
  const lines: string[] = [];
  for (const checkout of checkouts) {
    const price = `${formatMinor(checkout.amountMinor, checkout.decimals)} ${checkout.currency}`;
    lines.push(
      `Checkout ${checkout.id}: ${checkout.state}, ${price}, opened ${textOf(checkout.createdAt)}`,
      ...checkout.attention.map((code) => `  attention: ${code}`),
      ...(await store.findTransactions(checkout.id)).map(({ id }) => `  evidence: ${id}`),
    );
    for (const attempt of attempts.filter((made) => made.checkout === checkout.id)) {
      const names = `order_id ${String(attempt.orderId)}, reference ${attempt.merchantReference}`;
      lines.push(`  Attempt ${names}: ${attempt.status}, ${textOf(attempt.createdAt)}`);
      const expected = expectedPaymentOf(attempt, checkout);
      const candidates = rows.filter((row) => isCandidate(row, order, attempt.orderId));
      for (const row of candidates) {
        const verdict = matchTransaction(row, expected, merchant.evidence);
        const served = await store.findServed(row.id ?? '');
        const isTaken = verdict.kind !== 'none' && served !== undefined && served !== checkout.id;
        const said = isTaken
          ? `does not count: it serves the checkout ${served}`
          : describeVerdict(
              verdict,
              isBeside(row, checkout, merchant) ? checkout.paidBy : undefined,
            );
        lines.push(`    ${describeRow(row)}: ${said}`);
      }
      if (candidates.length === 0) lines.push('    no transaction names this order');
    }
  }
  if (unreadable > 0) {
    lines.push(
      `Rows of the list that are no transactions: ${String(unreadable)}. Any may be about this order.`,
    );
  }
  const count = String(rows.length);
  lines.push(
    isWhole
      ? `${count} transactions read, back to the first opening. ${textOf(now)}`
      : `The newest ${count} transactions were read, and older ones were not. ${textOf(now)}`,
  );
  return lines;
}

/** What the list has of each id that the merchant had at the provider. */
async function readBack(
  { gateway, now }: ExplainOptions,
  providerMerchantIds: ReadonlySet<number>,
  openedAt: number,
): Promise<{
  readonly rows: readonly TransactionRow[];
  readonly unreadable: number;
  readonly isWhole: boolean;
}> {
  const window = { fromDate: dayOf(openedAt - DAY_MS), toDate: dayOf(now + DAY_MS) };
  const rows: TransactionRow[] = [];
  let unreadable = 0;
  let pages = 0;
  for (const providerMerchantId of providerMerchantIds) {
    let cursor: string | undefined;
    do {
      if (pages === MAX_PAGES) return { rows, unreadable, isWhole: false };
      const query = { ...window, providerMerchantId, cursor, limit: PAGE_ROWS };
      const read = await gateway.listTransactions(query);
      pages += 1;
      rows.push(...read.rows);
      unreadable += read.unreadable?.count ?? 0;
      cursor = read.nextCursor === cursor ? undefined : read.nextCursor;
    } while (cursor !== undefined);
  }
  return { rows, unreadable, isWhole: true };
}

/**
 * Whether some field, not only a match field, seems to mean this order: a near miss is shown too, such
 * as one in another case or with zeros before it.
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

/** Whether a row shows a payment, and another one than the row that paid the checkout. */
function isBeside(row: TransactionRow, { paidBy }: Checkout, { evidence }: Merchant): boolean {
  return (
    paidBy !== undefined &&
    paidBy !== row.id &&
    !evidence.refundedStatuses.includes(row.status ?? '')
  );
}

function describeRow(row: TransactionRow): string {
  const { id = 'no id', status = 'no status', amount = 'no amount', currencyCode = '' } = row;
  return `${id} ${row.transactionTime ?? 'no time'} ${status} ${amount} ${currencyCode}`.trim();
}

/** @param paidBy the transaction that paid the checkout, when the row shows a payment beside it */
function describeVerdict(verdict: MatchResult, paidBy: string | undefined): string {
  switch (verdict.kind) {
    case 'none':
      return `does not count: ${verdict.reason}`;
    case 'mismatch':
      return `does not count, and needs a person: ${verdict.code}`;
    case 'paid': {
      const counts = paidBy === undefined ? 'counts' : `counts, beside the payment ${paidBy}`;
      return verdict.refund === 'none' ? counts : `${counts}, refund ${verdict.refund}`;
    }
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function textOf(ms: number): string {
  return new Date(ms).toISOString();
}
