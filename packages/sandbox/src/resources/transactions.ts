import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, loggedRequestOf, resellerOfCall } from '../http/accept-call.js';
import { invalidBody, parseBody, type ApiError } from '../http/errors.js';
import { date, integer, notShown, requestBody, text } from '../schemas.js';
import { LIST_START, readCursor, writeCursor, type ListPlace } from '../transactions/cursor.js';
import {
  omittedFieldsOf,
  toWireRow,
  transaction,
  type TransactionRow,
  type TransactionTraits,
} from '../transactions/transaction.js';
import type { StoredTransaction } from '../transactions/transaction-store.js';

const SECTION = 'section 4.1';
const HOUR_MILLISECONDS = 3_600_000;
/** No time zone, past or present, is further from UTC than this. */
const FURTHEST_MILLISECONDS = 16 * HOUR_MILLISECONDS;

/** The filter `REFUND` selects the rows whose status is `REFUNDED` (spec 3). */
const STATUS_OF_FILTER = { SUCCESS: 'SUCCESS', REFUND: 'REFUNDED' } as const;

/** Body of `POST /v1/transactions/list` (spec 4.1). */
export const transactionListRequest = requestBody({
  fromDate: date.optional(),
  toDate: date.optional(),
  limit: integer
    .min(1, 'expected an integer of at least 1')
    .meta({ description: 'Page size', ...notShown('default and maximum') })
    .optional(),
  cursor: z
    .string('expected the nextCursor of the previous page')
    .meta({ description: 'pagination.nextCursor of the previous page', ...notShown('lifetime') })
    .optional(),
  status: z
    .array(z.enum(['SUCCESS', 'REFUND'], 'expected SUCCESS or REFUND'), 'expected an array')
    .optional(),
  merchantId: integer.optional(),
  timezone: text.refine(isTimezone, 'expected the name of a time zone').optional(),
  resellerId: integer.optional(),
});

/** `scope`: the reseller whose merchants the caller knows; undefined: all. */
type ListQuery = z.output<typeof transactionListRequest> & { readonly scope?: number | undefined };

/** The reply (spec 2.1 and 4.1). */
export const transactionList = z.object({
  data: z.object({ transactions: z.array(transaction), timezone: text }),
  pagination: z.object({
    hasMore: z.boolean(),
    nextCursor: text.meta({ description: 'opaque' }).optional(),
  }),
});

export function transactionRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/transactions/list',
    ...acceptCall(context, 'transactions-list'),
    async (request, response) => {
      const query = parseBody(transactionListRequest, request.body, SECTION);
      const { merchantId } = query;
      if (merchantId !== undefined) loggedRequestOf(response).merchantId = merchantId;
      const place = findPlace(context, query.cursor);
      const scope = resellerOfCall(response);
      const work = () => listTransactions(context, { ...query, scope }, place);
      await answerCall(context, 'transactions-list', response, work, query.cursor);
    },
  );
}

function listTransactions(
  context: SandboxContext,
  query: ListQuery,
  after: ListPlace | undefined,
): Readonly<Record<string, unknown>> {
  const { settings } = context;
  const timezone = query.timezone ?? settings.defaultTimezone;
  const limit = Math.min(query.limit ?? settings.defaultLimit, settings.maxLimit);
  const found: StoredTransaction[] = [];
  for (const stored of findMatching(context, query, timezone, after)) {
    found.push(stored);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit;
  return {
    data: {
      transactions: page.map(({ row }) =>
        toWireRow(row, [
          ...settings.omittedTransactionFields,
          ...omittedFieldsOf(settings.transactionVariant, row.id),
        ]),
      ),
      timezone,
    },
    pagination: {
      hasMore,
      ...(hasMore && last !== undefined && { nextCursor: issueCursor(context, last) }),
    },
  };
}

/** The rows that a query selects, newest first; dates are days of UTC. */
export function* listRows(
  context: SandboxContext,
  query: Omit<ListQuery, 'limit' | 'cursor' | 'timezone'>,
): Generator<TransactionRow> {
  for (const { row } of findMatching(context, query, 'UTC', undefined)) yield row;
}

function findMatching(
  context: SandboxContext,
  query: Omit<ListQuery, 'limit' | 'cursor' | 'timezone'>,
  timezone: string,
  after: ListPlace | undefined,
): Iterable<StoredTransaction> {
  const statuses = query.status?.map((filter): string => STATUS_OF_FILTER[filter]) ?? [];
  const window = makeCalendarWindow(query.fromDate, query.toDate, timezone);
  const hasWindow = query.fromDate !== undefined || query.toDate !== undefined;
  const matches = ({ time, merchantId, status }: TransactionTraits): boolean =>
    (statuses.length === 0 || statuses.includes(status ?? '')) &&
    (query.merchantId === undefined || merchantId === query.merchantId) &&
    [query.resellerId, query.scope].every(
      (id) => id === undefined || context.accounts.resellerOf(merchantId) === id,
    ) &&
    (!hasWindow || window.contains(time));
  const { latest, earliest } = window;
  return context.transactions.walk({ after, latest, earliest, now: context.clock.now(), matches });
}

function issueCursor({ settings, clock }: SandboxContext, last: StoredTransaction): string {
  const expires = settings.cursorLifetimeSeconds !== 'forever';
  return writeCursor(last, expires ? clock.now() : undefined);
}

function findPlace(
  { settings, clock }: SandboxContext,
  cursor: string | undefined,
): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  const read = readCursor(cursor);
  if (read === undefined) throw invalidCursor('is not a nextCursor of this list; start without it');
  const { place, stamp } = read;
  // Only a fault issues the start of the list. Its stamp is not a time.
  const issuedAt = place.time === LIST_START.time ? undefined : stamp;
  const ageMilliseconds = issuedAt === undefined ? 0 : clock.now() - issuedAt;
  const lifetime = settings.cursorLifetimeSeconds;
  if (lifetime !== 'forever' && ageMilliseconds > lifetime * 1000) {
    throw invalidCursor('is too old; start without it');
  }
  return place;
}

function invalidCursor(message: string): ApiError {
  return invalidBody(SECTION, { field: 'cursor', message });
}

/** The moments whose calendar day is in a range of days. */
interface CalendarWindow {
  /** Nothing newer than this can be inside. */
  readonly latest: number;
  /** Nothing older than this can be inside. */
  readonly earliest: number;
  contains(time: number): boolean;
}

/**
 * Makes the window of `fromDate` and `toDate` (spec 4.1): whole days of the time zone, both included.
 * Only moments near its ends need the calendar, so most rows cost two comparisons.
 */
function makeCalendarWindow(
  fromDate: string | undefined,
  toDate: string | undefined,
  timezone: string,
): CalendarWindow {
  const start = fromDate === undefined ? -Infinity : Date.parse(fromDate);
  const end = toDate === undefined ? Infinity : Date.parse(toDate) + 24 * HOUR_MILLISECONDS;
  const dayOf = makeDayOf(timezone);
  return {
    latest: end + FURTHEST_MILLISECONDS,
    earliest: start - FURTHEST_MILLISECONDS,
    contains(time) {
      if (time >= start + FURTHEST_MILLISECONDS && time < end - FURTHEST_MILLISECONDS) return true;
      const day = dayOf(time);
      return day >= (fromDate ?? day) && day <= (toDate ?? day);
    },
  };
}

export function isTimezone(name: string): boolean {
  try {
    makeDayOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Formats the calendar day of a moment in a time zone as `YYYY-MM-DD`. */
function makeDayOf(timezone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => format.format(time);
}
