import { CheckoutEvent } from './checkout-event.js';

/**
 * There were hints of a payment, but no evidence in time. It may still arrive: do not ask for another.
 */
export class PayUnconfirmedEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-unconfirmed', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-unconfirmed': PayUnconfirmedEvent;
  }
}
