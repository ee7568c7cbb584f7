import {
  type CreateCheckoutSessionParams,
  decimalOf,
  endOfPage,
  isPartnerApiError,
  type PageEnd,
  type Transaction,
  type UnreadableRow,
  unreadableRowsOf,
} from '@pay-checkout/partner-api';
import { AppError } from '../errors.js';
import type { Merchant } from '../merchants/merchant.js';
import type { Observer } from '../observer.js';
import type { PartnerClients } from './partner-clients.js';

/** How a `/create-session` ended, as far as it matters to money. */
export type SessionResult =
  | { readonly kind: 'created'; readonly sessionId: string }
  /** Nothing reached the provider. */
  | { readonly kind: 'not_sent'; readonly cause: unknown }
  /** The provider refused: no session exists. */
  | { readonly kind: 'refused'; readonly cause: unknown }
  /** The answer was lost: a session may exist that is never shown. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** One row of `transactions/list` (spec 2.1), with its money as the exact text of the answer. */
export interface TransactionRow {
  readonly id?: string | undefined;
  readonly transactionTime?: string | undefined;
  readonly status?: string | undefined;
  readonly merchantId?: number | undefined;
  readonly currencyCode?: string | undefined;
  readonly amount?: string | undefined;
  readonly serviceFee?: string | undefined;
  readonly amountRefunded?: string | undefined;
  /** Values of the fields that may carry our reference. */
  readonly references: Readonly<Record<string, string>>;
}

/** One page of the list, newest first. */
export interface TransactionPage {
  readonly rows: readonly TransactionRow[];
  /** Rows that are no objects. They prove nothing, neither a payment nor its absence. */
  readonly unreadable?: UnreadableRows;
  readonly end: PageEnd;
}

/** How many rows of a page could not be read, and the places of the first. No values. */
export interface UnreadableRows {
  readonly count: number;
  readonly first: readonly Pick<UnreadableRow, 'index' | 'kind'>[];
}

/** A merchant at the provider. Another account may give the same number to another merchant. */
export interface ProviderMerchant {
  readonly account: string;
  readonly providerMerchantId: number;
}

/** A list of transactions: of all merchants of an account, or of one of them alone. */
export interface TransactionList {
  readonly account: string;
  /** Undefined where it is of all of them. */
  readonly providerMerchantId?: number | undefined;
}

/** Its key in a map. */
export function keyOf({ account, providerMerchantId = 0 }: TransactionList): string {
  return `${account} ${String(providerMerchantId)}`;
}

export interface TransactionQuery extends TransactionList {
  /** `YYYY-MM-DD`. */
  readonly fromDate: string;
  readonly toDate: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The provider, as the session server sees it. */
export interface PartnerGateway {
  /** @param extraFields fields that the provider's interface does not show, passed through */
  createSession(
    account: string,
    fields: CreateCheckoutSessionParams,
    extraFields?: Merchant['extraFields'],
  ): Promise<SessionResult>;
  /**
   * @throws {AppError} 503 `provider_unavailable`; with `retryAfterSeconds` when the provider asked
   *   for a pause; also when there is no such account
   */
  listTransactions(query: TransactionQuery): Promise<TransactionPage>;
}

/** The only place that knows the provider's errors: it turns them into our own codes. */
export function createPartnerGateway(clients: Pick<PartnerClients, 'get'>): PartnerGateway {
  return {
    async createSession(account, fields, extraFields = {}) {
      let client;
      try {
        client = await clients.get(account);
      } catch (cause) {
        return { kind: 'not_sent', cause };
      }
      try {
        const options = Object.keys(extraFields).length > 0 ? { extraFields } : {};
        const { session_id: sessionId } = await client.checkoutSessions.create(fields, options);
        return { kind: 'created', sessionId };
      } catch (cause) {
        return { kind: isPartnerApiError(cause) ? cause.outcome : 'unknown', cause };
      }
    },

    async listTransactions(query) {
      const { account, providerMerchantId, fromDate, toDate, cursor, limit } = query;
      const client = await clients.get(account);
      try {
        const page = await client.transactions.list({
          ...(providerMerchantId === undefined ? {} : { merchantId: providerMerchantId }),
          fromDate,
          toDate,
          limit,
          timezone: 'UTC',
          ...(cursor === undefined ? {} : { cursor }),
        });
        const unreadable = unreadableRowsOf(page);
        return {
          rows: page.data.transactions.map(toRow),
          ...(unreadable.count > 0 && { unreadable }),
          end: endOfPage(page),
        };
      } catch (cause) {
        const retryAfterSeconds = pauseAskedBy(cause);
        throw new AppError(
          503,
          'provider_unavailable',
          'The payment provider cannot be asked at the moment.',
          { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
        );
      }
    },
  };
}

/** Notifies the observer of each call: how it ended, and how long it took. */
export function observeGateway(
  gateway: PartnerGateway,
  observer: Pick<Observer, 'providerCalled'>,
): PartnerGateway {
  return {
    async createSession(account, ...args) {
      const seconds = startTimer();
      const result = await gateway.createSession(account, ...args);
      const operation = 'create_session';
      observer.providerCalled({ operation, account, outcome: result.kind, seconds: seconds() });
      return result;
    },

    async listTransactions(query) {
      const seconds = startTimer();
      let outcome = 'failed';
      try {
        const page = await gateway.listTransactions(query);
        outcome = 'ok';
        return page;
      } finally {
        const operation = 'list_transactions';
        observer.providerCalled({ operation, account: query.account, outcome, seconds: seconds() });
      }
    },
  };
}

function startTimer(): () => number {
  const startedAt = performance.now();
  return () => (performance.now() - startedAt) / 1000;
}

/** The pause that the provider asks for; 0 when it answers "too many" without saying how long. */
function pauseAskedBy(cause: unknown): number | undefined {
  if (!isPartnerApiError(cause)) return undefined;
  return cause.retryAfterSeconds ?? (cause.status === 429 ? 0 : undefined);
}

function toRow(transaction: Transaction): TransactionRow {
  const references = Object.entries(transaction).flatMap(([field, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[field, String(value)]] : [],
  );
  return {
    id: textOf(transaction.id),
    transactionTime: textOf(transaction.transactionTime),
    status: textOf(transaction.status),
    merchantId: merchantIdOf(transaction.merchantId),
    currencyCode: textOf(transaction.currencyCode),
    amount: decimalOf(transaction, 'amount'),
    serviceFee: decimalOf(transaction, 'service_fee'),
    amountRefunded: decimalOf(transaction, 'amountRefunded'),
    references: Object.fromEntries(references) as Record<string, string>,
  };
}

/** A text field as text: an id that comes as a number is the same id, and null is no value. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Null means absent, digits mean the number; anything else is an unknown merchant. */
function merchantIdOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : NaN;
}
