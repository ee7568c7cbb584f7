import {
  optionalText,
  type Reader,
  type Row,
  type SplitRule,
  sql,
} from '@pay-checkout/session-server/internals';

/** A transaction that was matched to an attempt, with its order. */
export interface KnownTransaction {
  readonly id: string;
  readonly merchant: string;
  readonly order: string;
  readonly checkout: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
  readonly isRefundRow: boolean;
  /** Whether it pays its order, or refunds it; otherwise it only names it. */
  readonly counts: boolean;
  readonly refundedMinor: number;
  /** The price of its checkout. */
  readonly amountMinor: number;
  readonly decimals: number;
  /** The order's own split, where it was put. */
  readonly split: readonly SplitRule[] | undefined;
}

const KNOWN = sql`
  SELECT matched_transactions.*, checkouts.merchant, checkouts.order_name, checkouts.amount_minor,
    checkouts.decimals, orders.split
  FROM matched_transactions
  JOIN checkouts ON checkouts.id = matched_transactions.checkout
  JOIN orders ON orders.merchant = checkouts.merchant AND orders.order_name = checkouts.order_name`;

/** What is known of transactions of an account, by their ids. */
export async function findKnownTransactions(
  reader: Reader,
  account: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownTransaction>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.all(sql`
    ${KNOWN} WHERE matched_transactions.account = ${account}
      AND matched_transactions.id IN ${sql.list(ids)}`);
  return new Map(rows.map(toKnown).map((known) => [known.id, known]));
}

/** Where transactions that count are looked for. */
export interface KnownRange {
  readonly account: string;
  /** Default: all of the account. */
  readonly providerMerchantId?: number | undefined;
  /** Texts as the provider writes times, both ends included. */
  readonly from: string;
  readonly to: string;
  /** Only what was recorded by then. */
  readonly recordedBy: number;
}

/** The next transactions that pay or refund an order, by time and id; behind `after`. */
export async function findKnownInRange(
  reader: Reader,
  { account, providerMerchantId, from, to, recordedBy }: KnownRange,
  after: Pick<KnownTransaction, 'transactionTime' | 'id'> | undefined,
  limit: number,
): Promise<KnownTransaction[]> {
  const { transactionTime = from, id = '' } = after ?? {};
  const ofMerchant =
    providerMerchantId === undefined
      ? sql``
      : sql`AND attempts.provider_merchant_id = ${providerMerchantId}`;
  const rows = await reader.all(sql`
    ${KNOWN}
    JOIN attempts ON attempts.order_id = matched_transactions.order_id
    WHERE matched_transactions.account = ${account} ${ofMerchant}
      AND (matched_transactions.proves_price = 1 OR matched_transactions.is_refund_row = 1)
      AND matched_transactions.recorded_at <= ${recordedBy}
      AND matched_transactions.transaction_time <= ${to}
      AND matched_transactions.transaction_time >= ${transactionTime}
      AND (matched_transactions.transaction_time > ${transactionTime}
        OR matched_transactions.id > ${id})
    ORDER BY matched_transactions.transaction_time, matched_transactions.id LIMIT ${limit}`);
  return rows.map(toKnown);
}

function toKnown(row: Row): KnownTransaction {
  const split = optionalText(row['split']);
  const isRefundRow = row['is_refund_row'] === 1;
  return {
    id: String(row['id']),
    merchant: String(row['merchant']),
    order: String(row['order_name']),
    checkout: String(row['checkout']),
    status: String(row['status']),
    amount: String(row['amount']),
    currency: String(row['currency']),
    transactionTime: String(row['transaction_time']),
    isRefundRow,
    counts: isRefundRow || row['proves_price'] === 1,
    refundedMinor: Number(row['refunded_minor']),
    amountMinor: Number(row['amount_minor']),
    decimals: Number(row['decimals']),
    split: split === undefined ? undefined : (JSON.parse(split) as SplitRule[]),
  };
}
