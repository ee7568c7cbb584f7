import type { Response } from 'express';
import { z } from 'zod';
import {
  type Database,
  type DataEncryption,
  listOrders,
  type MerchantOrder,
  type OrderFilter,
  type OrderKey,
  type OrderPlace,
  ordersOf,
  orderState,
  parse,
  readCursor,
  readMerchantOrders,
  readOrderTotals,
  readRemovedMonths,
  sql,
  toCursor,
  toOrder,
  TransactionCsv,
  word,
} from '@pay-checkout/session-server/internals';
import type { OrderListView, OrderRow } from './page-view.js';
import { sendFile } from './send-file.js';

/** Orders of a page, and those that are read for a file at a time. */
const PAGE_ITEMS = 50;
const FILE_ITEMS = 500;

export interface OrderListParts {
  readonly database: Database;
  readonly encryption: DataEncryption;
}

/** A page of a list, with its totals where it is the first one. `query` is that of a request. */
export async function readOrderList(
  { database, encryption }: OrderListParts,
  query: unknown,
  merchant?: string,
): Promise<OrderListView> {
  const { cursor, ...wanted } = parse(listQuery, query);
  const filter = toFilter(wanted, merchant);
  const behind = cursor === undefined ? undefined : readPlace(cursor, filter);
  const { orders, next } = await listOrders(database, { ...filter, behind, limit: PAGE_ITEMS });
  return {
    items: (await readMerchantOrders(database, orders, encryption)).map(toRow),
    ...(next && { next: toCursor([next.createdAt, next.order, next.merchant ?? '']) }),
    ...(behind === undefined && { totals: await readOrderTotals(database, filter) }),
    ...(Object.keys(query as object).length === 0 && (await readRemoved(database, merchant))),
  };
}

async function readRemoved(
  database: Database,
  merchant: string | undefined,
): Promise<Pick<OrderListView, 'removed'>> {
  const removed = await readRemovedMonths(database, merchant);
  return removed.length === 0 ? {} : { removed };
}

/** Answers with all orders of a list, as a CSV file. */
export async function sendOrderFile(
  parts: OrderListParts,
  query: unknown,
  response: Response,
  merchant?: string,
): Promise<void> {
  const filter = toFilter(parse(filterQuery, query), merchant);
  const columns = merchant === undefined ? ['merchant', ...COLUMNS] : COLUMNS;
  await sendFile(response, 'orders.csv', orderFile(parts, filter, columns));
}

/** Orders in the order of their keys; those that do not exist are left out. */
export async function findOrdersByKey(
  { database, encryption }: OrderListParts,
  keys: readonly OrderKey[],
): Promise<readonly MerchantOrder[]> {
  if (keys.length === 0) return [];
  const rows = await database.all(
    sql`SELECT * FROM orders WHERE (merchant, order_name) IN ${ordersOf(keys)}`,
  );
  const place = (one: OrderKey): number =>
    keys.findIndex(({ merchant, order }) => merchant === one.merchant && order === one.order);
  const stored = rows.map(toOrder).toSorted((one, other) => place(one) - place(other));
  return readMerchantOrders(database, stored, encryption);
}

export function toRow(found: MerchantOrder): OrderRow {
  const { merchant, order, state, amount, currency, amountRefunded, attention } = found;
  const createdAt = Date.parse(found.createdAt);
  return { merchant, order, state, amount, currency, amountRefunded, attention, createdAt };
}

const time = z.coerce.number().int().nonnegative().optional();
const filterQuery = z.object({
  merchant: word.optional(),
  state: orderState.optional(),
  from: time,
  to: time,
  attention: z.literal('open').optional(),
});
const listQuery = filterQuery.extend({ cursor: z.string().max(500).optional() });

function toFilter(
  { merchant, state, from, to, attention }: z.output<typeof filterQuery>,
  own: string | undefined,
): OrderFilter {
  const needsPerson = attention === 'open';
  return { merchant: own ?? merchant, state, createdAfter: from, createdBefore: to, needsPerson };
}

const orderPlace = z.tuple([z.int().nonnegative(), word, word.or(z.literal(''))]);

function readPlace(cursor: string, { merchant }: OrderFilter): OrderPlace {
  const [createdAt, order, ofMerchant] = readCursor(cursor, orderPlace);
  return { createdAt, order, merchant: merchant === undefined ? ofMerchant : undefined };
}

const COLUMNS = [
  ...['order', 'state', 'certain', 'amount', 'currency', 'refund', 'amountRefunded', 'attention'],
  ...['transaction', 'createdAt', 'updatedAt'],
];

/** CSV (RFC 4180) part by part, with its head first; a spreadsheet runs none of it as a formula. */
async function* orderFile(
  { database, encryption }: OrderListParts,
  filter: OrderFilter,
  columns: readonly string[],
): AsyncGenerator<string, void> {
  const csv = new TransactionCsv({ columns, extra: false });
  yield csv.header;
  let behind: OrderPlace | undefined;
  do {
    const { orders, next } = await listOrders(database, { ...filter, behind, limit: FILE_ITEMS });
    const rows = await readMerchantOrders(database, orders, encryption);
    const texts: readonly object[] = rows.map(({ attention, certain, ...rest }) => {
      return { ...rest, certain: String(certain), attention: attention.join(' ') };
    });
    yield csv.toText(texts);
    behind = next;
  } while (behind);
}
