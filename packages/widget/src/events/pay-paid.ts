/**
 * The payment is certain: evidence stands behind it. It comes once for a checkout. It is for the eyes:
 * ship on the signed event or on what the merchant's back end asks, never on this.
 */
export class PayPaidEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(checkout: string, order: string | null) {
    super('pay-paid', { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-paid': PayPaidEvent;
  }
}
