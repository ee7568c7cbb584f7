import { html, nothing, type TemplateResult } from 'lit';
import type { RecordedMessage } from '../src/inspector/recorded-call.js';
import { looksLikeJson, renderJson } from './json.js';

/** Headers and body of one direction. */
export function renderMessage(
  name: string,
  message: RecordedMessage | undefined,
  otherwise = 'None.',
): TemplateResult {
  if (message === undefined) {
    return html`<h2>${name}</h2>
      <p class="quiet">${otherwise}</p>`;
  }
  const { headers, body, bytes, isCut } = message;
  return html`<h2>${name}</h2>
    <details>
      <summary>Headers (${Object.keys(headers).length})</summary>
      <pre tabindex="0" aria-label="${name} headers">
${Object.entries(headers).map(
  ([key, value]) => html`<span class="json-key">${key}</span>: ${value}${'\n'}`,
)}</pre>
    </details>
    ${
      body === undefined
        ? html`<p class="quiet">The body was not read.</p>`
        : body === ''
          ? html`<p class="quiet">No body.</p>`
          : html`<pre tabindex="0" aria-label="${name} body">
${looksLikeJson(body) ? renderJson(body) : body}</pre>`
    }
    ${isCut ? html`<p class="quiet">The first part of ${bytes?.toLocaleString('en')} bytes.</p>` : nothing}`;
}
