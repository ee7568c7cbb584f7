import type { Way } from '../flow/modes.js';
import type { Phase } from '../flow/phases.js';

/** The element went from one phase to another. */
export class PayStateChangeEvent extends Event {
  readonly phase: Phase;
  readonly previous: Phase;
  /** Where the payment happens: what was chosen for `mode`. */
  readonly mode: Way;

  constructor(phase: Phase, previous: Phase, mode: Way) {
    super('pay-statechange', { bubbles: true, composed: true });
    this.phase = phase;
    this.previous = previous;
    this.mode = mode;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-statechange': PayStateChangeEvent;
  }
}
