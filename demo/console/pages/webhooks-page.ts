/** Creates a webhook, lists those that were created here, and has the provider test one. */
import { type Cell, renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type {
  AnswerView,
  CreatedWebhookView,
  KeptWebhook,
  KeptWebhooksView,
} from '../console-view.js';
import { startActionForm } from './action-form.js';
import { renderAnswer } from './answer.js';
import { read } from './console-api.js';
import { renderCopyButton } from './copy-button.js';
import { renderOthers } from './formatting.js';
import { Loader } from './loader.js';
import { renderOutcome, renderState } from './states.js';
import { MomentWords } from './transaction-words.js';
import { Waiting } from './waiting.js';

const createForm = find(document, '#create', HTMLFormElement);
const createResult = find(document, '#create-result', HTMLElement);
const testForm = find(document, '#test', HTMLFormElement);
const webhookId = find(testForm, '#webhookId', HTMLInputElement);
const keptLoader = new Loader({
  host: find(document, '#kept', HTMLElement),
  waiting: new Waiting(find(document, '#kept-waiting', HTMLElement)),
  busy: 'Reading the list…',
});
const moments = new MomentWords(Intl.DateTimeFormat().resolvedOptions().timeZone);

startActionForm<CreatedWebhookView>({
  form: createForm,
  waiting: find(document, '#create-waiting', HTMLElement),
  result: createResult,
  path: '/api/webhooks',
  busy: 'Creating the webhook…',
  draw: (created) => renderCreated(created),
  onDone: (created) => {
    // Nor does a key of one's own stay in the form.
    createForm.reset();
    webhookId.value = created.webhookId;
    void showKept();
  },
});

startActionForm<AnswerView>({
  form: testForm,
  waiting: find(document, '#test-waiting', HTMLElement),
  result: find(document, '#test-result', HTMLElement),
  path: '/api/operations/webhooks.test',
  busy: 'The provider is testing the endpoint…',
  draw: renderTest,
});

// A page that the browser keeps for the way back keeps no key.
addEventListener('pagehide', () => {
  createForm.reset();
  render(nothing, createResult);
});

void showKept();

/** The webhooks whose keys are on the console's machine: the provider has no list of them. */
function showKept(): Promise<void> {
  return keptLoader.load({
    ask: (signal) => read<KeptWebhooksView>('/api/webhooks', signal),
    draw: ({ kept }) => renderKept(kept),
    summary: () => '',
  });
}

function renderKept(webhooks: readonly KeptWebhook[]): TemplateResult {
  if (webhooks.length === 0) {
    return renderState({
      title: 'No webhook was created with this console yet.',
      next: 'Create one above: it is listed here with the file of its key.',
    });
  }
  return html`${renderTable(
      'Webhooks that were created here',
      ['Address', 'Webhook', 'Events', 'Created', 'Key', 'Test'],
      webhooks.map(cellsOf),
    )}
    <p>
      <small>
        The provider’s document shows no list of webhooks: others may exist, and one of these may be
        gone.
      </small>
    </p>`;
}

function cellsOf(webhook: KeptWebhook): Cell[] {
  const { url, description, webhookId: id, events = [], createdAt, keyFile } = webhook;
  return [
    html`${url ?? 'not known'}
    ${description === undefined ? nothing : html`<br /><small>${description}</small>`}`,
    html`<code>${id}</code>`,
    events.join(', ') || '–',
    moments.describe(createdAt),
    html`<code>${keyFile}</code>`,
    renderTestButton(webhook),
  ];
}

function renderTestButton(webhook: KeptWebhook): TemplateResult {
  const test = (): void => {
    webhookId.value = webhook.webhookId;
    testForm.requestSubmit();
  };
  return html`<button
    type="button"
    class="outline"
    aria-label="Test ${webhook.url ?? webhook.webhookId}"
    @click=${test}
  >
    Test
  </button>`;
}

function renderCreated({ webhookId: id, keyFile, hmacKey, others }: CreatedWebhookView) {
  const content = html`<p>Its identifier: <code>${id}</code></p>
    <p>
      Its key is in <code data-key-file>${keyFile}</code>, where the program that verifies webhooks
      reads it.
    </p>
    ${hmacKey === undefined ? nothing : renderKey(hmacKey)} ${renderOthers(Object.entries(others))}`;
  return renderOutcome('good', 'Webhook created', content);
}

function renderKey(key: string): TemplateResult {
  const hide = ({ currentTarget: button }: Event): void => {
    if (button instanceof HTMLElement) button.closest('[data-key]')?.remove();
    createResult.querySelector<HTMLElement>('[data-focus]')?.focus();
  };
  return html`<div data-key>
    <p class="is-wait">Shown only now. The provider does not give it again.</p>
    <p><code>${key}</code></p>
    <p>
      ${renderCopyButton(key, 'the key')}
      <button type="button" class="outline" @click=${hide}>Hide the key</button>
    </p>
  </div>`;
}

/** Whatever the endpoint did is an answer: how a timeout is written is not shown. */
function renderTest(answer: AnswerView): TemplateResult {
  if (/^2\d\d$/.test(answer.fields['status_code'] ?? '')) {
    return renderOutcome('good', 'The endpoint accepted the test', renderAnswer(answer));
  }
  const content = html`${renderAnswer(answer)}
    <p>The webhook itself is as it was. Check the endpoint, then send another test.</p>`;
  return renderOutcome('wait', 'The endpoint did not accept the test', content);
}
