import { ApiError } from '../api/api-error.js';
import { decimalsOf, fromMinor, toMinor } from '../money.js';
import { inventId, type TransactionRow } from '../resources/transaction-row.js';
import type { StoredTransaction } from '../transaction-store.js';

/** How to refund a transaction. */
export interface RefundOrder {
  /** Decimal text. Default: all that is left. */
  readonly amount?: string | undefined;
  /** Whether the row changes, or a row of its own appears: not shown in the spec. Default `change`. */
  readonly as?: 'change' | 'add' | undefined;
  /** Status to write. Default `REFUNDED`, but a partly refunded row that changes keeps its own. */
  readonly status?: string | undefined;
}

/** What a refund does to the list. */
export interface Refund {
  /** The row as it is from now on. */
  readonly changed: TransactionRow;
  /** A further row, with `as: 'add'`. */
  readonly added?: TransactionRow;
}

/** Works out a refund in minor units; more than what is left is refused. */
export function refundRow(stored: StoredTransaction, order: RefundOrder, now: string): Refund {
  const { row } = stored;
  const decimals = decimalsOf(row.currencyCode ?? 'GBP');
  const total = toMinor(row.amount ?? '0', decimals) ?? 0n;
  const before = toMinor(row.amountRefunded ?? '0', decimals) ?? 0n;
  const wanted = order.amount === undefined ? total - before : toMinor(order.amount, decimals);
  if (wanted === undefined || wanted <= 0n || wanted > total - before) {
    throw new ApiError(400, 'This cannot be refunded.', {
      fields: [
        {
          field: 'amount',
          message: `expected a decimal of at most ${fromMinor(total - before, decimals)}`,
        },
      ],
    });
  }
  const refunded = fromMinor(before + wanted, decimals);
  if (order.as === 'add') {
    const added: TransactionRow = {
      ...row,
      id: inventId('txn'),
      transactionTime: now,
      amount: fromMinor(wanted, decimals),
      amountRefunded: fromMinor(wanted, decimals),
      status: order.status ?? 'REFUNDED',
    };
    return { changed: row, added };
  }
  const isFull = before + wanted === total;
  const status = order.status ?? (isFull ? 'REFUNDED' : row.status);
  return {
    changed: { ...row, amountRefunded: refunded, ...(status === undefined ? {} : { status }) },
  };
}
