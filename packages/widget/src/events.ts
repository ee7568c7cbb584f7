import type { FlowError } from './flow/checkout-flow.js';
import type { Phase } from './flow/phases.js';
import type { Presentation } from './flow/presentation.js';

/** An event of the element. It bubbles and crosses shadow roots. */
class PageEvent extends Event {
  constructor(type: string, cancelable = false) {
    super(type, { bubbles: true, composed: true, cancelable });
  }
}

/** An event about one checkout. What each type means is listed below. */
export class CheckoutEvent extends PageEvent {
  readonly checkout: string;
  readonly order: string | null;

  constructor(type: string, checkout: string, order: string | null) {
    super(type);
    this.checkout = checkout;
    this.order = order;
  }
}

/** The element went from one phase to another. */
export class PayStateChangeEvent extends PageEvent {
  readonly phase: Phase;
  readonly previous: Phase;
  /** Where the payment happens: what was chosen for `mode`. */
  readonly mode: Presentation;

  constructor(phase: Phase, previous: Phase, mode: Presentation) {
    super('pay-statechange');
    this.phase = phase;
    this.previous = previous;
    this.mode = mode;
  }
}

/** A technical error, never the outcome of a payment. `retry()` may help when it is `retryable`. */
export class PayErrorEvent extends PageEvent {
  /** snake_case, never renamed, listed in `docs/error-codes.md`. */
  readonly code: string;
  readonly retryable: boolean;
  /** Names the request in the session server's log: the one that failed, or the one that created the checkout. */
  readonly requestId: string | undefined;
  /** The server's sentence about it, for developers; `undefined` when it has none. */
  readonly detail: string | undefined;
  /** What the SDK or the page's own code threw. */
  readonly cause: unknown;

  constructor({ code, recovery, requestId, detail, cause }: FlowError) {
    super('pay-error');
    this.code = code;
    this.retryable = Boolean(recovery);
    this.requestId = requestId;
    this.detail = detail;
    this.cause = cause;
  }
}

/** The page is about to be left for `url`. `preventDefault()` keeps it here. */
export class PayRedirectEvent extends PageEvent {
  readonly url: string;

  constructor(url: string) {
    super('pay-redirect', true);
    this.url = url;
  }
}

/**
 * What is measured: `paint` (connected → first rendered), `loader` (connected → SDK loaded), `session`
 * (start → checkout open), `ready` (start → the shopper can pay), `outcome` (start → outcome).
 */
export type MetricName = 'paint' | 'loader' | 'session' | 'ready' | 'outcome';

/** How long something took. Only the page receives it. */
export class PayMetricEvent extends PageEvent {
  readonly name: MetricName;
  /** Milliseconds of `performance.now()`. */
  readonly startTime: number;
  /** Milliseconds. */
  readonly duration: number;

  constructor(name: MetricName, startTime: number, duration: number) {
    super('pay-metric');
    this.name = name;
    this.startTime = startTime;
    this.duration = duration;
  }
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
