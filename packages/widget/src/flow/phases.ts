import type { CheckoutState } from '@pay-checkout/session-server/contract';

/** What the element can be doing. Each is described in `docs/states.md`. */
export type Phase =
  'idle' | 'opening' | 'ready' | 'redirecting' | 'confirming' | OutcomePhase | 'problem';

/** The phases in which there is something to tell about the payment. */
export type OutcomePhase = 'paid' | 'failed' | 'cancelled' | 'left' | 'expired' | 'unconfirmed';

/** What the shopper can press. What each does is in `docs/states.md`. */
export type ButtonName = 'pay' | 'continue' | 'check' | 'retry';

/** One row of `docs/states.md`. */
export interface PhaseRow {
  /** The server's state that this phase shows. */
  readonly state?: CheckoutState;
  /** Whether evidence stands behind it. */
  readonly certain?: true;
  /** The DOM event that tells of it. */
  readonly event?: string;
  readonly button?: ButtonName;
}

/** The table of `docs/states.md` as data; a test compares the two. */
export const PHASES: Readonly<Record<Phase, PhaseRow>> = {
  idle: { button: 'pay' },
  opening: {},
  ready: { state: 'open', event: 'pay-ready' },
  redirecting: { state: 'open', event: 'pay-redirect', button: 'continue' },
  confirming: { state: 'returned' },
  paid: { state: 'paid', certain: true, event: 'pay-paid' },
  failed: { state: 'failed', certain: true, event: 'pay-failed', button: 'pay' },
  cancelled: { state: 'cancelled', event: 'pay-cancel', button: 'pay' },
  left: { state: 'left', event: 'pay-back', button: 'pay' },
  expired: { state: 'expired', event: 'pay-expired', button: 'pay' },
  unconfirmed: {
    state: 'unconfirmed',
    event: 'pay-unconfirmed',
    button: 'check',
  },
  problem: { event: 'pay-error', button: 'retry' },
};

/** The phase that shows a state of the server, for every state but `open`. */
export function phaseOf(state: Exclude<CheckoutState, 'open'>): OutcomePhase | 'confirming' {
  return state === 'returned' ? 'confirming' : state;
}

/** Whether `phase` tells what became of the payment. */
export function isOutcome(phase: Phase): phase is OutcomePhase {
  return PHASES[phase].state === phase;
}
