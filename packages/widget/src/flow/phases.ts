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

/** The phases that show an outcome of the payment. */
export type OutcomePhase = 'paid' | 'failed' | 'cancelled' | 'left' | 'expired' | 'unconfirmed';

/** The event of each outcome. */
export const OUTCOME_EVENTS = {
  paid: 'pay-paid',
  failed: 'pay-failed',
  cancelled: 'pay-cancel',
  left: 'pay-back',
  expired: 'pay-expired',
  unconfirmed: 'pay-unconfirmed',
} as const satisfies Record<OutcomePhase, keyof GlobalEventHandlersEventMap>;

/** What the shopper can press. What each does is in `docs/states.md`. */
export type ButtonName =
  | 'pay'
  | 'next'
  | 'continue'
  | 'check'
  | 'retry'
  | 'again'
  | 'cancel'
  | 'resume';

/**
 * The button of each phase. `again` and `cancel` are offered while the SDK shows nothing, `resume` where
 * a card was submitted.
 */
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

/** The phase that shows a state of the server, for every state but `open`; an unknown one is being checked. */
export function phaseOf(state: Exclude<CheckoutState, 'open'>): OutcomePhase | 'confirming' {
  return state in OUTCOME_EVENTS ? (state as OutcomePhase) : 'confirming';
}

/** Whether `phase` shows an outcome of the payment. */
export function isOutcome(phase: Phase): phase is OutcomePhase {
  return phase in OUTCOME_EVENTS;
}

/** Whether the server has evidence for what `phase` shows. */
export function isCertain(phase: OutcomePhase): boolean {
  return phase === 'paid' || phase === 'failed';
}
