/** Creates a checkout session: all fields, the split and the address check worked out, then the way to pay. */
import { html, render, type TemplateResult } from 'lit';
import { until } from 'lit/directives/until.js';
import { find } from '../../shared/pages/find.js';
import type { AnswerView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderAnswer } from './answer.js';
import { watchAvs } from './avs-check.js';
import { renderCopyButton } from './copy-button.js';
import { makeExample } from './example-session.js';
import { suggestKnownThings } from './forms.js';
import { nestRows, RowFields } from './row-fields.js';
import { renderSplitTotal } from './split-total.js';
import { renderOutcome } from './states.js';

const form = find(document, '#create', HTMLFormElement);
const amount = find(form, '#Amount', HTMLInputElement);
const total = find(form, '#split-total', HTMLElement);
const split = new RowFields(find(form, '[data-rows="SplitFee"]', HTMLElement));

const known = suggestKnownThings();

startActionForm<AnswerView>({
  form,
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/operations/checkoutSessions.create',
  busy: 'Creating the session…',
  toBody: nestRows,
  draw: (answer) => renderOutcome('good', 'Checkout session created', renderCreated(answer)),
});

form.addEventListener('input', () => {
  render(renderSplitTotal(amount.value.trim(), split.rows), total);
});
watchAvs(form, find(form, '#avs-check', HTMLElement));

find(document, '#example', HTMLButtonElement).addEventListener('click', () => {
  void known.then(({ merchants }) => {
    const { fields, shares } = makeExample(merchants[0]?.id, location.origin);
    form.reset();
    for (const [name, value] of Object.entries(fields)) {
      find(form, `[name="${name}"]`, HTMLInputElement).value = value;
    }
    split.clear();
    for (const share of shares) split.add(share);
    find(form, '#AvsPostcode', HTMLInputElement).dispatchEvent(
      new Event('input', { bubbles: true }),
    );
    amount.focus();
  });
});

function renderCreated(answer: AnswerView): TemplateResult {
  const { session_id: id = '', ...fields } = answer.fields;
  const { MerchantReference: reference, order_id: order } = JSON.parse(answer.request) as {
    readonly MerchantReference?: string;
    readonly order_id?: number;
  };
  const search = new URLSearchParams({ q: reference ?? String(order ?? '') });
  return html`<p>Its identifier: <code>${id}</code> ${renderCopyButton(id, 'the identifier')}</p>
    ${until(known.then(({ payPageUrl }) => renderWayToPay(id, payPageUrl)))}
    <p><a href="/transactions?${search}">Find its transaction</a></p>
    ${renderAnswer({ ...answer, fields })}`;
}

function renderWayToPay(id: string, payPageUrl?: string): TemplateResult {
  if (payPageUrl === undefined) {
    return html`<p>Pass it to <code>configure()</code> of the provider’s client SDK.</p>`;
  }
  return html`<p>
    <a
      href=${payPageUrl.replace('{session}', encodeURIComponent(id))}
      target="_blank"
      rel="noopener"
    >
      Pay it<span class="unseen"> (a new window)</span>
    </a>
  </p>`;
}
