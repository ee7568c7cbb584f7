/** A problem as a person reads it: what happened, what is known, what to do. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ConsoleProblem } from '../../../shared/console-view.js';

/** The heading can take the focus. Without `retry` there is no button: doing it again is a choice. */
export function renderProblem(problem: ConsoleProblem, retry?: () => void): TemplateResult {
  const { code, title, next, detail, requestId, providerSaid } = problem;
  return html`<section class="problem ${code === 'outcome_unknown' ? 'is-unknown' : ''}">
    <h2 tabindex="-1" data-focus>${title}</h2>
    <p>${next}</p>
    ${
      retry === undefined
        ? nothing
        : html`<button type="button" class="button" @click=${retry}>Try again</button>`
    }
    <details>
      <summary>What is known</summary>
      <p>${detail}</p>
      ${requestId === undefined ? nothing : html`<p>Request id: <code>${requestId}</code></p>`}
      ${
        providerSaid === undefined
          ? nothing
          : html`<p>The provider said:</p>
              <pre class="code">${providerSaid}</pre>`
      }
    </details>
  </section>`;
}
