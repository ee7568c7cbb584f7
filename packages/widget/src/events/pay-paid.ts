import { CheckoutEvent } from './checkout-event.js';

/**
 * The payment is certain: evidence stands behind it. It comes once for a checkout. It is for the eyes:
 * ship on the signed event or on what the merchant's back end asks, never on this.
 */
export class PayPaidEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-paid', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-paid': PayPaidEvent;
  }
}
