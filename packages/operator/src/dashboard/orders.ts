import {
  type DataEncryption,
  type MerchantOrder,
  type Reader,
  readMerchantOrders,
  sql,
  toOrder,
  TransactionCsv,
} from '@pay-checkout/session-server/internals';
import type { OrderRow } from './view.js';

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
