/** The page is about to be left for `url`. `preventDefault()` keeps it here. */
export class PayRedirectEvent extends Event {
  readonly url: string;

  constructor(url: string) {
    super('pay-redirect', { bubbles: true, composed: true, cancelable: true });
    this.url = url;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-redirect': PayRedirectEvent;
  }
}
