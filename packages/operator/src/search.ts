import {
  orderIdsIn,
  type Reader,
  splitOrderToken,
  type Sql,
  sql,
  wordOf,
} from '@pay-checkout/session-server/internals';
import type { FoundOrder, SearchView } from './page-view.js';

/** What a person types or pastes: as long as an address may be. */
export const searchText = wordOf(2000);

const MAX_FOUND = 50;
/** Each is asked for in every way. */
const MAX_WORDS = 4;
/** Sorts after every character of an order's name. */
const AFTER_ALL = '~';

/** A checkout's id, or its first eight characters, as a shopper quotes them. */
const CHECKOUT = /^[\da-z]{8}[\w-]*$/;

/**
 * Orders by their name or its beginning, by `order_id` or MerchantReference, by a reference of the
 * provider or the id of a transaction, by a checkout, a session, an event, or the request that created the
 * checkout. Each way follows an index.
 *
 * @param text any of these, what a shopper quotes (`Reference: A1001 · 0ey5n4c0`), or an address with one in it
 * @param merchant whose orders may be found; default: all
 */
export async function searchOrders(
  reader: Reader,
  text: string,
  merchant?: string,
): Promise<SearchView> {
  const wanted = wantedIn(text);
  const isOfMerchant = merchant === undefined ? sql`` : sql` AND merchant = ${merchant}`;
  const ways = wanted.flatMap((one) => waysTo(one, isOfMerchant));
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
    return (wanted.includes(order) ? 0 : Number.MAX_SAFE_INTEGER / 2) - createdAt;
  }
}

/** What a text may be about: of what is quoted its parts, of an address what it names. */
function wantedIn(text: string): string[] {
  const [first = '', ...others] = text.trim().split(/\s*·\s*/);
  const words = others.length === 0 ? [first] : [first.replace(/^.*[:：]\s*/, ''), ...others];
  const named = words.flatMap((word) => (URL.canParse(word) ? namesIn(new URL(word)) : [word]));
  const names = named.filter(Boolean).map((name) => name.replace(/^#(?=.)/, ''));
  return [...new Set(names)].slice(0, MAX_WORDS);
}

/** The parameters, and the last part of the path: an order token begins with its order. */
function namesIn({ pathname, searchParams }: URL): string[] {
  const last = decode(pathname.split('/').findLast(Boolean) ?? '');
  const [checkout, order] = ['checkout', 'order'].map((name) => searchParams.get(name));
  const names = [checkout, order, splitOrderToken(last)?.order ?? last];
  return names.filter((name) => name && !/\p{Cc}/u.test(name)) as string[];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Way = readonly [by: FoundOrder['by'], names: Sql];

function waysTo(wanted: string, isOfMerchant: Sql): readonly Way[] {
  const isNumber = /^\d+$/.test(wanted);
  const startsWithIt = (column: Sql): Sql =>
    sql`${column} >= ${wanted} AND ${column} < ${`${wanted}${AFTER_ALL}`}`;
  return [
    ...orderIdsIn([wanted]).map((orderId): Way => [
      'reference',
      sql`SELECT merchant, order_name FROM attempts WHERE order_id = ${orderId}
          ${isNumber ? sql`` : sql`AND merchant_reference = ${wanted}`}`,
    ]),
    [
      'checkout',
      sql`SELECT merchant, order_name FROM checkouts WHERE
        ${CHECKOUT.test(wanted) ? startsWithIt(sql`id`) : sql`id = ${wanted}`} LIMIT ${MAX_FOUND}`,
    ],
    [
      'transaction',
      sql`SELECT merchant, order_name FROM checkouts WHERE id IN (
        SELECT checkout FROM matched_transactions WHERE id = ${wanted}
        UNION ALL SELECT checkout FROM matched_transactions WHERE reference = ${wanted})`,
    ],
    ['session', sql`SELECT merchant, order_name FROM attempts WHERE session_id = ${wanted}`],
    ['request', sql`SELECT merchant, order_name FROM checkouts WHERE request_id = ${wanted}`],
    [
      'event',
      sql`SELECT merchant, order_name FROM checkouts
        WHERE id = (SELECT checkout FROM outbox_events WHERE id = ${wanted})`,
    ],
    [
      'order',
      sql`SELECT merchant, order_name FROM orders
        WHERE ${startsWithIt(sql`order_name`)}${isOfMerchant}
        ORDER BY order_name LIMIT ${MAX_FOUND + 1}`,
    ],
  ];
}
