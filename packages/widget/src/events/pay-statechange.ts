import type { Phase } from '../flow/phases.js';

/** The element went from one phase to another. */
export class PayStateChangeEvent extends Event {
  readonly phase: Phase;
  readonly previous: Phase;

  constructor(phase: Phase, previous: Phase) {
    super('pay-statechange', { bubbles: true, composed: true });
    this.phase = phase;
    this.previous = previous;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-statechange': PayStateChangeEvent;
  }
}
