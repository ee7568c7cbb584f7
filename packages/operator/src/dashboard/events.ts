import {
  type LogDetails,
  optionalNumber,
  type Reader,
  type Row,
  type Sql,
  sql,
} from '@pay-checkout/session-server/internals';
import type { MerchantEventView, TryView } from './view.js';

/** An event's place in the feed of its merchant. */
export type EventPlace = readonly [position: number];

/** A page of the events of a merchant, newest first; those of this second have no place yet. */
export async function findEvents(
  reader: Reader,
  merchant: string,
  { behind, limit }: { readonly behind?: EventPlace | undefined; readonly limit: number },
): Promise<{
  readonly events: readonly MerchantEventView[];
  readonly nextPlace?: EventPlace | undefined;
}> {
  const rows = await readEvents(
    reader,
    sql`event.merchant = ${merchant} AND event.position IS NOT NULL
      AND event.position < ${behind?.[0] ?? Number.MAX_SAFE_INTEGER}
      ORDER BY event.position DESC LIMIT ${limit + 1}`,
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    events: await toViews(reader, merchant, shown),
    nextPlace: last && rows.length > limit ? [Number(last['position'])] : undefined,
  };
}

/** The newest events that a shop has not taken: those that are tried again, and those that were given up. */
export async function findUntaken(
  reader: Reader,
  merchant: string,
  limit: number,
): Promise<readonly MerchantEventView[]> {
  const newest = sql`ORDER BY event.created_at DESC, event.sequence DESC LIMIT ${limit}`;
  const isOfMerchant = sql`event.merchant = ${merchant}`;
  const rows = [
    ...(await readEvents(
      reader,
      sql`${isOfMerchant} AND event.status = 'dead_lettered' ${newest}`,
    )),
    ...(await readEvents(
      reader,
      sql`${isOfMerchant} AND event.due_at IS NOT NULL AND event.tries > 0 ${newest}`,
    )),
  ];
  const sorted = rows.toSorted((one, other) => createdAt(other) - createdAt(one));
  return toViews(reader, merchant, sorted.slice(0, limit));
}

/** All events of an order, newest first. */
export async function findEventsOf(
  reader: Reader,
  merchant: string,
  order: string,
): Promise<readonly MerchantEventView[]> {
  const rows = await readEvents(
    reader,
    sql`event.merchant = ${merchant} AND event.checkout IN (
        SELECT id FROM checkouts WHERE merchant = ${merchant} AND order_name = ${order})
      ORDER BY event.created_at DESC, event.sequence DESC`,
  );
  return toViews(reader, merchant, rows);
}

function readEvents(reader: Reader, which: Sql): Promise<Row[]> {
  return reader.all(sql`
    SELECT event.id, event.type, event.status, event.tries, event.due_at, event.created_at,
      event.position, checkouts.order_name
    FROM outbox_events AS event JOIN checkouts ON checkouts.id = event.checkout
    WHERE ${which}`);
}

async function toViews(
  reader: Reader,
  merchant: string,
  rows: readonly Row[],
): Promise<MerchantEventView[]> {
  if (rows.length === 0) return [];
  const orders = sql.list([...new Set(rows.map((row) => String(row['order_name'])))]);
  const log = await reader.all(sql`
    SELECT id, subject, detail, at FROM order_log
    WHERE merchant = ${merchant} AND order_name IN ${orders} AND kind = 'delivery'`);
  const byEvent = Map.groupBy(
    log.toSorted((one, other) => Number(other['id']) - Number(one['id'])),
    (row) => String(row['subject']),
  );
  return rows.map((row) => {
    const id = String(row['id']);
    const status = String(row['status']);
    const isRetrying = status === 'pending' && Number(row['tries']) > 0;
    return {
      id,
      status,
      type: String(row['type']),
      order: String(row['order_name']),
      createdAt: createdAt(row),
      dueAt: optionalNumber(row['due_at']),
      tries: (byEvent.get(id) ?? []).map(toTry),
      canSend: isRetrying || ['dead_lettered', 'delivered'].includes(status),
    };
  });
}

function toTry(row: Row): TryView {
  const {
    try: number,
    status,
    error,
    result,
  } = JSON.parse(String(row['detail'])) as LogDetails['delivery'];
  return {
    number,
    at: Number(row['at']),
    answer: result === 'skipped' ? 'in the feed' : String(status ?? error ?? 'no answer'),
    isTaken: result === 'acknowledged' || result === 'skipped',
  };
}

function createdAt(row: Row): number {
  return Number(row['created_at']);
}
