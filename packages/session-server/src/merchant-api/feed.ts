import { hash } from 'node:crypto';
import { z } from 'zod';
import type { MerchantEvent, MerchantEventList } from '../contract.js';
import type { DataEncryption } from '../encryption.js';
import { AppError } from '../errors.js';
import { findFeed, findLastPosition } from '../outbox/repository.js';
import { addMetadata } from '../orders/put-orders.js';
import { getCounter, type Reader } from '../store/database.js';

/** What a cursor holds: which feed the place is in, the place, and how many events had been removed. */
const whole = z.int().nonnegative();
const feedPlace = z.tuple([z.string(), whole, whole.optional()]);

/**
 * The outbox as a feed: every event of a merchant, in the order in which they were committed, whatever
 * happened to its delivery. Without a cursor it begins with the first event that is stored.
 *
 * @throws {AppError} 400 `unknown_cursor`, 410 `events_removed`
 */
export async function readFeed(
  reader: Reader,
  merchant: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  encryption: DataEncryption,
): Promise<MerchantEventList> {
  const feed = await nameFeed(reader, merchant);
  const [givenBy, from, removedBefore] =
    after === undefined ? [feed, 0] : readCursor(after, feedPlace);
  const { events: found, removed } = await findFeed(reader, merchant, {
    after: from,
    limit: limit + 1,
  });
  const isPast = async () => from > (await findLastPosition(reader, merchant));
  if (from > 0 && (givenBy !== feed || (await isPast()))) throw unknownCursor();
  const isGap = from < removed.position && (removedBefore ?? 0) < removed.events;
  if (after !== undefined && isGap) throw eventsRemoved();
  const cursorOf = (position: number): string =>
    toCursor([feed, position, ...(removed.events > 0 ? [removed.events] : [])]);
  const complete = await addMetadata(reader, found.slice(0, limit), encryption);
  const events = complete.map(({ id, position, body }): MerchantEvent => ({
    cursor: cursorOf(position),
    id,
    ...(JSON.parse(body) as Omit<MerchantEvent, 'cursor' | 'id'>),
  }));
  return {
    merchant,
    events,
    cursor: events.at(-1)?.cursor ?? cursorOf(from),
    hasMore: found.length > limit,
  };
}

/**
 * Differs for each merchant and store, and for what the store was before a backup was put back: the same
 * places hold other events there.
 */
async function nameFeed(reader: Reader, merchant: string): Promise<string> {
  const made = (await getCounter(reader, 'order_id_offset')) ?? 0;
  const restored = (await getCounter(reader, 'loss_until')) ?? 0;
  return hash('sha256', `${String(made)}\n${String(restored)}\n${merchant}`, 'base64url').slice(
    0,
    8,
  );
}

/** Where a reader goes on, as text that only we read. */
export function toCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** @throws {AppError} 400 `unknown_cursor` */
export function readCursor<T>(cursor: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch (cause) {
    throw unknownCursor(cause);
  }
}

function eventsRemoved(): AppError {
  return new AppError(
    410,
    'events_removed',
    'Events behind this cursor were removed with their old orders. Read the orders that changed since (GET /v1/merchant/orders), and begin without a cursor.',
  );
}

function unknownCursor(cause?: unknown): AppError {
  return new AppError(
    400,
    'unknown_cursor',
    'This cursor is not one that this server gave to this merchant, or was given before a backup was put back. Begin without one.',
    { cause },
  );
}
