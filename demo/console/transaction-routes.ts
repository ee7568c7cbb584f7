/** `GET /api/transactions` and `GET /api/transactions.csv`: the list of spec 4.1. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  endOfPage,
  TransactionCsv,
  unreadableRowsOf,
  type PartnerClient,
  type Secret,
} from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import { hideSecret, parseFields } from './console-error.js';
import type { TransactionsView } from './console-view.js';
import { callProvider, otherFields, toFields, signalOf } from './provider-call.js';

const PAGE_ROWS = 50;
const CSV_PAGE_ROWS = 500;

const once = z.string('give it once');
const wholeNumber = once
  .regex(/^\d{1,15}$/, 'must be a whole number such as 1001')
  .transform(Number);
const day = z.iso.date('must be a day that exists, such as 2026-03-31');

const filters = z.strictObject({
  fromDate: day.optional(),
  toDate: day.optional(),
  status: once.transform((status) => [status]).optional(),
  merchantId: wholeNumber.optional(),
  resellerId: wholeNumber.optional(),
  timezone: once.optional(),
});
const page = filters.extend({
  limit: wholeNumber.pipe(z.int().min(1).max(500, 'must be 500 or less')).default(PAGE_ROWS),
  cursor: once.optional(),
});

export function transactionRoutes(client: PartnerClient, apiKey: Secret): Router {
  const router = Router();

  router.get('/api/transactions', async (request, response) => {
    const params = parseFields(page, request.query);
    const signal = signalOf(response);
    const answer = await callProvider({}, () => client.transactions.list(params, { signal }));
    const { data, pagination = {} } = answer;
    const end = endOfPage(answer);
    const { timezone } = data;
    const reply: TransactionsView = {
      rows: data.transactions.map(toFields),
      unreadable: unreadableRowsOf(answer).count,
      ...(typeof timezone === 'string' && { timezone }),
      hasMore: end.kind !== 'complete',
      ...(end.kind === 'more' && { nextCursor: end.cursor }),
      others: {
        ...otherFields(answer, ['data', 'pagination']),
        ...otherFields(data, ['transactions', 'timezone']),
        ...otherFields(pagination, ['hasMore', 'nextCursor']),
      },
    };
    response.json(reply);
  });

  router.get('/api/transactions.csv', async (request, response) => {
    const params = parseFields(filters, request.query);
    const signal = signalOf(response);
    const list = client.transactions.iterate({ ...params, limit: CSV_PAGE_ROWS }, { signal });
    const pages = list.pages();
    // The first page comes before the headers: what fails at once is still answered as a problem.
    const first = await callProvider({}, () => pages.next());
    if (list.end?.kind === 'incomplete') await callProvider({}, () => pages.next());
    response.set({
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="transactions.csv"',
    });
    const csv = new TransactionCsv();
    const lines = async function* (): AsyncGenerator<string> {
      yield csv.header;
      for (let next = first; next.done !== true; next = await pages.next()) {
        yield hideSecret(csv.toText(next.value.data.transactions), apiKey);
      }
    };
    // A page that fails later cuts the connection: half a file must not pass for a whole one.
    await pipeline(Readable.from(lines()), response).catch(() => undefined);
  });

  return router;
}
