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
  /** The server's states that lead to this phase. */
  readonly states: readonly CheckoutState[];
  /** Whether evidence stands behind the phase; absent where no server state does. */
  readonly certain?: boolean;
  /** The DOM event that tells of it. */
  readonly event?: string;
  readonly button?: ButtonName;
}

/** The table of `docs/states.md` as data; a test compares the two. */
export const PHASES: Readonly<Record<Phase, PhaseRow>> = {
  idle: { states: [], button: 'pay' },
  opening: { states: [] },
  ready: { states: ['open'], certain: false, event: 'pay-ready' },
  redirecting: { states: ['open'], certain: false, event: 'pay-redirect', button: 'continue' },
  confirming: { states: ['returned'], certain: false },
  paid: { states: ['paid'], certain: true, event: 'pay-paid' },
  failed: { states: ['failed'], certain: true, event: 'pay-failed', button: 'pay' },
  cancelled: { states: ['cancelled'], certain: false, event: 'pay-cancel', button: 'pay' },
  left: { states: ['left'], certain: false, event: 'pay-back', button: 'pay' },
  expired: { states: ['expired'], certain: false, event: 'pay-expired', button: 'pay' },
  unconfirmed: {
    states: ['unconfirmed'],
    certain: false,
    event: 'pay-unconfirmed',
    button: 'check',
  },
  problem: { states: [], event: 'pay-error', button: 'retry' },
};

/** The phase that shows a state of the server, for every state but `open`. */
export function phaseOf(state: Exclude<CheckoutState, 'open'>): OutcomePhase | 'confirming' {
  return state === 'returned' ? 'confirming' : state;
}

/** Whether `phase` tells what became of the payment. */
export function isOutcome(phase: Phase): phase is OutcomePhase {
  return PHASES[phase].states[0] === phase;
}
