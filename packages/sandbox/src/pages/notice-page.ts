import type { CheckoutSession } from '../resources/session-store.js';
import { html, type Html } from './html.js';
import type { PageTexts } from './page-texts.js';
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
export function findNotice(
  session: CheckoutSession | undefined,
  texts: PageTexts,
): Notice | undefined {
  const { unknown, expired } = texts.notices;
  if (session === undefined) {
    return makeFailure(404, 'session_unknown', unknown);
  }
  if (session.state === 'paid') return makePaidNotice(session, texts);
  if (session.state === 'open') return undefined;
  const more = renderLeaveButtons(session, texts);
  return makeFailure(410, 'session_expired', { ...expired, more });
}

function makePaidNotice(session: CheckoutSession, texts: PageTexts): Notice {
  const { RedirectUrl } = session.request;
  const canContinue = session.redirects && RedirectUrl !== undefined;
  const { title, text } = canContinue ? texts.notices.paid : texts.notices.paidStays;
  return {
    status: 200,
    title,
    text,
    body: html`<div class="notice good">
      <h1>${title}</h1>
      <p role="status">${text}</p>
      ${renderSummary(session, texts)}
      ${canContinue ? leaveButton(texts.notices.continue, RedirectUrl, { style: 'main' }) : undefined}
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
