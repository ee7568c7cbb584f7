/** Creates a checkout session: all fields, the split and the address check worked out, then the way to pay. */
import { html, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { CheckoutSessionView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { watchAvs } from './avs-check.js';
import { renderCopyButton } from './copy-button.js';
import { makeExample } from './example-session.js';
import { renderOthers } from './formatting.js';
import { readKnownThings, suggestMerchants } from './forms.js';
import { nestRows, RowFields } from './row-fields.js';
import { renderSplitTotal } from './split-total.js';
import { renderOutcome } from './states.js';

const form = find(document, '#create', HTMLFormElement);
const amount = find(form, '#Amount', HTMLInputElement);
const total = find(form, '#split-total', HTMLElement);
const split = new RowFields(find(form, '[data-rows="SplitFee"]', HTMLElement));

startActionForm<CheckoutSessionView>({
  form,
  waiting: find(document, '#waiting', HTMLElement),
  result: find(document, '#result', HTMLElement),
  path: '/api/checkout-sessions',
  busy: 'Creating the session…',
  toBody: nestRows,
  draw: renderCreated,
});

form.addEventListener('input', () => {
  render(renderSplitTotal(amount.value.trim(), split.rows), total);
});
watchAvs(form, find(form, '#avs-check', HTMLElement));

const known = readKnownThings();
void known.then((things) => suggestMerchants('merchants', things));

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

function renderCreated({
  sessionId,
  request,
  payUrl,
  others,
}: CheckoutSessionView): TemplateResult {
  const { MerchantReference: reference, order_id: order } = JSON.parse(request) as {
    readonly MerchantReference?: string;
    readonly order_id?: number;
  };
  const search = new URLSearchParams({ q: reference ?? String(order ?? '') });
  const content = html`<p>
      Its identifier: <code>${sessionId}</code> ${renderCopyButton(sessionId, 'the identifier')}
    </p>
    ${
      payUrl === undefined
        ? html`<p>Pass it to <code>configure()</code> of the provider’s client SDK.</p>`
        : html`<p>
            <a href=${payUrl} target="_blank" rel="noopener">
              Pay it<span class="unseen"> (a new window)</span>
            </a>
          </p>`
    }
    <p><a href="/transactions?${search}">Find its transaction</a></p>
    <details>
      <summary>What was sent</summary>
      <pre tabindex="0" aria-label="What was sent">${request}</pre>
    </details>
    ${renderOthers(others)}`;
  return renderOutcome('good', 'Checkout session created', content);
}
