import { PageEvent } from './page-event.js';

/** Technical trouble, never the outcome of a payment. `retry()` may help when it is `retryable`. */
export class PayErrorEvent extends PageEvent {
  /** snake_case, never renamed, listed in `docs/error-codes.md`. */
  readonly code: string;
  readonly retryable: boolean;
  /** Names the request in the session server's log. */
  readonly requestId: string | undefined;

  constructor(code: string, retryable: boolean, requestId: string | undefined) {
    super('pay-error');
    this.code = code;
    this.retryable = retryable;
    this.requestId = requestId;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'pay-error': PayErrorEvent;
  }
}
