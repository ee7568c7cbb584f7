/**
 * What the rows of an order prove: pure. Payments and refunds follow from all rows that were ever
 * matched to the attempts of the order, in whatever order they were read.
 */
import type { AttentionCode, Checkout, CheckoutFact } from '../checkouts/state-machine.js';
import type { PaymentFacts } from '../contract.js';
import { type RowMoney, timeOf as readTime } from './matching.js';

/** A row of the provider's list that was matched to an attempt. */
export interface PaymentEvidence extends RowMoney {
  readonly transaction: string;
  readonly orderId: number;
  readonly status: string;
  /** Whether it is of the price of its checkout. */
  readonly provesPrice: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly transactionTime: string;
  /** Why a person must check it. */
  readonly attention?: AttentionCode | undefined;
  /** What the row shows of the payment, for the merchant. */
  readonly payment?: PaymentFacts | undefined;
  /** The setting of the merchant; default true. */
  readonly joinsRefundRow?: boolean;
}

/** A row as it is kept: what any version of it has shown, and the newest status. */
export interface MatchedRow extends Omit<
  PaymentEvidence,
  'attention' | 'joinsRefundRow' | 'payment'
> {
  /** The provider account that lists it: ids and references are unique there. */
  readonly account: string;
  readonly checkout: string;
}

/** What is known when a row is read. */
export interface PaymentHistory {
  /** The provider account that lists the row. */
  readonly account: string;
  readonly checkout: Checkout;
  /** The other checkouts of the same order. */
  readonly siblings: readonly Checkout[];
  /** Whether another price of the order was requested after this one was last requested. */
  readonly isSuperseded: boolean;
  /** What is stored of this row. */
  readonly known: MatchedRow | undefined;
  /** All stored rows of the order. */
  readonly rows: readonly MatchedRow[];
}

export interface PaymentPlan {
  /** The row to keep. */
  readonly row: MatchedRow;
  /** By checkout: what follows for each one of the order. */
  readonly facts: ReadonlyMap<string, readonly CheckoutFact[]>;
}

/** The rows of an order, sorted out. */
interface OrderMoney {
  /** What took money, each with what was refunded of it. */
  readonly payments: readonly { readonly row: MatchedRow; readonly refundedMinor: number }[];
  /** Refunds of one payment or another. */
  readonly refunds: readonly MatchedRow[];
}

/** What follows from a row. Undefined when it serves another checkout, and proves nothing here. */
export function planPayment(
  history: PaymentHistory,
  { attention, joinsRefundRow = true, payment, ...evidence }: PaymentEvidence,
): PaymentPlan | undefined {
  const { account, checkout, siblings, known } = history;
  const isOfAnother = known !== undefined && known.checkout !== checkout.id;
  if (isOfAnother && (known.provesPrice || !evidence.provesPrice)) return undefined;
  const read = { ...evidence, account, checkout: checkout.id };
  const row = known && !isOfAnother ? mergeRow(known, read) : read;
  const others = history.rows.filter(
    (other) => other.account !== account || other.transaction !== row.transaction,
  );
  const money = sortOut([...others, row], joinsRefundRow);

  const facts: CheckoutFact[] = [];
  const isPayment = money.payments.some((payment) => payment.row === row);
  const isExplained = known?.provesPrice && read.refundedMinor > 0;
  if (attention && isPayment && !isExplained) {
    facts.push({ type: 'attention-needed', code: attention });
  }
  if (isPayment && row.provesPrice) {
    facts.push(...factsOfPayment(history, { transaction: row.transaction, payment }, money));
  }
  const planned = new Map([[checkout.id, facts]]);
  for (const each of [checkout, ...siblings]) {
    const all = planned.get(each.id) ?? [];
    planned.set(each.id, [
      ...all,
      { type: 'refund-proved', refundedMinor: refundedOf(each, money) },
    ]);
  }
  return { row, facts: planned };
}

/**
 * Two versions of one row. Pages may be read late or twice, so that a version is no newer than the one
 * that is stored: what was taken or refunded in any of them was.
 */
