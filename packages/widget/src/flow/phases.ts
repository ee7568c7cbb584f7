import type { CheckoutState } from '@pay-checkout/session-server/contract';

/** What the element can be doing. Each is described in `docs/states.md`. */
export type Phase =
  | 'idle'
  | 'opening'
  | 'address'
  | 'ready'
  | 'redirecting'
  | 'confirming'
  | OutcomePhase
  | 'problem';

/** The phases in which there is something to tell about the payment. */
export type OutcomePhase = 'paid' | 'failed' | 'cancelled' | 'left' | 'expired' | 'unconfirmed';

/** What the shopper can press. What each does is in `docs/states.md`. */
export type ButtonName = 'pay' | 'next' | 'continue' | 'check' | 'retry';

/** What each phase offers to press. */
export const BUTTONS: Readonly<Record<Phase, ButtonName | undefined>> = {
  idle: 'pay',
  opening: undefined,
  address: 'next',
  ready: undefined,
  redirecting: 'continue',
  confirming: undefined,
  paid: undefined,
  failed: 'pay',
  cancelled: 'pay',
  left: 'pay',
  expired: 'pay',
  unconfirmed: 'check',
  problem: 'retry',
};

/** The phase that shows a state of the server, for every state but `open`. */
export function phaseOf(state: Exclude<CheckoutState, 'open'>): OutcomePhase | 'confirming' {
  return state === 'returned' ? 'confirming' : state;
}

/** Whether evidence stands behind what `phase` tells. */
export function isCertain(phase: OutcomePhase): boolean {
  return phase === 'paid' || phase === 'failed';
}
