import type { CheckoutSession } from '../resources/session-store.js';
import { formatMoney } from '../money.js';
import { SCENARIO_GROUPS, type Scenario } from '../scenario.js';
import type { PageTexts } from './page-texts.js';
import { html, type Html } from './html.js';
import { renderSummary, renderLeaveButtons } from './order-summary.js';

/** How many test cards show without opening the list. */
const ALWAYS_SHOWN = 3;

/** Where the form sends the card, and where a challenge is answered. */
export interface CardFormLinks {
  readonly payUrl: string;
  readonly challengeUrl: string;
}

/**
 * The card form of a session that can be paid. The buttons of all pages are disabled until the page's
 * script is ready: an earlier press would be lost.
 */
export function renderCardForm(
  session: CheckoutSession,
  scenarios: readonly Scenario[],
  links: CardFormLinks,
  texts: PageTexts,
): Html {
  const { merchant, request } = session;
  const { lastRefusal } = session;
  const refusal = lastRefusal && (texts.answers[lastRefusal] ?? lastRefusal);
  return html`<div class="payment">
      <h1>${texts.heading}</h1>
      ${renderSummary(session, texts)}
      <div
        id="alert"
        class="alert"
        role="alert"
        dir="auto"
        hidden
        ${refusal === undefined ? undefined : html`data-message="${refusal}"`}
      ></div>
      <form
        id="card-form"
        novalidate
        data-pay-url="${links.payUrl}"
        data-challenge-url="${links.challengeUrl}"
        data-texts="${JSON.stringify(texts.script)}"
        data-answers="${JSON.stringify(texts.answers)}"
        data-test-cards="${scenarios.map(({ cardNumber }) => cardNumber).join(' ')}"
      >
        <button type="button" id="wallet" class="wallet" disabled>${texts.wallet}</button>
        ${renderFields(texts)}
        <button type="submit" id="pay" class="main" disabled>
          ${texts.pay} ${isolate(formatMoney(request.Amount, merchant.currency), texts)}
        </button>
        <p id="status" class="visually-hidden" role="status"></p>
      </form>
      ${renderLeaveButtons(session, texts)}
    </div>
    ${renderTestCards(scenarios)}
    <noscript><p class="alert">${texts.notices.noScript}</p></noscript>`;
}

/** Keeps an amount together in a line from right to left; the script sets the same text again. */
function isolate(amount: string, { dir }: PageTexts): string {
  return dir === 'ltr' ? amount : `\u2068${amount}\u2069`;
}

function renderFields(texts: PageTexts): Html[] {
  return [
    field('number', texts.number, html`dir="ltr" autocomplete="cc-number" inputmode="numeric"`),
    html`<div class="pair">
      ${field('expiry', texts.expiry, html`dir="ltr" autocomplete="cc-exp" inputmode="numeric"`, texts.expiryHint)}
      ${field(
        'securityCode',
        texts.securityCode,
        html`dir="ltr" autocomplete="cc-csc" inputmode="numeric" maxlength="4"`,
        texts.securityCodeHint,
      )}
    </div>`,
    field('name', texts.name, html`dir="auto" autocomplete="cc-name" autocapitalize="words"`),
  ];
}

function field(id: string, label: string, attributes: Html, hint?: string): Html {
  const describedBy = hint === undefined ? `${id}-error` : `${id}-hint ${id}-error`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${id}"
      type="text"
      required
      spellcheck="false"
      aria-describedby="${describedBy}"
      ${attributes}
    />
    ${hint === undefined ? undefined : html`<p id="${id}-hint" class="hint">${hint}</p>`}
    <p id="${id}-error" class="error" hidden></p>
  </div>`;
}

function renderTestCards(scenarios: readonly Scenario[]): Html {
  const further = scenarios.slice(ALWAYS_SHOWN);
  return html`<section class="test-cards" lang="en" dir="ltr" aria-labelledby="test-cards">
    <h2 id="test-cards">Test cards</h2>
    <p class="hint">Press a card to fill in the form.</p>
    <ul>
      ${scenarios.slice(0, ALWAYS_SHOWN).map(renderTestCard)}
    </ul>
    ${
      further.length === 0
        ? undefined
        : html`<details>
            <summary>More test cards (${further.length})</summary>
            ${SCENARIO_GROUPS.map((group) => renderGroup(group, further))}
          </details>`
    }
  </section>`;
}

function renderGroup(group: string, scenarios: readonly Scenario[]): Html {
  const ofGroup = scenarios.filter((scenario) => (scenario.group ?? 'Paid') === group);
  if (ofGroup.length === 0) return html``;
  return html`<h3>${group}</h3>
    <ul>
      ${ofGroup.map(renderTestCard)}
    </ul>`;
}

function renderTestCard(scenario: Scenario): Html {
  const groups = scenario.cardNumber.replace(/(\d{4})(?=\d)/g, '$1 ');
  return html`<li>
    <button type="button" data-card="${scenario.cardNumber}" class="${scenario.decision}" disabled>
      <strong>${scenario.title}</strong>
      <span class="digits">${groups}</span>
      <span class="description">${scenario.description}</span>
    </button>
  </li>`;
}
