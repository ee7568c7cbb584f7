/** Creates a webhook, lists those that were created here, and has the provider test one. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type {
  CreatedWebhookView,
  KeptWebhook,
  KeptWebhooksView,
  WebhookTestView,
} from '../console-view.js';
import { startActionForm } from './action-form.js';
import { read } from './console-api.js';
import { renderCopyButton } from './copy-button.js';
import { renderOthers } from './formatting.js';
import { Loader } from './loader.js';
import { renderState } from './states.js';
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

startActionForm<WebhookTestView>({
  form: testForm,
  waiting: find(document, '#test-waiting', HTMLElement),
  result: find(document, '#test-result', HTMLElement),
  path: '/api/webhooks/test',
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
  return html`<table class="rows" role="table">
      <caption class="unseen">
        Webhooks that were created here
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${['Address', 'Webhook', 'Events', 'Created', 'Key', 'Test'].map(
            (title) => html`<th role="columnheader" scope="col">${title}</th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${webhooks.map(renderWebhook)}
      </tbody>
    </table>
    <p class="hint">
      The provider’s document shows no list of webhooks: others may exist, and one of these may be
      gone.
    </p>`;
}

function renderWebhook(webhook: KeptWebhook): TemplateResult {
  const { url, description, events = [], createdAt, keyFile } = webhook;
  const test = (): void => {
    webhookId.value = webhook.webhookId;
    testForm.requestSubmit();
  };
  return html`<tr role="row">
    <td role="cell" data-title="Address">
      <span>
        ${url ?? 'not known'}${description === undefined ? nothing : html`<br /><span class="hint">${description}</span>`}
      </span>
    </td>
    <td role="cell" data-title="Webhook"><code>${webhook.webhookId}</code></td>
    <td role="cell" data-title="Events"><span>${events.join(', ') || '–'}</span></td>
    <td role="cell" data-title="Created"><span>${moments.describe(createdAt)}</span></td>
    <td role="cell" data-title="Key"><code>${keyFile}</code></td>
    <td role="cell" data-title="Test">
      <button
        type="button"
        class="button quiet small"
        aria-label="Test ${url ?? webhook.webhookId}"
        @click=${test}
      >
        Test
      </button>
    </td>
  </tr>`;
}

function renderCreated({ webhookId: id, keyFile, hmacKey, others }: CreatedWebhookView) {
  return html`<section class="answer">
    <h2 tabindex="-1" data-focus>Webhook created</h2>
    <p>Its identifier: <code>${id}</code></p>
    <p>
      Its key is in <code data-key-file>${keyFile}</code>, where the program that verifies webhooks
      reads it.
    </p>
    ${hmacKey === undefined ? nothing : renderKey(hmacKey)} ${renderOthers(others)}
  </section>`;
}

function renderKey(key: string): TemplateResult {
  const hide = ({ currentTarget: button }: Event): void => {
    if (button instanceof HTMLElement) button.closest('[data-key]')?.remove();
    createResult.querySelector<HTMLElement>('[data-focus]')?.focus();
  };
  return html`<div class="shown-key" data-key>
    <p>Shown only now. The provider does not give it again.</p>
    <p><code>${key}</code></p>
    <p class="next">
      ${renderCopyButton(key, 'the key')}
      <button type="button" class="button quiet small" @click=${hide}>Hide the key</button>
    </p>
  </div>`;
}

/** Whatever the endpoint did is an answer: how a timeout is written is not shown. */
function renderTest({ statusCode, response, others }: WebhookTestView): TemplateResult {
  const isSuccess = /^2\d\d$/.test(statusCode ?? '');
  return html`<section class="answer ${isSuccess ? '' : 'is-no-success'}">
    <h2 tabindex="-1" data-focus>
      ${isSuccess ? 'The endpoint accepted the test' : 'The endpoint did not accept the test'}
    </h2>
    <p>The provider reports the status <b>${statusCode ?? 'none'}</b>.</p>
    ${
      response === undefined || response === ''
        ? html`<p class="hint">It reports no response body.</p>`
        : html`<p>It reports these words:</p>
            <pre class="code">${response}</pre>`
    }
    ${
      isSuccess
        ? nothing
        : html`<p>The webhook itself is as it was. Check the endpoint, then send another test.</p>`
    }
    ${renderOthers(others)}
  </section>`;
}
