/** Creates a webhook, and has the provider test one. */
import { html, nothing, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { CreatedWebhookView, KeptWebhooksView, WebhookTestView } from '../console-view.js';
import { startActionForm } from './action-form.js';
import { read } from './console-api.js';
import { renderOthers } from './formatting.js';
import { suggest } from './forms.js';

const testForm = find(document, '#test', HTMLFormElement);

startActionForm<CreatedWebhookView>({
  form: find(document, '#create', HTMLFormElement),
  waiting: find(document, '#create-waiting', HTMLElement),
  result: find(document, '#create-result', HTMLElement),
  path: '/api/webhooks',
  busy: 'Creating the webhook…',
  toBody: ({ events, ...fields }) =>
    events === undefined ? fields : { ...fields, events: splitNames(events) },
  draw: renderCreated,
  onDone: ({ webhookId }) => {
    find(testForm, '#webhookId', HTMLInputElement).value = webhookId;
    void suggestKept();
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

void suggestKept();

/** The webhooks whose keys are on the console's machine: the provider has no list of them. */
async function suggestKept(): Promise<void> {
  const { kept } = await read<KeptWebhooksView>('/api/webhooks').catch(() => ({ kept: [] }));
  suggest(
    'kept',
    kept.map(({ webhookId }) => ({ value: webhookId })),
  );
}

function splitNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function renderCreated({ webhookId, keyFile, others }: CreatedWebhookView): TemplateResult {
  return html`<section class="answer">
    <h2 tabindex="-1" data-focus>Webhook created</h2>
    <p>Its identifier: <code>${webhookId}</code></p>
    <p>
      Its key is in <code>${keyFile}</code>. The program that verifies webhooks reads it there; the
      provider does not give it again.
    </p>
    ${renderOthers(others)}
  </section>`;
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
