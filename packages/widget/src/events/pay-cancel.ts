/**
 * The shopper cancelled. Not an error, and not certain: the server still watches the checkout.
 */
export class PayCancelEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(checkout: string, order: string | null) {
    super('pay-cancel', { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-cancel': PayCancelEvent;
  }
}
