/**
 * The checkout was open for too long by our own clock. Not certain.
 */
export class PayExpiredEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(checkout: string, order: string | null) {
    super('pay-expired', { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-expired': PayExpiredEvent;
  }
}
