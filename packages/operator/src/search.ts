import { orderIdsIn, type Reader, type Sql, sql } from '@pay-checkout/session-server/internals';
import type { FoundOrder, SearchView } from './page-view.js';

const MAX_FOUND = 50;
/** Sorts after every character of an order's name. */
const AFTER_ALL = '~';

/**
 * Orders by their name or its beginning, by `order_id` or MerchantReference, by a reference of the
 * provider or the id of a transaction, by a checkout, or by an event. Each way follows an index.
 *
 * @param merchant whose orders may be found; default: all
 */
export async function searchOrders(
  reader: Reader,
  text: string,
  merchant?: string,
): Promise<SearchView> {
  const wanted = text.trim();
  const isOfMerchant = merchant === undefined ? sql`` : sql` AND merchant = ${merchant}`;
  const isNumber = /^\d+$/.test(wanted);
  const ways: readonly (readonly [FoundOrder['by'], Sql])[] = [
    ...orderIdsIn([wanted]).map(
      (orderId) =>
        [
          'reference',
          sql`SELECT merchant, order_name FROM attempts WHERE order_id = ${orderId}
            ${isNumber ? sql`` : sql`AND merchant_reference = ${wanted}`}`,
        ] as const,
    ),
    ['checkout', sql`SELECT merchant, order_name FROM checkouts WHERE id = ${wanted}`],
    [
      'transaction',
      sql`SELECT merchant, order_name FROM checkouts WHERE id IN (
        SELECT checkout FROM matched_transactions WHERE id = ${wanted}
        UNION SELECT checkout FROM matched_transactions WHERE reference = ${wanted})`,
    ],
    [
      'event',
      sql`SELECT merchant, order_name FROM checkouts
        WHERE id = (SELECT checkout FROM outbox_events WHERE id = ${wanted})`,
    ],
    [
      'order',
      sql`SELECT merchant, order_name FROM orders
        WHERE order_name >= ${wanted} AND order_name < ${`${wanted}${AFTER_ALL}`}${isOfMerchant}
        ORDER BY order_name LIMIT ${MAX_FOUND + 1}`,
    ],
  ];
  const found = new Map<string, FoundOrder>();
  for (const [by, names] of ways) {
    const rows = await reader.all(sql`
      SELECT orders.merchant, orders.order_name, orders.state, orders.created_at FROM (${names}) AS named
      JOIN orders ON orders.merchant = named.merchant AND orders.order_name = named.order_name
      ${merchant === undefined ? sql`` : sql`WHERE orders.merchant = ${merchant}`}`);
    for (const row of rows) {
      const order = {
        merchant: String(row['merchant']),
        order: String(row['order_name']),
        state: String(row['state']),
        createdAt: Number(row['created_at']),
      };
      const key = JSON.stringify([order.merchant, order.order]);
      if (!found.has(key)) found.set(key, { ...order, by });
    }
  }
  const orders = [...found.values()].toSorted((one, other) => rank(one) - rank(other));
  return { orders: orders.slice(0, MAX_FOUND), more: orders.length > MAX_FOUND };

  /** An exact match comes first, then the newest order. */
  function rank({ order, createdAt }: FoundOrder): number {
    return (order === wanted ? 0 : Number.MAX_SAFE_INTEGER / 2) - createdAt;
  }
}
