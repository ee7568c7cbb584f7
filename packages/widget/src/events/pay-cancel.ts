import { CheckoutEvent } from './checkout-event.js';

/**
 * The shopper cancelled. Not an error, and not certain: the server still watches the checkout.
 */
export class PayCancelEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-cancel', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-cancel': PayCancelEvent;
  }
}
