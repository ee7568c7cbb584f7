import type { KnownCheckout } from './checkout-flow.js';
import { isCertain, type OutcomePhase } from './phases.js';

/** What became of a payment, as far as it is known. */
export interface Settlement {
  readonly outcome: OutcomePhase;
  /** Whether evidence stands behind it. Never release stock on an uncertain one. */
  readonly certain: boolean;
  readonly checkout: string;
  readonly order: string | null;
}

/** What resolves the promise of a {@link Settlement}; it is never rejected. */
export function settlementOf(outcome: OutcomePhase, known: KnownCheckout): Settlement {
  return { outcome, certain: isCertain(outcome), checkout: known.checkout, order: known.order };
}
