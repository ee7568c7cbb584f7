import { Router } from 'express';
import { z } from 'zod';
import { ApiError } from '../api/api-error.js';
import { acceptCall, loggedRequestOf } from '../api/accept-call.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import { Faults } from '../faults.js';
import type { StoredTransaction } from '../store.js';
import { isAfter, readCursor, writeCursor } from './transaction-cursor.js';
import { toWireRow } from './transaction-row.js';

const SECTION = 'section 4.1';

const date = z.iso.date('expected a date as YYYY-MM-DD');
const integer = z.int('expected an integer');

const listBody = z.strictObject(
  {
    fromDate: date.optional(),
    toDate: date.optional(),
    limit: integer.min(1, 'expected an integer of at least 1').optional(),
    cursor: z.string('expected the nextCursor of the page before').optional(),
    status: z
      .array(z.enum(['SUCCESS', 'REFUND'], 'expected SUCCESS or REFUND'), 'expected an array')
      .optional(),
    merchantId: integer.optional(),
    timezone: z.string().refine(isTimezone, 'expected the name of a time zone').optional(),
    resellerId: integer.optional(),
  },
  'expected an object',
);

type ListQuery = z.output<typeof listBody>;

/** The filter word `REFUND` selects the rows whose status is `REFUNDED` (spec 3). */
const STATUS_OF_FILTER = { SUCCESS: 'SUCCESS', REFUND: 'REFUNDED' } as const;

/** `POST /v1/transactions/list` (spec 4.1). */
export function transactionRoutes(context: SandboxContext): Router {
  return Router().post(
    '/v1/transactions/list',
    ...acceptCall(context, 'transactions-list'),
    async (request, response) => {
      const entry = loggedRequestOf(response);
      const query = parseBody(listBody, request.body, SECTION);
      if (query.merchantId !== undefined) entry.merchantId = query.merchantId;
      const fault = context.faults.take('transactions-list');
      Faults.failBeforeWork(fault);
      const reply = listTransactions(context, query);
      if (await context.faults.playAfterWork(fault, response, entry)) response.json(reply);
    },
  );
}

function listTransactions(context: SandboxContext, query: ListQuery): object {
  const { settings } = context;
  const timezone = query.timezone ?? settings.defaultTimezone;
  const limit = Math.min(query.limit ?? settings.defaultLimit, settings.maximumLimit);
  const found: StoredTransaction[] = [];
  const matches = makeFilter(context, query, timezone);
  for (const stored of context.store.transactions()) {
    if (matches(stored)) found.push(stored);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit;
  return {
    data: {
      transactions: page.map(({ row }) => toWireRow(row, settings.omittedTransactionFields)),
      timezone,
    },
    pagination: {
      hasMore,
      ...(hasMore && last !== undefined ? { nextCursor: writeCursor(last) } : {}),
    },
  };
}

function makeFilter(
  context: SandboxContext,
  query: ListQuery,
  timezone: string,
): (stored: StoredTransaction) => boolean {
  const place = query.cursor === undefined ? undefined : readCursor(query.cursor);
  if (query.cursor !== undefined && place === undefined) {
    throw new ApiError(400, `The body is not what the interface describes (${SECTION}).`, {
      fields: [{ field: 'cursor', message: 'is no nextCursor of this list; start without it' }],
    });
  }
  const now = context.clock.now();
  const statuses = (query.status ?? []).map((word): string => STATUS_OF_FILTER[word]);
  const dayOf = makeDayOf(timezone);
  return (stored) => {
    const { row } = stored;
    if (stored.visibleAt > now) return false;
    if (place !== undefined && !isAfter(stored, place)) return false;
    if (statuses.length > 0 && !statuses.includes(row.status ?? '')) return false;
    if (query.merchantId !== undefined && row.merchantId !== query.merchantId) return false;
    if (query.resellerId !== undefined && resellerOf(context, row.merchantId) !== query.resellerId)
      return false;
    if (query.fromDate === undefined && query.toDate === undefined) return true;
    const day = dayOf(stored.time);
    return day >= (query.fromDate ?? day) && day <= (query.toDate ?? day);
  };
}

function resellerOf(context: SandboxContext, merchantId: number | undefined): number {
  const merchant = context.settings.merchants.find(({ id }) => id === merchantId);
  return merchant?.resellerId ?? context.settings.resellerId;
}

/** Gives the calendar day of a moment in a time zone, as `YYYY-MM-DD`. */
function makeDayOf(timezone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => format.format(time);
}

function isTimezone(name: string): boolean {
  try {
    makeDayOf(name);
    return true;
  } catch {
    return false;
  }
}
