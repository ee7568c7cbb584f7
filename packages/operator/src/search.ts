import { z } from 'zod';
import {
  ISO_DECIMALS,
  orderKeyText,
  orderIdsIn,
  parseMinor,
  paymentFact,
  splitOrderToken,
  type Sql,
  sql,
  wordOf,
} from '@pay-checkout/session-server/internals';
import type { OrderListParts } from './order-list.js';
import type { FoundOrder, SearchView } from './page-view.js';

/** What a person types or pastes: as long as an address may be. */
export const searchBody = z.strictObject({ q: wordOf(2000) });

const MAX_FOUND = 50;
/** Each is asked for in every way. */
const MAX_WORDS = 4;
/** Sorts after every character of an order's name. */
const AFTER_ALL = '~';

/** A checkout's id, or its first eight characters, as a shopper quotes them. */
const CHECKOUT = /^([\da-z]{8})([\w-]*)$/i;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** `4242`, `•••• 4242`, `card ending in 4242`. */
const LAST_DIGITS = /^(?:card|ending|in|[\s•*.…x-])*(\d{4})$/i;

/**
 * Orders by their name or its beginning in any case, by `order_id` or MerchantReference, by a reference of
 * the provider or the id of a transaction, by a checkout, a session, an event, or the request that created
 * the checkout; by the last four digits of the card, the e-mail of the customer, or an amount with its
 * currency. Each way follows an index.
 *
 * @param text any of these, what a shopper quotes (`Reference: A1001 · 0ey5n4c0`), or an address with one in it
 * @param merchant whose orders may be found; default: all
 */
export async function searchOrders(
  parts: OrderListParts,
  text: string,
  merchant?: string,
): Promise<Pick<SearchView, 'orders' | 'more'>> {
  const wanted = wantedIn(text);
  const isOfMerchant = merchant === undefined ? sql`` : sql` AND merchant = ${merchant}`;
  const ways = wanted.flatMap((one) => waysTo(one, isOfMerchant, parts));
  const found = new Map<string, FoundOrder>();
  for (const [by, names] of ways) {
    const rows = await parts.database.all(sql`
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
      const key = orderKeyText(order);
      if (!found.has(key)) found.set(key, { ...order, by });
    }
  }
  /** Its own name comes first, then that name in another case. */
  const rank = ({ order }: FoundOrder): number => {
    if (wanted.includes(order)) return 0;
    return wanted.some((one) => toLower(one) === toLower(order)) ? 1 : 2;
  };
  const orders = [...found.values()].toSorted(
    (one, other) => rank(one) - rank(other) || other.createdAt - one.createdAt,
  );
  return { orders: orders.slice(0, MAX_FOUND), more: orders.length > MAX_FOUND };
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

function waysTo(
  wanted: string,
  isOfMerchant: Sql,
  { database, encryption }: OrderListParts,
): readonly Way[] {
  const lower = toLower(wanted);
  const either = sql.list([...new Set([wanted, lower])]);
  const isNumber = /^\d+$/.test(wanted);
  const startsWith = (column: Sql, text: string): Sql =>
    sql`${column} >= ${text} AND ${column} < ${`${text}${AFTER_ALL}`}`;
  const [, shown, rest = ''] = CHECKOUT.exec(wanted) ?? [];
  const newest = sql`${isOfMerchant} ORDER BY number DESC LIMIT ${MAX_FOUND + 1}`;
  const digits = LAST_DIGITS.exec(wanted)?.[1];
  const amount = amountIn(wanted);
  return [
    ...orderIdsIn([wanted]).map((orderId): Way => [
      'reference',
      sql`SELECT merchant, order_name FROM attempts WHERE order_id = ${orderId}
          ${isNumber ? sql`` : sql`AND lower(merchant_reference) = ${lower}`}`,
    ]),
    [
      'checkout',
      sql`SELECT merchant, order_name FROM checkouts WHERE
        ${shown === undefined ? sql`id = ${wanted}` : startsWith(sql`id`, toLower(shown) + rest)}
        LIMIT ${MAX_FOUND}`,
    ],
    [
      'transaction',
      sql`SELECT merchant, order_name FROM checkouts WHERE id IN (
        SELECT checkout FROM matched_transactions WHERE id IN ${either}
        UNION ALL SELECT checkout FROM matched_transactions WHERE reference IN ${either})`,
    ],
    [
      'transaction',
      sql`SELECT merchant, order_name FROM checkouts
        WHERE payment IS NOT NULL AND ${paymentFact('internalReference', database)} IN ${either}`,
    ],
    ['session', sql`SELECT merchant, order_name FROM attempts WHERE session_id IN ${either}`],
    [
      'request',
      sql`SELECT merchant, order_name FROM checkouts WHERE request_id IN ${either}
          UNION ALL SELECT merchant, order_name FROM attempts WHERE request_id IN ${either}`,
    ],
    [
      'event',
      sql`SELECT merchant, order_name FROM checkouts
        WHERE id IN (SELECT checkout FROM outbox_events WHERE id IN ${either})`,
    ],
    [
      'order',
      sql`SELECT merchant, order_name FROM orders
        WHERE ${startsWith(sql`lower(order_name)`, lower)}${isOfMerchant}
        ORDER BY lower(order_name) LIMIT ${MAX_FOUND + 1}`,
    ],
    ...when(EMAIL.test(wanted), (): Way => [
      'email',
      sql`SELECT merchant, order_name FROM orders
          WHERE email_digest IN ${sql.list(encryption.emailDigests(wanted))}${isOfMerchant}
          ORDER BY created_at DESC LIMIT ${MAX_FOUND + 1}`,
    ]),
    ...when(digits, (last): Way => [
      'card',
      sql`SELECT merchant, order_name FROM checkouts
          WHERE payment IS NOT NULL AND ${paymentFact('lastDigits', database)} = ${last}${newest}`,
    ]),
    ...when(amount, ({ minor, currency }): Way => [
      'amount',
      sql`SELECT merchant, order_name FROM checkouts
          WHERE amount_minor = ${minor} AND currency = ${currency}${newest}`,
    ]),
  ];
}

function when<T>(value: T | undefined | false, make: (value: T) => Way): Way[] {
  return value === undefined || value === false ? [] : [make(value)];
}

const AMOUNT = /^(?<before>[A-Za-z]{3})?\s*(?<number>\d[\d.,\s’']*)\s*(?<after>[A-Za-z]{3})?$/;

/** `42.50 GBP`, `eur 1.042,50`, `1,042 JPY`. */
function amountIn(text: string): { readonly minor: number; readonly currency: string } | undefined {
  const { before, number = '', after } = AMOUNT.exec(text)?.groups ?? {};
  const currency = (before ?? after)?.toUpperCase();
  if (currency === undefined || (before && after)) return undefined;
  const [, fraction = ''] = /[.,](\d+)$/.exec(number.trim()) ?? [];
  const decimals = ISO_DECIMALS.get(currency) ?? fraction.length;
  const digits = number.replace(/\D/g, '');
  // What is behind the last separator is a part of the whole where a currency has fewer places.
  const places = fraction.length > decimals ? 0 : fraction.length;
  const whole = digits.slice(0, digits.length - places);
  const minor = parseMinor(places > 0 ? `${whole}.${fraction}` : whole, decimals);
  return minor === undefined ? undefined : { minor, currency };
}

/** As both engines do it in their indexes: only ASCII has a case. */
function toLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
