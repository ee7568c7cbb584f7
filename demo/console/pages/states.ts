/** What came of a request: an answer, a problem, nothing to show, nothing chosen yet, stopped. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ConsoleProblem } from '../console-view.js';

export interface StateWords {
  readonly title: string;
  /** What to do now. */
  readonly next: string;
}

/** The heading can take the focus. */
export function renderOutcome(
  kind: 'good' | 'bad' | 'wait' | 'empty',
  title: string,
  content: unknown,
): TemplateResult {
  return html`<article class="is-${kind}">
    <h2 tabindex="-1" data-focus>${title}</h2>
    ${content}
  </article>`;
}

export function renderState({ title, next }: StateWords, action: unknown = nothing) {
  return renderOutcome(
    'empty',
    title,
    html`<p>${next}</p>
      ${action}`,
  );
}

/** @param retry - Asks for the same again. */
export function renderStopped(retry: () => void): TemplateResult {
  return renderState(
    {
      title: 'You stopped waiting.',
      next: 'Reading changes nothing at the provider: try again at any time.',
    },
    renderRetry(retry),
  );
}

/** Without `retry` there is no button: doing it again is a choice. */
export function renderProblem(problem: ConsoleProblem, retry?: () => void): TemplateResult {
  const { code, title, next, detail, requestId, providerSaid } = problem;
  const content = html`<p>${next}</p>
    ${retry === undefined ? nothing : renderRetry(retry)}
    <details>
      <summary>What is known</summary>
      <p>${detail}</p>
      ${requestId === undefined ? nothing : html`<p>Request id: <code>${requestId}</code></p>`}
      ${
        providerSaid === undefined
          ? nothing
          : html`<p>The provider said:</p>
              <pre>${providerSaid}</pre>`
      }
    </details>`;
  return renderOutcome(code === 'outcome_unknown' ? 'wait' : 'bad', title, content);
}

function renderRetry(retry: () => void): TemplateResult {
  return html`<p><button type="button" @click=${retry}>Try again</button></p>`;
}
