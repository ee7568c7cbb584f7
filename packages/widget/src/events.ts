import type { Phase } from './flow/phases.js';
import type { Presentation } from './flow/presentation.js';

/** An event of the element, with what it says as its properties. It bubbles and crosses shadow roots. */
class PageEvent extends Event {
  constructor(type: string, facts: object, cancelable = false) {
    super(type, { bubbles: true, composed: true, cancelable });
    Object.assign(this, facts);
  }
}

/** An event about one checkout. What each type means is listed below. */
export class CheckoutEvent extends PageEvent {
  declare readonly checkout: string;
  declare readonly order: string | null;
}

/** The element went from one phase to another. */
export class PayStateChangeEvent extends PageEvent {
  declare readonly phase: Phase;
  declare readonly previous: Phase;
  /** Where the payment happens: what was chosen for `mode`. */
  declare readonly mode: Presentation;
}

/** A technical error, never the outcome of a payment. `retry()` may help when it is `retryable`. */
export class PayErrorEvent extends PageEvent {
  /** snake_case, never renamed, listed in `docs/error-codes.md`. */
  declare readonly code: string;
  declare readonly retryable: boolean;
  /** Names the request in the session server's log: the one that failed, or the one that created the checkout. */
  declare readonly requestId: string | undefined;
  /** The server's sentence about it, for developers; `undefined` when it has none. */
  declare readonly detail: string | undefined;
  /** What the SDK or the page's own code threw. */
  declare readonly cause: unknown;
}

/** The page is about to be left for `url`. `preventDefault()` keeps it here. */
export class PayRedirectEvent extends PageEvent {
  declare readonly url: string;
}

/**
 * What is measured: `paint` (connected → first rendered), `loader` (connected → SDK loaded), `session`
 * (start → checkout open), `ready` (start → the shopper can pay), `outcome` (start → outcome).
 */
export type MetricName = 'paint' | 'loader' | 'session' | 'ready' | 'outcome';

/** How long something took. Only the page receives it. */
export class PayMetricEvent extends PageEvent {
  declare readonly name: MetricName;
  /** Milliseconds of `performance.now()`. */
  declare readonly startTime: number;
  /** Milliseconds. */
  declare readonly duration: number;
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-statechange': PayStateChangeEvent;
    /** The provider's form is shown and can be used. */
    'pay-ready': CheckoutEvent;
    /** The client SDK reported a decline: a hint. The same session stays open for another card. */
    'pay-declined': CheckoutEvent;
    /**
     * The payment is certain: evidence confirms it. Sent once per checkout. Use it for display only:
     * ship on the signed event or after asking the session server from your back end.
     */
    'pay-paid': CheckoutEvent;
    /** The payment did not go through, and the server is certain of it. */
    'pay-failed': CheckoutEvent;
    /** There were hints of a payment but no evidence in time. It may still arrive: do not ask for another. */
    'pay-unconfirmed': CheckoutEvent;
    /** The shopper cancelled. Not an error, and not certain: the server still watches the checkout. */
    'pay-cancel': CheckoutEvent;
    /** The shopper went back before the payment was finished. Not certain. */
    'pay-back': CheckoutEvent;
    /** The checkout was open for too long, by the server's clock. Not certain. */
    'pay-expired': CheckoutEvent;
    'pay-error': PayErrorEvent;
    'pay-redirect': PayRedirectEvent;
    'pay-metric': PayMetricEvent;
  }
}
