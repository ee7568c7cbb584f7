import { Router } from 'express';
import { z } from 'zod';
import { ApiError } from '../api/api-error.js';
import { acceptCall, loggedRequestOf } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import type { TransactionTraits } from '../generated/generated-transactions.js';
import type { ListPlace, StoredTransaction } from '../transaction-store.js';
import { isTimezone, makeCalendarWindow } from './calendar-window.js';
import { LIST_START, readCursor, writeCursor } from './transaction-cursor.js';
import { toWireRow } from './transaction-row.js';
import { omittedFieldsOf } from './transaction-variant.js';

const SECTION = 'section 4.1';

const date = z.iso.date('expected a date as YYYY-MM-DD');
const integer = z.int('expected an integer');

/** Body of `POST /v1/transactions/list` (spec 4.1). */
export const listBody = z.strictObject(
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
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/transactions/list',
    ...acceptCall(context, 'transactions-list'),
    async (request, response) => {
      const entry = loggedRequestOf(response);
      const query = parseBody(listBody, request.body, SECTION);
      if (query.merchantId !== undefined) entry.merchantId = query.merchantId;
      const place = findPlace(context, query.cursor);
      await answerCall(
        context,
        'transactions-list',
        response,
        () => listTransactions(context, query, place),
        query.cursor,
      );
    },
  );
}

function listTransactions(
  context: SandboxContext,
  query: ListQuery,
  after: ListPlace | undefined,
): Readonly<Record<string, unknown>> {
  const { settings, variant } = context;
  const timezone = query.timezone ?? settings.defaultTimezone;
  const limit = Math.min(query.limit ?? settings.defaultLimit, settings.maximumLimit);
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
          ...omittedFieldsOf(variant.current, row.id),
        ]),
      ),
      timezone,
    },
    pagination: {
      hasMore,
      ...(hasMore && last !== undefined ? { nextCursor: giveCursor(context, last) } : {}),
    },
  };
}

function findMatching(
  context: SandboxContext,
  query: ListQuery,
  timezone: string,
  after: ListPlace | undefined,
): Iterable<StoredTransaction> {
  const statuses = query.status?.map((word): string => STATUS_OF_FILTER[word]) ?? [];
  const window = makeCalendarWindow(query.fromDate, query.toDate, timezone);
  const hasWindow = query.fromDate !== undefined || query.toDate !== undefined;
  const matches = ({ time, merchantId, status }: TransactionTraits): boolean =>
    (statuses.length === 0 || statuses.includes(status ?? '')) &&
    (query.merchantId === undefined || merchantId === query.merchantId) &&
    (query.resellerId === undefined || resellerOf(context, merchantId) === query.resellerId) &&
    (!hasWindow || window.contains(time));
  const { latest, earliest } = window;
  return context.transactions.walk({ after, latest, earliest, now: context.clock.now(), matches });
}

function giveCursor({ settings, clock }: SandboxContext, last: StoredTransaction): string {
  const isTimed = settings.cursorLifetimeSeconds !== Infinity;
  return writeCursor(last, isTimed ? clock.now() : undefined);
}

function findPlace(
  { settings, clock }: SandboxContext,
  cursor: string | undefined,
): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  const read = readCursor(cursor);
  if (read === undefined) refuseCursor('is no nextCursor of this list; start without it');
  // Only a fault gives out the start of the list; its stamp is no moment.
  const isTimed = read.stamp !== undefined && read.place.time !== LIST_START.time;
  const ageMilliseconds = isTimed ? clock.now() - (read.stamp ?? 0) : 0;
  if (ageMilliseconds > settings.cursorLifetimeSeconds * 1000) {
    refuseCursor('is too old; start without it');
  }
  return read.place;
}

function refuseCursor(message: string): never {
  throw new ApiError(400, `The body is not what the interface describes (${SECTION}).`, {
    fields: [{ field: 'cursor', message }],
  });
}

function resellerOf(context: SandboxContext, merchantId: number | undefined): number {
  const merchant = context.merchantsById.get(merchantId ?? NaN);
  return merchant?.resellerId ?? context.settings.resellerId;
}
