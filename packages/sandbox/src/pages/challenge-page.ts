import { CHALLENGE_CODE } from '../payment-service.js';
import type { CheckoutSession } from '../resources/session-store.js';
import { html, type Html } from './html.js';
import type { PageTexts } from './page-texts.js';
import { renderSummary } from './order-summary.js';

/** The 3-D Secure page: the bank asks for a code, or for an answer in its app. */
export function renderChallenge(
  session: CheckoutSession,
  links: { readonly answerUrl: string; readonly formUrl: string },
  texts: PageTexts,
): Html {
  const { challenge, notices } = texts;
  const isElsewhere = session.challenge?.isElsewhere === true;
  return html`<h1>${challenge.heading}</h1>
    ${renderSummary(session, texts)}
    <p class="hint">${isElsewhere ? challenge.elsewhere : askForCode(texts)}</p>
    <form
      id="challenge-form"
      novalidate
      data-answer-url="${links.answerUrl}"
      data-form-url="${links.formUrl}"
      data-texts="${JSON.stringify(challenge.script)}"
    >
      ${isElsewhere ? undefined : renderCodeField(texts)}
      <p id="status" class="${isElsewhere ? 'hint' : 'visually-hidden'}" role="status"></p>
      <div class="leave-buttons">
        <button type="button" id="cancel" class="quiet" disabled>${texts.cancel}</button>
      </div>
    </form>
    <noscript><p class="alert">${notices.noScript}</p></noscript>`;
}

function askForCode({
  challenge: {
    askForCode: [before, after],
  },
}: PageTexts): Html {
  return html`${before}<strong class="digits">${CHALLENGE_CODE}</strong>${after}`;
}

function renderCodeField({ challenge }: PageTexts): Html {
  return html`<div class="field">
      <label for="code">${challenge.code}</label>
      <input
        id="code"
        name="code"
        type="text"
        dir="ltr"
        inputmode="numeric"
        autocomplete="one-time-code"
        required
        aria-describedby="code-error"
      />
      <p id="code-error" class="error" role="alert" hidden></p>
    </div>
    <button type="submit" class="main" disabled>${challenge.confirm}</button>`;
}
