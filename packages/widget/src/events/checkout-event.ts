/** What the events about one checkout have in common: which one, and of which order. */
export class CheckoutEvent extends Event {
  readonly checkout: string;
  readonly order: string | null;

  constructor(type: string, checkout: string, order: string | null) {
    super(type, { bubbles: true, composed: true });
    this.checkout = checkout;
    this.order = order;
  }
}
