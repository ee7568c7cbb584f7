import type { StoredToken } from '../checkouts/attempt-token.js';
import { type CheckoutFact, isPaymentPending } from '../checkouts/state-machine.js';
import type { Attempt, Change, SessionHint, StoreRules } from '../checkouts/repository.js';
import { isBeingPaid } from '../checkouts/opening-rules.js';
import type { ReturnKind } from '../contract.js';
import type { AttemptTable } from './attempt-table.js';
import type { CheckoutTable } from './checkout-table.js';
import type { TokenTable } from './token-table.js';
import type { TransactionTable } from './transaction-table.js';

export interface ReturnStepsOptions {
  readonly checkouts: CheckoutTable;
  readonly attempts: AttemptTable;
  readonly tokens: TokenTable;
  readonly transactions: TransactionTable;
  readonly rules: StoreRules;
}

/** Writes what a shopper's browser says of a payment, inside the caller's step: hints, all of it. */
export class ReturnSteps {
  readonly #checkouts: CheckoutTable;
  readonly #attempts: AttemptTable;
  readonly #tokens: TokenTable;
  readonly #transactions: TransactionTable;
  readonly #rules: StoreRules;

  constructor(options: ReturnStepsOptions) {
    this.#checkouts = options.checkouts;
    this.#attempts = options.attempts;
    this.#tokens = options.tokens;
    this.#transactions = options.transactions;
    this.#rules = options.rules;
  }

  /** A visit to a return address; undefined when the token is of none. */
  visit(
    token: StoredToken,
    now: number,
  ): { kind: ReturnKind; attempt: Attempt; change: Change } | undefined {
    const found = this.#tokens.find(token);
    if (!found || found.kind === 'webhook') return undefined;
    const { kind } = found;
    const attempt = this.#attempts.get(found.orderId);
    const checkout = this.#checkouts.get(attempt.checkout);
    // Whoever left a session that gave way may be paying in the one that took its place. But money
    // may have been paid in any: whoever comes back from paying is not asked to pay again.
    const counts = attempt.status === 'exposed' || kind === 'return';
    const facts: CheckoutFact[] = counts ? [{ type: 'came-back', kind }] : [];
    const change = this.#checkouts.apply(checkout, facts, now);
    const { before, after } = change;
    if (after !== before && isPaymentPending(after.state)) {
      this.#attempts.supersedeSending(attempt.merchant, attempt.order);
    }
    // The look that follows lives in memory: this one is found by whoever starts after a crash.
    if (kind === 'return' && !this.#isPaidBy(after.paidBy, attempt)) {
      this.#attempts.pollSoon(attempt.orderId, now);
    }
    return { kind, attempt, change };
  }

  /** What a page says of the session that it shows. */
  hear(checkout: string, { kind, sessionId }: SessionHint, now: number): Change {
    const before = this.#checkouts.get(checkout);
    const attempt = this.#attempts.findShown(checkout, sessionId);
    if (!attempt) return { before, after: before };
    switch (kind) {
      case 'submitted':
        this.#attempts.setSubmitted(attempt.orderId, now);
        return this.#checkouts.apply(before, [{ type: 'submit-hinted' }], now);
      case 'declined':
        this.#attempts.setSubmitted(attempt.orderId, undefined);
        return { before, after: before };
      case 'cancelled': {
        // A page that was closed after it had sent a payment off has cancelled nothing.
        const facts: CheckoutFact[] = isBeingPaid(attempt, now, this.#rules)
          ? []
          : [{ type: 'cancel-hinted' }];
        return this.#checkouts.apply(before, facts, now);
      }
    }
  }

  #isPaidBy(transaction: string | undefined, { orderId }: Attempt): boolean {
    return transaction !== undefined && this.#transactions.findAttemptOf(transaction) === orderId;
  }
}
