/** `GET /api/transactions`, `/api/transactions.csv` and `/api/transaction`: the list of spec 4.1. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  endOfPage,
  TransactionCsv,
  unreadableRowsOf,
  type ListTransactionsParams,
  type PartnerClient,
  type Secret,
  type TransactionPage,
} from '@pay-checkout/partner-api';
import { type Request, Router } from 'express';
import { ConsoleError, hideSecret, parseFields, refuseFields } from './console-error.js';
import type { TransactionView, TransactionsView } from './console-view.js';
import { readRequest } from './operation-fields.js';
import { callProvider, otherFields, toFields, signalOf } from './provider-call.js';
import { findTransaction, linkToOrder, oneTransaction, searchPages } from './transaction-search.js';

const PAGE_ROWS = 50;
/** One request for the person and one for the provider. */
const MAX_PAGE_ROWS = 500;

export interface TransactionRouteOptions {
  readonly client: PartnerClient;
  readonly apiKey: Secret;
  /** The operator's page of the session server. */
  readonly operatorUrl?: string | undefined;
}

export function transactionRoutes({
  client,
  apiKey,
  operatorUrl,
}: TransactionRouteOptions): Router {
  const router = Router();

  router.get('/api/transactions', async (request, response) => {
    const { q, params } = readQuery(request);
    const { limit = PAGE_ROWS } = params;
    if (limit > MAX_PAGE_ROWS) {
      throw refuseFields([{ field: 'limit', message: `must be ${MAX_PAGE_ROWS} or less` }]);
    }
    const signal = signalOf(response);
    if (q !== undefined) {
      response.json(
        await callProvider({}, () => searchPages(client, { q, params, limit, signal })),
      );
      return;
    }
    const page = await callProvider({}, () =>
      client.transactions.list({ ...params, limit }, { signal }),
    );
    response.json(toView(page));
  });

  // The provider reads no single transaction: it is found in the list of the days around it.
  router.get('/api/transaction', async (request, response) => {
    const wanted = parseFields(oneTransaction, request.query);
    const signal = signalOf(response);
    const found = await callProvider({}, () => findTransaction(client, wanted, signal));
    if (found === undefined) throw notFound();
    const orderUrl = operatorUrl && linkToOrder(operatorUrl, found.transaction);
    const reply: TransactionView = { ...found, ...(orderUrl !== undefined && { orderUrl }) };
    response.json(reply);
  });

  router.get('/api/transactions.csv', async (request, response) => {
    const { params } = readQuery(request);
    const signal = signalOf(response);
    // The first page comes before the headers: what fails at once is still answered as a problem.
    const { pages, first } = await callProvider({}, async () => {
      const started = client.transactions.pages({ ...params, limit: MAX_PAGE_ROWS }, { signal });
      return { pages: started, first: await started.next() };
    });
    if (first.value?.end.kind === 'incomplete') await callProvider({}, () => pages.next());
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

/** The filters of the provider, and the text that is searched for here. */
function readQuery({ query }: Request): {
  readonly q?: string;
  readonly params: ListTransactionsParams;
} {
  const { q, ...filters } = query;
  const params = readRequest('transactions.list', filters) as ListTransactionsParams;
  return { params, ...(typeof q === 'string' && q.trim() !== '' && { q: q.trim() }) };
}

function toView(page: TransactionPage): TransactionsView {
  const { data, pagination = {} } = page;
  const end = endOfPage(page);
  const { timezone } = data;
  return {
    rows: data.transactions.map(toFields),
    unreadable: unreadableRowsOf(page).count,
    ...(typeof timezone === 'string' && { timezone }),
    hasMore: end.kind !== 'complete',
    ...(end.kind === 'more' && { nextCursor: end.cursor }),
    others: {
      ...otherFields(page, ['data', 'pagination']),
      ...otherFields(data, ['transactions', 'timezone']),
      ...otherFields(pagination, ['hasMore', 'nextCursor']),
    },
  };
}

function notFound(): ConsoleError {
  return new ConsoleError({
    status: 404,
    code: 'not_found',
    title: 'This transaction is not in the provider’s list of those days.',
    detail:
      'The provider’s document shows no way to read one transaction, so its list was searched.',
    next: 'Search for it in the list.',
    outcome: 'refused',
  });
}
