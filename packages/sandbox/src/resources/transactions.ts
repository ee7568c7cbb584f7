import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, loggedRequestOf, resellerOfCall } from '../http/accept-call.js';
import { invalidBody, parseBody, type ApiError } from '../http/errors.js';
import { date, integer, notShown, requestBody, text } from '../schemas.js';
import { findMatching, isTimezone } from '../transactions/find-rows.js';
import { LIST_START, readCursor, writeCursor, type ListPlace } from '../transactions/cursor.js';
import { omittedFieldsOf, toWireRow, transaction } from '../transactions/transaction.js';
import type { StoredTransaction } from '../transactions/transaction-store.js';

const SECTION = 'section 4.1';
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
