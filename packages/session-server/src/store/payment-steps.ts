import type { CheckoutFact } from '../checkouts/state-machine.js';
import type { Change, PaymentEvidence } from '../checkouts/repository.js';
import { planPayment } from '../reconciliation/payment-rules.js';
import type { WebhookProof } from '../webhooks/repository.js';
import type { AttemptTable } from './attempt-table.js';
import type { CheckoutTable } from './checkout-table.js';
import type { TransactionTable } from './transaction-table.js';

export interface PaymentStepsOptions {
  readonly checkouts: CheckoutTable;
  readonly attempts: AttemptTable;
  readonly transactions: TransactionTable;
}

/** Writes what is proved about a payment, inside the caller's step. */
export class PaymentSteps {
  readonly #checkouts: CheckoutTable;
  readonly #attempts: AttemptTable;
  readonly #transactions: TransactionTable;

  constructor(options: PaymentStepsOptions) {
    this.#checkouts = options.checkouts;
    this.#attempts = options.attempts;
    this.#transactions = options.transactions;
  }

  /** Keeps a transaction that was judged to pay an attempt; undefined when it is known already. */
  record(evidence: PaymentEvidence, now: number): Change | undefined {
    const checkout = this.#checkouts.get(this.#attempts.get(evidence.orderId).checkout);
    const siblings = this.#checkouts
      .findOrder(checkout.merchant, checkout.order)
      .filter(({ id }) => id !== checkout.id);
    const openedLast = this.#attempts.findLastOrderId(checkout.id);
    const facts = planPayment(
      {
        checkout,
        siblings,
        isSuperseded: siblings.some(({ id }) => this.#attempts.findLastOrderId(id) > openedLast),
        known: this.#transactions.findKnown(evidence.transaction),
        paymentRow: this.#transactions.findPaymentRow(checkout),
        refundedAt: this.#transactions.findRefundTime(checkout),
        refundedMinor: this.#transactions.sumRefundRows(checkout),
      },
      evidence,
    );
    if (!facts) return undefined;
    this.#transactions.keep(evidence, checkout.id, now);
    if (checkout.state !== 'paid') {
      this.#attempts.watchForRefunds(evidence.orderId, now);
      this.#attempts.supersedeSending(checkout.merchant, checkout.order);
    }
    return this.#checkouts.apply(checkout, facts, now);
  }

  /** Applies what a verified delivery proves. */
  prove(proof: WebhookProof, now: number): Change | undefined {
    if (proof.kind === 'payment') return this.record(proof.evidence, now);
    const attempt = this.#attempts.get(proof.orderId);
    const checkout = this.#checkouts.get(attempt.checkout);
    if (proof.kind === 'mismatch') {
      return this.#checkouts.apply(checkout, [{ type: 'attention-needed', code: proof.code }], now);
    }
    // The failure of a session that gave way says nothing about the one that took its place.
    const facts: CheckoutFact[] = attempt.status === 'exposed' ? [{ type: 'failure-proved' }] : [];
    return this.#checkouts.apply(checkout, facts, now);
  }
}
