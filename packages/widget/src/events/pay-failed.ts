import { CheckoutEvent } from './checkout-event.js';

/**
 * The payment did not go through, and the server is certain of it.
 */
export class PayFailedEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-failed', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-failed': PayFailedEvent;
  }
}
