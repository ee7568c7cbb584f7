import { InvalidRequestError } from '../errors.js';
import { checkTransactionPage } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import {
  checkFields,
  isCalendarDate,
  isFilledText,
  isInteger,
  isListOf,
  isPositiveInteger,
  isText,
  type FieldChecks,
} from '../http/check-fields.js';
import { checkCallOptions } from '../http/check-options.js';
import { hashFilters, readCheckpoint, type IterationPosition } from '../http/checkpoint.js';
import { OPERATIONS } from '../http/operation-facts.js';
import {
  expectObject,
  UnexpectedShape,
  type CallOptions,
  type JsonObject,
  type Operation,
} from '../http/operation.js';
import { TransactionIterator } from './transaction-iterator.js';
import { leaveOutUnreadable } from './unreadable-rows.js';

/** Status of a transaction (spec 3). Other values may come. */
export type TransactionStatus = 'SUCCESS' | 'REFUNDED' | (string & {});

/** What the list can be filtered by (spec 3): `REFUND`, while the transaction says `REFUNDED`. */
export type TransactionStatusFilter = 'SUCCESS' | 'REFUND' | (string & {});

/** How a transaction was paid (spec 2.1). Other values may come. */
export type PaymentMethod = 'New Card' | 'Saved Card' | 'Apple Pay' | 'Google Pay' | (string & {});

/**
 * A transaction as the provider sends it (spec 2.1). Which fields are present is not shown, so each
 * may be missing; properties that the spec does not list are kept. For money use `decimalOf`: a
 * `number` cannot hold every decimal.
 */
export interface Transaction {
  id?: string;
  source?: 'payments' | (string & {});
  /** ISO 8601, UTC, with milliseconds. */
  transactionTime?: string;
  orderRef?: string;
  amount?: number;
  /** Three letters. */
  currencyCode?: string;
  status?: TransactionStatus;
  merchantId?: number;
  merchantName?: string;
  paymentMethod?: PaymentMethod;
  transactionModeId?: number;
  internalReference?: string;
  pspReference?: string;
  last4Digits?: string;
  shopperId?: string;
  service_fee?: number;
  firstname?: string;
  lastname?: string;
  resellerOrderId?: string;
  customerType?: string;
  net?: number;
  deductions?: number;
  amountRefunded?: number;
  [field: string]: unknown;
}

/** Request of spec 4.1. Dates are calendar days; in which time zone, `timezone` says. */
export interface ListTransactionsParams {
  /** `YYYY-MM-DD`. */
  fromDate?: string | undefined;
  /** `YYYY-MM-DD`. */
  toDate?: string | undefined;
  /** Page size. Its maximum and default are not shown. */
  limit?: number | undefined;
  /** `pagination.nextCursor` of the page before. */
  cursor?: string | undefined;
  status?: readonly TransactionStatusFilter[] | undefined;
  merchantId?: number | undefined;
  /** Time zone name. */
  timezone?: string | undefined;
  resellerId?: number | undefined;
}

/**
 * One page of spec 4.1, newest transaction first. Fields that the spec does not list are kept. A row
 * that is no object is left out: `unreadableRowsOf(page)` says where it stood.
 */
export interface TransactionPage {
  data: {
    transactions: Transaction[];
    /** Name of the time zone that the result is in. */
    timezone?: string;
    [field: string]: unknown;
  };
  pagination: {
    hasMore: boolean;
    /** Opaque. Ask for the next page with it when `hasMore` is true. */
    nextCursor?: string;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

const CHECKS: FieldChecks<ListTransactionsParams> = {
  fromDate: isCalendarDate,
  toDate: isCalendarDate,
  limit: isPositiveInteger,
  cursor: isFilledText,
  status: isListOf(isFilledText),
  merchantId: isInteger,
  timezone: isFilledText,
  resellerId: isInteger,
};

const LIST: Operation<TransactionPage> = {
  ...OPERATIONS.listTransactions,
  readReply: readPage,
  checkReply: checkTransactionPage,
};

const FROM_THE_BEGIN: IterationPosition = {
  cursor: undefined,
  ended: false,
  givenIds: [],
  givenUnnamed: 0,
};

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
  async list(params: ListTransactionsParams = {}, options?: CallOptions): Promise<TransactionPage> {
    return this.#caller.call(LIST, { fields: checkParams(params) }, options);
  }

  /**
   * Iterates over all rows of a list, or over its `pages()`, page by page as they are needed. The
   * options count for each page; the signal ends the iteration.
   *
   * @example
   * for await (const row of client.transactions.iterate({ fromDate: '2026-03-01' })) print(row.id);
   */
  iterate(params: ListTransactionsParams = {}, options: CallOptions = {}): TransactionIterator {
    return this.#iterate(params, options, { ...FROM_THE_BEGIN, cursor: params.cursor });
  }

  /**
   * Goes on where `checkpoint()` was taken, in this or another process, without a gap or a double:
   * rows around the seam are recognised by their ids. Takes the same filters as then (`limit` may
   * differ) and refuses others.
   */
  resume(
    checkpoint: string,
    params: ListTransactionsParams = {},
    options: CallOptions = {},
  ): TransactionIterator {
    const filters = this.#hash(params, options);
    const position = readCheckpoint(checkpoint, filters, 'transactions.resume');
    return this.#iterate(params, options, position);
  }

  #iterate(
    params: ListTransactionsParams,
    options: CallOptions,
    position: IterationPosition,
  ): TransactionIterator {
    const { cursor: _, ...fields } = checkParams(params);
    checkCallOptions(LIST.name, fields, options);
    return new TransactionIterator({
      fetch: (cursor, signal) => {
        const request = { fields: cursor === undefined ? fields : { ...fields, cursor } };
        return this.#caller.call(LIST, request, { ...options, signal });
      },
      position,
      filters: this.#hash(params, options),
      signal: options.signal,
    });
  }

  /** What makes two lists the same: address, filters and extra fields; not the page size. */
  #hash(
    { limit: _, cursor: __, ...filters }: ListTransactionsParams,
    options: CallOptions,
  ): string {
    const address = this.#caller.settings.addresses.textOf(LIST.base);
    return hashFilters({ address, ...filters, ...options.extraFields });
  }
}

function checkParams(params: ListTransactionsParams): JsonObject {
  const fields = checkFields(LIST.name, params, CHECKS);
  const { fromDate, toDate } = params;
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
    throw new InvalidRequestError('fromDate', 'must not be after toDate', LIST.name);
  }
  return fields;
}

function readPage(body: unknown): TransactionPage {
  const page = expectObject(body, 'body');
  const data = expectObject(page['data'], 'data');
  const rows = data['transactions'];
  if (!Array.isArray(rows)) throw new UnexpectedShape('data.transactions', 'an array');
  const pagination = expectObject(page['pagination'], 'pagination');
  if (typeof pagination['hasMore'] !== 'boolean') {
    throw new UnexpectedShape('pagination.hasMore', 'a boolean');
  }
  // `null` on the last page means the same as no cursor.
  const cursor = pagination['nextCursor'] ?? undefined;
  if (cursor === undefined) delete pagination['nextCursor'];
  else if (isText(cursor) !== undefined)
    throw new UnexpectedShape('pagination.nextCursor', 'a text');
  // One row that cannot be read must not hide the others; the drift report sees the page as it came.
  return leaveOutUnreadable(body as TransactionPage);
}
