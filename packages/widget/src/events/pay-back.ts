import { CheckoutEvent } from './checkout-event.js';

/**
 * The shopper went back before the payment was finished. Not certain.
 */
export class PayBackEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-back', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-back': PayBackEvent;
  }
}
