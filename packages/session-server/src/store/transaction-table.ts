import type { Checkout } from '../checkouts/state-machine.js';
import type { PaymentEvidence, StoredTransaction } from '../checkouts/repository.js';
import type { PaymentHistory } from '../reconciliation/payment-rules.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { timeOf } from '../reconciliation/matching.js';
import { parseRefundMinor } from '../checkouts/money.js';
import { toTransaction } from './rows.js';

/** The provider's transactions that count as evidence. Its writes run inside the caller's step. */
export class TransactionTable {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  findOfCheckout(checkout: string): StoredTransaction[] {
    return this.#connection
      .all('SELECT * FROM transactions WHERE checkout = :checkout ORDER BY transaction_time, id', {
        checkout,
      })
      .map(toTransaction);
  }

  findKnown(id: string): PaymentHistory['known'] {
    const row = this.#connection.get('SELECT * FROM transactions WHERE id = :id', { id });
    return row && { checkout: String(row['checkout']), isRefundRow: row['is_refund_row'] === 1 };
  }

  /** The attempt that a transaction paid. */
  findAttemptOf(id: string): number | undefined {
    const row = this.#connection.get('SELECT order_id FROM transactions WHERE id = :id', { id });
    return row && Number(row['order_id']);
  }

  /**
   * The row that took the money of a checkout: what paid it, or what joined a row of its refund. One
   * that came after that refund is another payment.
   */
  findPaymentRow(checkout: Checkout): string | undefined {
    const refundedAt = this.findRefundTime(checkout) ?? Infinity;
    return this.#connection
      .all(
        `SELECT * FROM transactions WHERE checkout = :checkout AND is_refund_row = 0
         ORDER BY id = :paidBy DESC, recorded_at, id`,
        { checkout: checkout.id, paidBy: checkout.paidBy ?? null },
      )
      .map(toTransaction)
      .find((row) => (timeOf(row) ?? Infinity) <= refundedAt)?.id;
  }

  /** The time of the row that paid a checkout, where that row is one of a refund. */
  findRefundTime({ paidBy }: Checkout): number | undefined {
    const row = this.#connection.get(
      'SELECT * FROM transactions WHERE id = :paidBy AND is_refund_row = 1',
      { paidBy: paidBy ?? null },
    );
    return row && timeOf(toTransaction(row));
  }

  /**
   * What the rows of refunds beside the payment come to, in minor units. The amount of the row that
   * paid the checkout is what was taken, also where it says that a part of it was given back.
   */
  sumRefundRows(checkout: Checkout): number {
    return this.#connection
      .all(
        `SELECT amount FROM transactions
         WHERE checkout = :checkout AND is_refund_row = 1 AND id <> :paidBy`,
        { checkout: checkout.id, paidBy: checkout.paidBy ?? '' },
      )
      .reduce(
        (sum, row) => sum + (parseRefundMinor(String(row['amount']), checkout.decimals) ?? 0),
        0,
      );
  }

  /**
   * Keeps a transaction as it was first seen; only its status follows the provider. One that is as it
   * was is not written: each look meets it again, and a write has to wait for the disk.
   */
  keep(evidence: PaymentEvidence, checkout: string, now: number): void {
    this.#connection.run(
      `INSERT INTO transactions
         (id, checkout, order_id, status, is_refund_row, amount, currency, transaction_time, recorded_at)
       VALUES (:id, :checkout, :orderId, :status, :isRefundRow, :amount, :currency, :time, :now)
       ON CONFLICT (id) DO UPDATE SET status = :status WHERE status <> :status`,
      {
        id: evidence.transaction,
        checkout,
        orderId: evidence.orderId,
        status: evidence.status,
        isRefundRow: evidence.isRefundRow ? 1 : 0,
        amount: evidence.amount,
        currency: evidence.currency,
        time: evidence.transactionTime,
        now,
      },
    );
  }
}
