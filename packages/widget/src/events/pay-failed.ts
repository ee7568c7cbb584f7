/**
 * The payment did not go through, and the server is certain of it.
 */
export class PayFailedEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(checkout: string, order: string | null) {
    super('pay-failed', { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-failed': PayFailedEvent;
  }
}
