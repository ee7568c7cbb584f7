import {
  type DataEncryption,
  type MerchantOrder,
  type OrderState,
  type Reader,
  readMerchantOrders,
  sql,
  toOrder,
  TransactionCsv,
} from '@pay-checkout/session-server/internals';
import type { OrderRow } from './view.js';

export interface OrderFilter {
  readonly state?: OrderState | undefined;
  /** Created at this time or later, and before that time; in milliseconds since 1970. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An order's place in the list, which never moves. */
export type OrderPlace = readonly [createdAt: number, order: string];

export interface FoundOrders {
  readonly orders: readonly MerchantOrder[];
  /** Where the list goes on; undefined at its end. */
  readonly nextPlace?: OrderPlace | undefined;
}

/** Orders of a merchant, newest first, along an index. */
export async function findOrders(
  reader: Reader,
  merchant: string,
  { state, from, to }: OrderFilter,
  page: { readonly behind?: OrderPlace | undefined; readonly limit: number },
  encryption: DataEncryption,
): Promise<FoundOrders> {
  const { behind, limit } = page;
  const rows = await reader.all(sql`
    SELECT * FROM orders WHERE merchant = ${merchant}
      ${state === undefined ? sql`` : sql`AND state = ${state}`}
      ${from === undefined ? sql`` : sql`AND created_at >= ${from}`}
      ${to === undefined ? sql`` : sql`AND created_at < ${to}`}
      ${behind ? sql`AND (created_at, order_name) < (${behind[0]}, ${behind[1]})` : sql``}
    ORDER BY created_at DESC, order_name DESC LIMIT ${limit + 1}`);
  const stored = rows.slice(0, limit).map(toOrder);
  const last = stored.at(-1);
  return {
    orders: await readMerchantOrders(reader, merchant, stored, encryption),
    nextPlace: last && rows.length > limit ? [last.createdAt, last.order] : undefined,
  };
}

/** Orders of a merchant by their names, in this order. */
export async function findOrdersByName(
  reader: Reader,
  merchant: string,
  names: readonly string[],
  encryption: DataEncryption,
): Promise<readonly MerchantOrder[]> {
  if (names.length === 0) return [];
  const rows = await reader.all(sql`
    SELECT * FROM orders WHERE merchant = ${merchant} AND order_name IN ${sql.list([...names])}`);
  const place = ({ order }: { readonly order: string }) => names.indexOf(order);
  const stored = rows.map(toOrder).toSorted((one, other) => place(one) - place(other));
  return readMerchantOrders(reader, merchant, stored, encryption);
}

export function toRow(found: MerchantOrder): OrderRow {
  const { order, state, amount, currency, amountRefunded, attention, createdAt } = found;
  const at = Date.parse(createdAt);
  return { order, state, amount, currency, amountRefunded, attention, createdAt: at };
}

const COLUMNS = [
  ...['order', 'state', 'certain', 'amount', 'currency', 'refund', 'amountRefunded', 'attention'],
  ...['transaction', 'createdAt', 'updatedAt'],
];

/** Orders as CSV (RFC 4180), with its head first; a spreadsheet runs none of it as a formula. */
export class OrderCsv {
  readonly #csv = new TransactionCsv({ columns: COLUMNS, extra: false });

  get head(): string {
    return this.#csv.header;
  }

  toText(orders: readonly MerchantOrder[]): string {
    const rows: readonly object[] = orders.map(({ attention, certain, ...rest }) => {
      return { ...rest, certain: String(certain), attention: attention.join(' ') };
    });
    return this.#csv.toText(rows);
  }
}
