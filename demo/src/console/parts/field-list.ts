/** Fields of the provider as they came: its own names, every one of them. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ProviderFields } from '../../../shared/console-view.js';

export function renderFields(fields: ProviderFields): TemplateResult {
  return html`<dl class="fields">
    ${Object.entries(fields).map(
      ([name, text]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${text === '' ? html`<span class="hint">no value</span>` : text}</dd>
        </div>`,
    )}
  </dl>`;
}

/** What else the provider sent, to be unfolded; nothing when there is nothing else. */
export function renderOthers(others: ProviderFields): TemplateResult | typeof nothing {
  if (Object.keys(others).length === 0) return nothing;
  return html`<details>
    <summary>What else the provider sent</summary>
    ${renderFields(others)}
  </details>`;
}
