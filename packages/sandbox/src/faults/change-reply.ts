import { LIST_START, readCursor, writeCursor } from '../resources/transaction-cursor.js';
import { isRawNumber, writeRawNumber } from '../money.js';
import type { FaultKind } from './fault-order.js';

type JsonObject = Readonly<Record<string, unknown>>;

const OPEN_VALUES = new Set(['status', 'run_status', 'last_run_status', 'paymentMethod', 'source']);

/** Changes a good reply as the fault says. `sentCursor` is the cursor of the call, if it had one. */
export function changeReply(
  fault: FaultKind | undefined,
  reply: JsonObject | readonly JsonObject[],
  sentCursor: string | undefined,
): unknown {
  const change = fault === undefined ? undefined : OBJECT_CHANGES[fault];
  if (change !== undefined) return mapObjects(reply, change);
  return isObject(reply) ? changeEnvelope(fault, reply, sentCursor) : reply;
}

/** What is done to every object of a reply. */
const OBJECT_CHANGES: Partial<Record<FaultKind, (object: JsonObject) => JsonObject>> = {
  'unknown-field': (object) => ({ ...object, something_new: { nested: [1, 'é'] } }),
  'unknown-enum': (object) =>
    mapFields(object, (name, value) => (OPEN_VALUES.has(name) ? 'something_new' : value)),
  'wrong-type': (object) => mapFields(object, (_name, value) => writeAsText(value)),
  'huge-amount': (object) =>
    'amount' in object ? { ...object, amount: writeRawNumber('12345678901234567890.12') } : object,
};

function changeEnvelope(
  fault: FaultKind | undefined,
  reply: JsonObject,
  sentCursor: string | undefined,
): JsonObject {
  if (fault === 'success-false') return { ...reply, success: false };
  if (fault === 'empty-page') return emptyPage(reply, sentCursor);
  if (fault === 'missing-cursor') return { ...reply, pagination: { hasMore: true } };
  if (fault === 'empty-cursor') return { ...reply, pagination: { hasMore: true, nextCursor: '' } };
  if (fault !== 'repeated-cursor') return reply;
  return { ...reply, pagination: { hasMore: true, nextCursor: sentCursor ?? startAgain(0) } };
}

/** A page without rows whose cursor, although a new one, leads to the same place. */
function emptyPage(reply: JsonObject, sentCursor: string | undefined): JsonObject {
  const sent = sentCursor === undefined ? undefined : readCursor(sentCursor);
  const nextCursor =
    sent === undefined ? startAgain(0) : writeCursor(sent.place, (sent.stamp ?? 0) + 1);
  return {
    data: { ...(reply['data'] as JsonObject), transactions: [] },
    pagination: { hasMore: true, nextCursor },
  };
}

function startAgain(stamp: number): string {
  return writeCursor(LIST_START, stamp);
}

function mapObjects(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (!isObject(value)) return value;
  return change(mapFields(value, (_name, field) => mapObjects(field, change)));
}

function mapFields(
  object: JsonObject,
  change: (name: string, value: unknown) => unknown,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(name, value)]),
  );
}

function isObject(value: unknown): value is JsonObject {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain && !isRawNumber(value);
}

function writeAsText(value: unknown): unknown {
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value);
  return isScalar ? JSON.stringify(value) : value;
}
