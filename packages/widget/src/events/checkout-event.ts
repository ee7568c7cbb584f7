import { PageEvent } from './page-event.js';

/** What the events about one checkout have in common: which one, and of which order. */
export class CheckoutEvent extends PageEvent {
  readonly checkout: string;
  readonly order: string | null;

  constructor(type: string, checkout: string, order: string | null) {
    super(type);
    this.checkout = checkout;
    this.order = order;
  }
}
