import { ApiError } from '../http/errors.js';
import { decimalsOf, fromMinor, toMinor } from '../money.js';
import type { TransactionRow } from './transaction.js';

/** How to refund a transaction. */
export interface RefundRequest {
  /** Decimal text. Default: the whole rest. */
  readonly amount?: string | undefined;
  /** Whether the row changes or a new row is added (not shown in the spec). Default `change`. */
  readonly as?: 'change' | 'add' | undefined;
  /** Status to write. Default `REFUNDED`; a partly refunded row that changes keeps its status. */
  readonly status?: string | undefined;
}

/** What a refund does to the list. */
export interface Refund {
  /** The row after the refund. */
  readonly changed: TransactionRow;
  /** A new row, with `as: 'add'`. */
  readonly added?: TransactionRow;
}

/** Computes a refund in minor units, and refuses more than the rest. `fresh`: of a row to add. */
export function refundRow(
  row: TransactionRow,
  request: RefundRequest,
  fresh: { readonly id: string; readonly transactionTime: string },
): Refund {
  const decimals = decimalsOf(row.currencyCode ?? 'GBP');
  const total = toMinor(row.amount ?? '0', decimals) ?? 0n;
  const before = toMinor(row.amountRefunded ?? '0', decimals) ?? 0n;
  const wanted = request.amount === undefined ? total - before : toMinor(request.amount, decimals);
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
  if (request.as === 'add') {
    const added: TransactionRow = {
      ...row,
      ...fresh,
      amount: fromMinor(wanted, decimals),
      amountRefunded: fromMinor(wanted, decimals),
      status: request.status ?? 'REFUNDED',
    };
    return { changed: row, added };
  }
  const isFull = before + wanted === total;
  const status = request.status ?? (isFull ? 'REFUNDED' : row.status);
  return {
    changed: { ...row, amountRefunded: refunded, ...(status === undefined ? {} : { status }) },
  };
}
