import type { CheckoutSession } from '../checkout-session.js';
import { html, type Html } from './html.js';
import { leaveButton, renderSummary, renderWaysOut } from './order-summary.js';

/** A page that says one thing, and its script's words for the SDK. */
export interface Notice {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly body: Html;
  /** Code for the SDK, when the session is of no use any more. */
  readonly failure?: string;
}

/** The session is paid. */
export function makePaidNotice(session: CheckoutSession): Notice {
  const { RedirectUrl } = session.request;
  const canGoOn = session.redirects && RedirectUrl !== undefined;
  const title = 'Payment approved';
  const text = canGoOn
    ? 'This session is paid. It cannot be paid twice.'
    : 'In this scenario nothing takes you back to the shop.';
  return {
    status: 200,
    title,
    text,
    body: html`<div class="notice good">
      <h1>${title}</h1>
      <p role="status">${text}</p>
      ${renderSummary(session)}
      ${canGoOn ? leaveButton('Continue', RedirectUrl, 'main') : undefined}
    </div>`,
  };
}

/** The session is over. */
export function makeExpiredNotice(session: CheckoutSession): Notice {
  const title = 'This payment page has expired';
  const text = 'Nothing was charged. Go back to the shop and start again.';
  return {
    status: 410,
    title,
    text,
    failure: 'session_expired',
    body: html`<div class="notice bad">
      <h1>${title}</h1>
      <p role="alert">${text}</p>
      ${renderWaysOut(session)}
    </div>`,
  };
}

/** Nobody opened such a session. */
export function makeUnknownNotice(): Notice {
  const title = 'There is no such payment page';
  const text = 'The address is not complete, or the sandbox has been restarted since.';
  return {
    status: 404,
    title,
    text,
    failure: 'session_unknown',
    body: html`<div class="notice bad">
      <h1>${title}</h1>
      <p role="alert">${text}</p>
    </div>`,
  };
}
