import type { KnownCheckout } from './checkout-flow.js';
import { PHASES, type OutcomePhase } from './phases.js';

/** What became of a payment, as far as it is known. */
export interface Settlement {
  readonly outcome: OutcomePhase;
  /** Whether evidence stands behind it. Never release stock on an uncertain one. */
  readonly certain: boolean;
  readonly checkout: string;
  readonly order: string | null;
}

/** The promise of a {@link Settlement}; it is never rejected. */
export class PendingSettlement {
  readonly promise: Promise<Settlement>;
  #resolve!: (settlement: Settlement) => void;

  constructor() {
    this.promise = new Promise((resolve) => (this.#resolve = resolve));
  }

  settle(outcome: OutcomePhase, { checkout, order }: KnownCheckout): void {
    this.#resolve({ outcome, certain: PHASES[outcome].certain === true, checkout, order });
  }
}
