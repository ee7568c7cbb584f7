import { isRawNumber, writeRawNumber } from '../money.js';
import {
  HOSTILE_CURSOR_PREFIX,
  LIST_START,
  readCursor,
  writeCursor,
} from '../transactions/cursor.js';
import type { FaultKind } from './fault-table.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The body of an answer. */
export type Reply = JsonObject | readonly JsonObject[];

const OPEN_VALUES = new Set(['status', 'run_status', 'last_run_status', 'paymentMethod', 'source']);

/** Changes a good reply as the fault says. `sentCursor`: the cursor of the call, if it had one. */
export function changeReply(
  fault: FaultKind | undefined,
  reply: Reply,
  sentCursor: string | undefined,
): unknown {
  const change = fault && OBJECT_CHANGES[fault];
  if (change !== undefined) return mapObjects(reply, change);
  return isObject(reply) ? changeEnvelope(fault, reply, sentCursor) : reply;
}

/** What a fault does to every object of a reply. */
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
  switch (fault) {
    case 'success-false':
      return { ...reply, success: false };
    case 'empty-page':
      return emptyPage(reply, sentCursor);
    case 'missing-cursor':
      return { ...reply, pagination: { hasMore: true } };
    case 'empty-cursor':
      return { ...reply, pagination: { hasMore: true, nextCursor: '' } };
    case 'hostile-cursor':
      return withHostileCursor(reply);
    case 'repeated-cursor': {
      const nextCursor = sentCursor ?? writeCursor(LIST_START, 0);
      return { ...reply, pagination: { hasMore: true, nextCursor } };
    }
    default:
      return reply;
  }
}

/** The same place, by a cursor that a careless client does not send back as it came. */
function withHostileCursor(reply: JsonObject): JsonObject {
  const pagination = reply['pagination'] as { readonly nextCursor?: string } | undefined;
  if (pagination?.nextCursor === undefined) return reply;
  const nextCursor = HOSTILE_CURSOR_PREFIX + pagination.nextCursor;
  return { ...reply, pagination: { ...pagination, nextCursor } };
}

/** A page without rows. Its cursor is a new one but leads to the same place. */
function emptyPage(reply: JsonObject, sentCursor: string | undefined): JsonObject {
  const sent = sentCursor === undefined ? undefined : readCursor(sentCursor);
  const nextCursor =
    sent === undefined
      ? writeCursor(LIST_START, 0)
      : writeCursor(sent.place, (sent.stamp ?? 0) + 1);
  return {
    data: { ...(reply['data'] as JsonObject), transactions: [] },
    pagination: { hasMore: true, nextCursor },
  };
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
