import type { CheckoutSession } from '../resources/checkout-sessions.js';
import { html, type Html } from './html.js';
import { renderSummary } from './order-summary.js';

/** The 3-D Secure page: the bank asks for a code, or for an answer in its app. */
export function renderChallenge(
  session: CheckoutSession,
  code: string,
  links: { readonly answerUrl: string; readonly formUrl: string },
): Html {
  const isElsewhere = session.challenge?.isElsewhere === true;
  return html`<h1>Your bank asks: is it you?</h1>
    ${renderSummary(session)}
    <p class="hint">${isElsewhere ? ELSEWHERE : askForCode(code)}</p>
    <form
      id="challenge-form"
      novalidate
      data-answer-url="${links.answerUrl}"
      data-form-url="${links.formUrl}"
    >
      ${isElsewhere ? undefined : CODE_FIELD}
      <p id="status" class="${isElsewhere ? 'hint' : 'visually-hidden'}" role="status"></p>
      <div class="leave-buttons">
        <button type="button" id="cancel" class="quiet" disabled>Cancel</button>
      </div>
    </form>
    <noscript><p class="alert">Paying here needs JavaScript.</p></noscript>`;
}

const ELSEWHERE = html`Confirm the payment in the app of your bank. In this sandbox the card decides
what is answered there.`;

function askForCode(code: string): Html {
  return html`A real bank would send a code to your phone. In this sandbox it is
    <strong class="digits">${code}</strong>; any other one declines.`;
}

const CODE_FIELD = html`<div class="field">
    <label for="code">Code from your bank</label>
    <input
      id="code"
      name="code"
      type="text"
      inputmode="numeric"
      autocomplete="one-time-code"
      required
      aria-describedby="code-error"
    />
    <p id="code-error" class="error" role="alert" hidden></p>
  </div>
  <button type="submit" class="main" disabled>Confirm</button>`;
