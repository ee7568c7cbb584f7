import { CheckoutEvent } from './checkout-event.js';

/**
 * The client SDK told of a decline: a hint. The same session stays open for another card.
 */
export class PayDeclinedEvent extends CheckoutEvent {
  constructor(checkout: string, order: string | null) {
    super('pay-declined', checkout, order);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-declined': PayDeclinedEvent;
  }
}
