import { CheckoutEvent } from './checkout-event.js';

/**
 * The provider's form is shown and can be used.
 */
export class PayReadyEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-ready', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-ready': PayReadyEvent;
  }
}
