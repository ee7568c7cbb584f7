/**
 * There were hints of a payment, but no evidence in time. It may still arrive: do not ask for another.
 */
export class PayUnconfirmedEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(checkout: string, order: string | null) {
    super('pay-unconfirmed', { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-unconfirmed': PayUnconfirmedEvent;
  }
}
