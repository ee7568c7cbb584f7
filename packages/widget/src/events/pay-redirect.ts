import { PageEvent } from './page-event.js';

/** The page is about to be left for `url`. `preventDefault()` keeps it here. */
export class PayRedirectEvent extends PageEvent {
  readonly url: string;

  constructor(url: string) {
    super('pay-redirect', true);
    this.url = url;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-redirect': PayRedirectEvent;
  }
}
