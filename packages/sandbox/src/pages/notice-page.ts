import type { CheckoutSession } from '../resources/checkout-sessions.js';
import { html, type Html } from './html.js';
import { leaveButton, renderSummary, renderLeaveButtons } from './order-summary.js';

/** A page that only says something. */
export interface Notice {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly body: Html;
  /** Code for the SDK, when the session can no longer be paid. */
  readonly failure?: string;
}

/** What to show instead of a form. `undefined` when the session can be paid. */
export function findNotice(session: CheckoutSession | undefined): Notice | undefined {
  if (session === undefined) {
    return makeFailure(404, 'session_unknown', {
      title: 'There is no such payment page',
      text: 'The address is incomplete, or the sandbox has restarted.',
    });
  }
  if (session.state === 'paid') return makePaidNotice(session);
  if (session.state === 'open') return undefined;
  return makeFailure(410, 'session_expired', {
    title: 'This payment page has expired',
    text: 'Nothing was charged. Go back to the shop and start again.',
    more: renderLeaveButtons(session),
  });
}

function makePaidNotice(session: CheckoutSession): Notice {
  const { RedirectUrl } = session.request;
  const canContinue = session.redirects && RedirectUrl !== undefined;
  const title = 'Payment approved';
  const text = canContinue
    ? 'This session is paid. It cannot be paid twice.'
    : 'This session is paid. Nothing takes you back to the shop.';
  return {
    status: 200,
    title,
    text,
    body: html`<div class="notice good">
      <h1>${title}</h1>
      <p role="status">${text}</p>
      ${renderSummary(session)}
      ${canContinue ? leaveButton('Continue', RedirectUrl, { style: 'main' }) : undefined}
    </div>`,
  };
}

function makeFailure(
  status: number,
  failure: string,
  { title, text, more }: { title: string; text: string; more?: Html },
): Notice {
  const body = html`<div class="notice bad">
    <h1>${title}</h1>
    <p role="alert">${text}</p>
    ${more}
  </div>`;
  return { status, failure, title, text, body };
}
