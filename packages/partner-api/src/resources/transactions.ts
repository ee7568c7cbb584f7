import * as z from 'zod';

import { InvalidRequestError } from '../errors.js';
import { checkCallOptions } from '../http/call-options.js';
import { type Call, type NoteResponse, startCall } from '../http/call.js';
import type { Caller } from '../http/caller.js';
import { type CallOptions, isObject, type Operation } from '../http/operation.js';
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
import { hashFilters, type IterationPosition, readCheckpoint } from './checkpoint.js';
import { TransactionListReply, type TransactionPage } from './transaction.js';
import { TransactionIterator } from './transaction-iterator.js';
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

const FROM_THE_START: IterationPosition = {
  cursor: undefined,
  ended: false,
  givenIds: [],
  givenUnnamed: 0,
};

/** Options of {@link Transactions.iterate}; those of a call count for each page. */
export interface IterateOptions extends CallOptions {
  /** Whether the next page is requested before it is needed. Default `true`. */
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
   * Iterates over all rows of a list, or over its `pages()`, page by page as they are needed. The
   * options count for each page; the signal ends the iteration.
   *
   * @example
   * for await (const row of client.transactions.iterate({ fromDate: '2026-03-01' })) print(row.id);
   */
  iterate(params: ListTransactionsParams = {}, options: IterateOptions = {}): TransactionIterator {
    return this.#iterate(params, options, { ...FROM_THE_START, cursor: params.cursor });
  }

  /**
   * Goes on where `checkpoint()` was taken, in this or another process, without a gap or a double:
   * rows around the seam are recognised by their ids. Takes the same filters as then (`limit` may
   * differ) and refuses others.
   */
  resume(
    checkpoint: string,
    params: ListTransactionsParams = {},
    options: IterateOptions = {},
  ): TransactionIterator {
    const filters = this.#hash(params, options);
    const position = readCheckpoint(checkpoint, filters, 'transactions.resume');
    return this.#iterate(params, options, position);
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

  #iterate(
    params: ListTransactionsParams,
    { readAhead = true, ...options }: IterateOptions,
    position: IterationPosition,
  ): TransactionIterator {
    checkParams(params);
    const { cursor: _, ...fields } = params;
    checkCallOptions(LIST_TRANSACTIONS.name, fields, options);
    return new TransactionIterator({
      fetch: (cursor, signal) =>
        this.#list(cursor === undefined ? fields : { ...fields, cursor }, { ...options, signal }),
      position,
      filters: this.#hash(params, options),
      signal: options.signal,
      readAhead,
    });
  }

  /** What makes two lists the same: address, filters and extra fields; not the page size. */
  #hash(
    { limit: _, cursor: __, ...filters }: ListTransactionsParams,
    options: CallOptions,
  ): string {
    const address = this.#caller.settings.addresses.textOf(LIST_TRANSACTIONS.base);
    return hashFilters({ address, ...filters, ...options.extraFields });
  }
}

function checkParams(params: ListTransactionsParams): void {
  checkRequest(LIST_TRANSACTIONS.name, Request, params);
  const { fromDate, toDate } = params;
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
    throw new InvalidRequestError('fromDate', 'must not be after toDate', LIST_TRANSACTIONS.name);
  }
}
