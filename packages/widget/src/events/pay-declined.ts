/**
 * The client SDK told of a decline: a hint. The same session stays open for another card.
 */
export class PayDeclinedEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(checkout: string, order: string | null) {
    super('pay-declined', { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-declined': PayDeclinedEvent;
  }
}
