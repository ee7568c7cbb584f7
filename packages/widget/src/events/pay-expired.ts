import { CheckoutEvent } from './checkout-event.js';

/**
 * The checkout was open for too long by our own clock. Not certain.
 */
export class PayExpiredEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-expired', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-expired': PayExpiredEvent;
  }
}
