import {
  type AttentionCode,
  type Reader,
  type Sql,
  sql,
  toCheckout,
} from '@pay-checkout/session-server/internals';
import { openAttention, resolvedOf } from './timeline.js';
import type { Queue, QueueCounts, QueueItem } from './page-view.js';

/** Counts stop here, which bounds their cost. */
const MAX_COUNTED = 10_000;

/** Where an item stands in its queue. */
export type Place = readonly (string | number)[];

type Placed = QueueItem & { readonly place: Place };

/** Which code a queue is about; `attention` is about all of them. */
const CODES: Partial<Record<Queue, AttentionCode>> = {
  unconfirmed: 'unconfirmed',
  'price-changed': 'price_changed',
  'paid-twice': 'paid_twice',
};

const OPEN = sql`attention <> '[]' AND attention <> resolved_attention`;

/** A page of a queue: of a merchant, with the hashes of its endpoints, or of all. */
export interface QueuePage {
  readonly behind: Place;
  readonly limit: number;
  readonly merchant?: string | undefined;
  readonly hashes?: readonly string[] | undefined;
}

/** Newest first, those behind a place. Merchants of unmatched webhooks are found by `merchantsOf`. */
export async function findQueue(
  reader: Reader,
  queue: Queue,
  { behind, limit, merchant, hashes }: QueuePage,
  merchantsOf: (tokenHash: string) => readonly string[],
): Promise<Placed[]> {
  const [first = Number.MAX_SAFE_INTEGER, second = Number.MAX_SAFE_INTEGER, third = ''] = behind;
  if (queue === 'dead-letters') {
    const rows = await reader.all(sql`
      SELECT outbox_events.*, checkouts.order_name FROM outbox_events
      JOIN checkouts ON checkouts.id = outbox_events.checkout
      WHERE outbox_events.status = 'dead_lettered'${merchant === undefined ? sql`` : sql` AND outbox_events.merchant = ${merchant}`}
        AND (outbox_events.created_at, outbox_events.sequence, outbox_events.id)
          < (${first}, ${second}, ${third})
      ORDER BY outbox_events.created_at DESC, outbox_events.sequence DESC, outbox_events.id DESC
      LIMIT ${limit}`);
    return rows.map((row) => ({
      id: String(row['id']),
      at: Number(row['created_at']),
      merchants: [String(row['merchant'])],
      order: String(row['order_name']),
      checkout: String(row['checkout']),
      type: String(row['type']),
      place: [Number(row['created_at']), Number(row['sequence']), String(row['id'])],
    }));
  }
  if (queue === 'unmatched-webhooks') {
    if (hashes?.length === 0) return [];
    const rows = await reader.all(sql`
      SELECT id, token_hash, received_at FROM webhooks
      WHERE status = 'unmatched'${hashes ? sql` AND token_hash IN ${sql.list(hashes)}` : sql``} AND (received_at, id) < (${first}, ${second})
      ORDER BY received_at DESC, id DESC LIMIT ${limit}`);
    return rows.map((row) => ({
      id: String(row['id']),
      at: Number(row['received_at']),
      merchants: merchantsOf(String(row['token_hash'])),
      place: [Number(row['received_at']), Number(row['id'])],
    }));
  }
  const rows = await reader.all(sql`
    SELECT * FROM checkouts WHERE ${OPEN} ${withCode(CODES[queue])} AND number < ${first}
      ${merchant === undefined ? sql`` : sql`AND merchant = ${merchant}`}
    ORDER BY number DESC LIMIT ${limit}`);
  return rows.map((row) => {
    const { id, merchant, order, state, createdAt, ...checkout } = toCheckout(row);
    return {
      ...{ id, order, state, at: createdAt, checkout: id },
      merchants: [merchant],
      attention: openAttention(checkout, resolvedOf(row)),
      place: [Number(row['number'])],
    };
  });
}

/** Whether what a queue is about is still open: a part of the attention may be resolved. */
export function isInQueue({ attention }: QueueItem, queue: Queue): boolean {
  const code = CODES[queue];
  return attention === undefined || (code ? attention.includes(code) : attention.length > 0);
}

/** How many wait in each queue. */
export async function countQueues(reader: Reader): Promise<QueueCounts> {
  const rows = await reader.all(sql`
    SELECT attention, resolved_attention, count(*) AS count FROM (
      SELECT attention, resolved_attention FROM checkouts WHERE ${OPEN}
      ORDER BY number DESC LIMIT ${MAX_COUNTED}
    ) AS open GROUP BY attention, resolved_attention`);
  const groups = rows.map((row) => ({
    codes: openAttention(
      { attention: JSON.parse(String(row['attention'])) as AttentionCode[] },
      resolvedOf(row),
    ),
    count: Number(row['count']),
  }));
  const countWith = (isMeant: (codes: readonly AttentionCode[]) => boolean): number =>
    groups.filter(({ codes }) => isMeant(codes)).reduce((sum, { count }) => sum + count, 0);
  const countOf = (code: AttentionCode): number => countWith((codes) => codes.includes(code));
  return {
    attention: countWith((codes) => codes.length > 0),
    unconfirmed: countOf('unconfirmed'),
    'price-changed': countOf('price_changed'),
    'paid-twice': countOf('paid_twice'),
    'dead-letters': await count(
      reader,
      sql`SELECT 1 FROM outbox_events WHERE status = 'dead_lettered'`,
    ),
    'unmatched-webhooks': await count(
      reader,
      sql`SELECT 1 FROM webhooks WHERE status = 'unmatched'`,
    ),
  };
}

async function count(reader: Reader, query: Sql): Promise<number> {
  const row = await reader.get(
    sql`SELECT count(*) AS count FROM (${query} LIMIT ${MAX_COUNTED}) AS waiting`,
  );
  return Number(row?.['count']);
}

/** The codes of a checkout are stored as JSON. */
function withCode(code: AttentionCode | undefined): Sql {
  return code === undefined ? sql`` : sql`AND attention LIKE ${`%"${code}"%`}`;
}
