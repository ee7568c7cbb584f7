import type { SandboxContext } from '../context.js';
import { ApiError } from '../http/errors.js';
import type { Inventor } from '../random.js';
import { History, type HistoryOptions } from '../transactions/history.js';
import { refundRow, type RefundRequest } from '../transactions/refund.js';
import type { StoredTransaction } from '../transactions/transaction-store.js';
import type { TransactionRow } from '../transactions/transaction.js';
import { readPage, type TransactionQuery } from './transaction-page.js';

/** A row to add to the transactions. */
export interface AddedRow {
  /** Fields of spec 2.1 and any others. Missing ones are invented. Money is decimal text. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Fields to leave out of the row. */
  readonly omit?: readonly string[] | undefined;
  /** How long the list hides it. Default 0. */
  readonly visibleInSeconds?: number | undefined;
}

/** Transactions: read, added, refunded, hidden, and the history that they begin with. */
export function transactionControl(context: SandboxContext) {
  const { clock, inventor, notifier, sessions, settings, transactions } = context;
  const find = (id: string): StoredTransaction => found(transactions.find(id));
  return {
    /** Newest first, hidden ones included. Of the history only what was changed. */
    transactions(): readonly StoredTransaction[] {
      return transactions.changed();
    },

    /** A part of all transactions, newest first, hidden ones and the history included. */
    listTransactions(query: TransactionQuery) {
      return { ...readPage(transactions, query), total: transactions.count };
    },

    readTransaction(id: string) {
      const stored = found(transactions.read(id));
      const session = sessions.list(clock.now()).find((each) => each.transactionIds.includes(id));
      return { ...stored, sessionId: session?.id };
    },

    addTransaction(added: AddedRow): TransactionRow {
      const row: Record<string, unknown> = {
        ...inventRow(inventor, clock.nowText()),
        ...added.row,
      };
      for (const field of added.omit ?? []) Reflect.deleteProperty(row, field);
      if (!isTransactionRow(row)) {
        throw new ApiError(400, 'A row needs an id and a transactionTime.');
      }
      if (transactions.find(row.id) !== undefined) {
        throw new ApiError(409, 'A transaction with this id exists.');
      }
      transactions.add(row, clock.now() + (added.visibleInSeconds ?? 0) * 1000);
      return row;
    },

    /** Refunds a transaction fully or partly. @returns the changed row, or the added one. */
    refund(id: string, request: RefundRequest = {}): TransactionRow {
      const stored = find(id);
      const fresh = { id: inventor.id('txn'), transactionTime: clock.nowText() };
      const { changed, added } = refundRow(stored.row, request, fresh);
      stored.row = changed;
      notifier.notifyRefund(id, added ?? changed);
      if (added === undefined) return changed;
      transactions.add(added, clock.now());
      return added;
    },

    /** Hides a transaction from the list for some seconds from now. 0 shows it. */
    hideTransaction(id: string, seconds: number): void {
      find(id).visibleAt = clock.now() + seconds * 1000;
    },

    /** How many transactions the history has. */
    historyCount(): number {
      return transactions.historyCount;
    },

    /** Forgets all transactions and starts with another history. */
    generateHistory(options: HistoryOptions): void {
      transactions.reset(new History({ ...settings.history, ...options }, settings.merchants));
    },
  };
}

function found(stored: StoredTransaction | undefined): StoredTransaction {
  if (stored === undefined) throw new ApiError(404, 'There is no transaction with this id.');
  return stored;
}

function inventRow(inventor: Inventor, transactionTime: string): TransactionRow {
  return {
    id: inventor.id('txn'),
    source: 'payments',
    transactionTime,
    amount: '10.00',
    currencyCode: 'GBP',
    status: 'SUCCESS',
    paymentMethod: 'Saved Card',
    transactionModeId: 1,
    internalReference: inventor.id('int'),
    pspReference: inventor.id('psp'),
    last4Digits: '0001',
    shopperId: inventor.id('shopper'),
    service_fee: '0.00',
    firstname: 'Robin',
    lastname: 'Sample',
    customerType: 'guest',
    amountRefunded: '0.00',
  };
}

function isTransactionRow(row: Record<string, unknown>): row is TransactionRow {
  const { id, transactionTime } = row;
  return (
    typeof id === 'string' &&
    typeof transactionTime === 'string' &&
    !Number.isNaN(Date.parse(transactionTime))
  );
}
