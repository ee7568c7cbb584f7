import type { Caller } from '../internal/caller.js';
import {
  checkFields,
  isCalendarDate,
  isFilledText,
  isInteger,
  isListOf,
  isPositiveInteger,
  isText,
  type FieldChecks,
} from '../internal/check-fields.js';
import { InvalidRequestError } from '../errors.js';
import {
  expectObject,
  UnexpectedShape,
  type CallOptions,
  type Operation,
} from '../internal/operation.js';

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

/** One page of spec 4.1, newest transaction first. Fields that the spec does not list are kept. */
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
  name: 'transactions.list',
  method: 'POST',
  path: ['v1', 'transactions', 'list'],
  effect: 'read',
  readReply: readPage,
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
    const fields = checkFields(LIST.name, params, CHECKS);
    const { fromDate, toDate } = params;
    if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
      throw new InvalidRequestError('fromDate', 'must not be after toDate', LIST.name);
    }
    return this.#caller.call(LIST, fields, options);
  }
}

function readPage(body: unknown): TransactionPage {
  const page = expectObject(body, 'body');
  const data = expectObject(page['data'], 'data');
  const rows = data['transactions'];
  if (!Array.isArray(rows)) throw new UnexpectedShape('data.transactions', 'an array');
  rows.forEach((row: unknown, index) => expectObject(row, `data.transactions[${index}]`));
  const pagination = expectObject(page['pagination'], 'pagination');
  if (typeof pagination['hasMore'] !== 'boolean') {
    throw new UnexpectedShape('pagination.hasMore', 'a boolean');
  }
  // `null` on the last page means the same as no cursor.
  const cursor = pagination['nextCursor'] ?? undefined;
  if (cursor === undefined) delete pagination['nextCursor'];
  else if (isText(cursor) !== undefined)
    throw new UnexpectedShape('pagination.nextCursor', 'a text');
  return body as TransactionPage;
}
