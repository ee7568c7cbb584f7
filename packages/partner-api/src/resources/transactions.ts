import * as z from 'zod';
import { InvalidRequestError } from '../errors.js';
import { type CallOptions, checkCallOptions, isObject, type Operation } from '../http/operation.js';
import { type Call, type Caller, type NoteResponse, startCall } from '../http/request.js';
import {
  checkRequest,
  FIELDS_NOT_SHOWN,
  filledText,
  must,
  notShown,
  requestDate,
  requestObject,
  wholeNumber,
} from '../schemas.js';
import { type Transaction, TransactionListReply, type TransactionPage } from './transaction.js';
import { followPages, type ListedPage, ListIterator, rowsOf } from './transaction-pages.js';
import { leaveOutUnreadable } from './unreadable-rows.js';

const Request = requestObject({
  fromDate: requestDate.optional(),
  toDate: requestDate.optional(),
  limit: z
    .int(must('must be a whole number above 0'))
    .positive('must be a whole number above 0')
    .optional()
    .meta({ description: 'Page size.', ...notShown('Maximum and default.') }),
  cursor: filledText.optional(),
  status: z
    .array(filledText, must('must be a list (an array)'))
    .readonly()
    .optional()
    .meta({ examples: [['SUCCESS', 'REFUND']] }),
  merchantId: wholeNumber.optional(),
  timezone: filledText.optional(),
  resellerId: wholeNumber.optional(),
}).meta(FIELDS_NOT_SHOWN);

/**
 * Request of spec 4.1. Dates are calendar days, `YYYY-MM-DD`; in which time zone, `timezone` says.
 * The filter of refunds is `REFUND`, while the transaction says `REFUNDED` (spec 3).
 */
export type ListTransactionsParams = z.infer<typeof Request>;

export const LIST_TRANSACTIONS: Operation<typeof TransactionListReply> = {
  name: 'transactions.list',
  summary: 'List transactions, newest first.',
  section: '4.1',
  method: 'POST',
  base: 'api',
  path: ['v1', 'transactions', 'list'],
  key: 'apiKey',
  effect: 'read',
  request: Request,
  reply: TransactionListReply,
  // Without a usable `pagination` the rows count all the same: `endOfPage` says that more may follow.
  needs: ['data', 'data.transactions'],
  prepare: ({ pagination }) => {
    // `null` on the last page means the same as no cursor.
    if (isObject(pagination) && pagination['nextCursor'] === null) delete pagination['nextCursor'];
  },
};

/** Options of {@link Transactions.iterate} and `pages`; those of a call count for each page. */
export interface IterateOptions extends CallOptions {
  /** Whether the pages after the second are requested before they are needed. Default `true`. */
  readonly readAhead?: boolean | undefined;
}

/** The payment transactions of a partner (spec 4.1). */
export class Transactions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Reads one page, newest first. It changes nothing at the provider, so a failure that may pass is
   * repeated, within the time limit of the call.
   */
  list(params: ListTransactionsParams = {}, options?: CallOptions): Call<TransactionPage> {
    return startCall(async (note) => {
      checkParams(params);
      return this.#list(params, options, note);
    });
  }

  /**
   * Iterates over all rows of a list, newest first, page by page as they are needed. The options count
   * for each page; the signal ends the iteration.
   *
   * @example
   * for await (const row of client.transactions.iterate({ fromDate: '2026-03-01' })) print(row.id);
   */
  iterate(
    params: ListTransactionsParams = {},
    options: IterateOptions = {},
  ): ListIterator<Transaction> {
    const { pages, leaving } = this.#follow(params, options);
    return new ListIterator(rowsOf(pages), options.signal, leaving);
  }

  /**
   * The same list page by page, empty pages included. Each page has its `cursor` and its `end`: to go on
   * later or elsewhere, give the cursor of `end` with the same filters. With `readAhead: false` each
   * `next()` requests one page, and nothing else does.
   *
   * @example
   * for await (const page of client.transactions.pages({ cursor })) await store(page, page.end);
   */
  pages(
    params: ListTransactionsParams = {},
    options: IterateOptions = {},
  ): ListIterator<ListedPage> {
    const { pages, leaving } = this.#follow(params, options);
    return new ListIterator(pages, options.signal, leaving);
  }

  async #list(
    fields: ListTransactionsParams,
    options?: CallOptions,
    note?: NoteResponse,
  ): Promise<TransactionPage> {
    const page = await this.#caller.call(LIST_TRANSACTIONS, { fields }, options, note);
    // One row that cannot be read must not hide the others; the drift report counts it.
    return leaveOutUnreadable(page);
  }

  #follow(params: ListTransactionsParams, { readAhead = true, ...options }: IterateOptions) {
    checkParams(params);
    const { cursor: from, ...fields } = params;
    checkCallOptions(LIST_TRANSACTIONS.name, fields, options);
    const leaving = new AbortController();
    const signals = [leaving.signal, ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    const fetchPage = (cursor: string | undefined): Promise<TransactionPage> =>
      this.#list(cursor === undefined ? fields : { ...fields, cursor }, { ...options, signal });
    return { pages: followPages(fetchPage, from, readAhead), leaving };
  }
}

function checkParams(params: ListTransactionsParams): void {
  checkRequest(LIST_TRANSACTIONS.name, Request, params);
  const { fromDate, toDate } = params;
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
    throw new InvalidRequestError('fromDate', 'must not be after toDate', LIST_TRANSACTIONS.name);
  }
}
