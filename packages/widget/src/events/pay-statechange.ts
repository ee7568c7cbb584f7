import type { Way } from '../flow/modes.js';
import type { Phase } from '../flow/phases.js';
import { PageEvent } from './page-event.js';

/** The element went from one phase to another. */
export class PayStateChangeEvent extends PageEvent {
  readonly phase: Phase;
  readonly previous: Phase;
  /** Where the payment happens: what was chosen for `mode`. */
  readonly mode: Way;

  constructor(phase: Phase, previous: Phase, mode: Way) {
    super('pay-statechange');
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
