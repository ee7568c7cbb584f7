import type { StoredToken } from '../checkout/attempt-token.js';
import type { CheckoutFact } from '../checkout/checkout.js';
import type { Attempt, Change } from '../checkout/checkout-store.js';
import type { ReturnKind } from '../contract.js';
import type { AttemptTable } from './attempt-table.js';
import type { CheckoutTable } from './checkout-table.js';
import type { TokenTable } from './token-table.js';

/** Writes that somebody came back from the payment, inside the caller's step. */
export class ReturnSteps {
  readonly #checkouts: CheckoutTable;
  readonly #attempts: AttemptTable;
  readonly #tokens: TokenTable;

  constructor(options: {
    readonly checkouts: CheckoutTable;
    readonly attempts: AttemptTable;
    readonly tokens: TokenTable;
  }) {
    this.#checkouts = options.checkouts;
    this.#attempts = options.attempts;
    this.#tokens = options.tokens;
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
    // A hint about a session that gave way says nothing about the one that took its place.
    const facts: CheckoutFact[] = attempt.status === 'exposed' ? [{ type: 'came-back', kind }] : [];
    const change = this.#checkouts.apply(checkout, facts, now);
    // The look that follows lives in memory: this one is found by whoever starts after a crash.
    if (kind === 'return' && change.after.state !== 'paid') {
      this.#attempts.lookSoon(attempt.orderId, now);
    }
    return { kind, attempt, change };
  }
}