function mergeRow(known: MatchedRow, read: MatchedRow): MatchedRow {
  const isMore =
    known.isRefundRow === read.isRefundRow ? read.takenMinor > known.takenMinor : known.isRefundRow;
  const isEarlier = timeOf(read) < timeOf(known);
  return {
    ...(isMore ? read : known),
    status: read.status,
    provesPrice: known.provesPrice || read.provesPrice,
    refundedMinor: Math.max(known.refundedMinor, read.refundedMinor),
    reference: known.reference ?? read.reference,
    transactionTime: (isEarlier ? read : known).transactionTime,
  };
}

/**
 * Whether a refund changes the row of its payment or adds one is not shown. A refund row of its own
 * belongs to the payment that carries the same reference. Without one it is of some payment in its
 * session; where there is none, its payment was never listed before it was refunded.
 */
function sortOut(rows: readonly MatchedRow[], joinsRefundRow: boolean): OrderMoney {
  const payments = rows.filter(({ isRefundRow }) => !isRefundRow);
  const refundedByReference = new Map<MatchedRow, number>();
  const refunds: MatchedRow[] = [];
  const paidAndRefunded: MatchedRow[] = [];
  for (const row of rows.filter(({ isRefundRow }) => isRefundRow)) {
    const payment = payments.find(
      ({ account, reference }) =>
        reference !== undefined && reference === row.reference && account === row.account,
    );
    if (payment) {
      const refunded = (refundedByReference.get(payment) ?? 0) + row.refundedMinor;
      refundedByReference.set(payment, refunded);
    } else if (joinsRefundRow && payments.some((other) => mayBeRefundOf(other, row))) {
      refunds.push(row);
    } else paidAndRefunded.push(row);
  }
  return {
    refunds,
    payments: [...payments, ...paidAndRefunded].map((row) => ({
      row,
      // A refund may change the row and add one, too.
      refundedMinor: Math.max(row.refundedMinor, refundedByReference.get(row) ?? 0),
    })),
  };
}

/** A refund is never earlier than its payment, and a refund of the full price never belongs to a smaller payment. */
function mayBeRefundOf(payment: MatchedRow, refund: MatchedRow): boolean {
  return (
    payment.orderId === refund.orderId &&
    timeOf(payment) <= timeOf(refund) &&
    (payment.provesPrice || !refund.provesPrice)
  );
}

/** How much of the price is no longer held. */
function refundedOf({ amountMinor, currency }: Checkout, money: OrderMoney): number {
  const paidMinor = money.payments
    .filter(({ row }) => row.currency === currency)
    .reduce((sum, { row, refundedMinor }) => sum + Math.max(0, row.takenMinor - refundedMinor), 0);
  const refundedMinor = money.refunds
    .filter((row) => row.currency === currency)
    .reduce((sum, row) => sum + row.refundedMinor, 0);
  const heldMinor = paidMinor - refundedMinor;
  return amountMinor - Math.min(amountMinor, Math.max(0, heldMinor));
}

function factsOfPayment(
  { checkout, siblings, isSuperseded }: PaymentHistory,
  { transaction, payment }: Pick<PaymentEvidence, 'transaction' | 'payment'>,
  money: OrderMoney,
): CheckoutFact[] {
  const isPaid = checkout.state === 'paid';
  const raised = [checkout, ...siblings].flatMap(({ attention }) => attention);
  const isTooMany =
    countPayments(money) - 1 > raised.filter((code) => code === 'paid_twice').length;
  const paid: CheckoutFact = { type: 'payment-proved', transaction, payment };
  if (isTooMany) return [paid, { type: 'attention-needed', code: 'paid_twice' }];
  return isSuperseded && !isPaid
    ? [paid, { type: 'attention-needed', code: 'price_changed' }]
    : [paid];
}

/** Several refunds in one session, whose payment was never listed before them, count as one payment. */
function countPayments({ payments }: OrderMoney): number {
  const proofs = payments.map(({ row }) => row).filter(({ provesPrice }) => provesPrice);
  const refunded = proofs.filter(({ isRefundRow }) => isRefundRow);
  const sessions = new Set(refunded.map(({ orderId }) => orderId));
  return proofs.length - refunded.length + sessions.size;
}

/** Later than all others where it cannot be read. */
function timeOf(row: MatchedRow): number {
  return readTime(row) ?? Infinity;
}
