import { PayBackEvent } from '../events/pay-back.js';
import { PayCancelEvent } from '../events/pay-cancel.js';
import { PayErrorEvent } from '../events/pay-error.js';
import { PayExpiredEvent } from '../events/pay-expired.js';
import { PayFailedEvent } from '../events/pay-failed.js';
import { PayPaidEvent } from '../events/pay-paid.js';
import { PayReadyEvent } from '../events/pay-ready.js';
import { PayStateChangeEvent } from '../events/pay-statechange.js';
import { PayUnconfirmedEvent } from '../events/pay-unconfirmed.js';
import type { FlowState, KnownCheckout } from './checkout-flow.js';
import type { Way } from './modes.js';
import type { OutcomePhase, Phase } from './phases.js';

/** The event of each phase that tells what became of the payment. */
export const OUTCOME_EVENTS: Readonly<
  Record<OutcomePhase, new (checkout: string, order: string | null) => Event>
> = {
  paid: PayPaidEvent,
  failed: PayFailedEvent,
  cancelled: PayCancelEvent,
  left: PayBackEvent,
  expired: PayExpiredEvent,
  unconfirmed: PayUnconfirmedEvent,
};

/** Whether `phase` tells what became of the payment. */
export function isOutcome(phase: Phase): phase is OutcomePhase {
  return phase in OUTCOME_EVENTS;
}

/** Tells the page, in DOM events, what became of the flow: each outcome of a checkout once. */
export class FlowTeller {
  readonly #target: EventTarget;
  readonly #told = new Set<string>();

  constructor(target: EventTarget) {
    this.#target = target;
  }

  tell(previous: FlowState, state: FlowState, way: Way): void {
    const { phase } = state;
    const isNew = phase !== previous.phase;
    if (isNew) this.#target.dispatchEvent(new PayStateChangeEvent(phase, previous.phase, way));
    if (phase === 'ready') {
      const { checkout, order } = state.known;
      if (isNew) this.#target.dispatchEvent(new PayReadyEvent(checkout, order));
    } else if (phase === 'problem') {
      const { code, remedy, requestId } = state.trouble;
      if (isNew) this.#target.dispatchEvent(new PayErrorEvent(code, Boolean(remedy), requestId));
    } else if (isOutcome(phase) && 'known' in state && state.known) {
      this.#tellOutcome(phase, state.known);
    }
  }

  #tellOutcome(phase: OutcomePhase, { checkout, order, revision }: KnownCheckout): void {
    const key = phase === 'paid' ? checkout : `${checkout} ${phase} ${revision}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#target.dispatchEvent(new OUTCOME_EVENTS[phase](checkout, order));
  }
}
