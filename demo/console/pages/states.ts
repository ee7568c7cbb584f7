/** What stands where an answer would: nothing to show, nothing chosen yet, stopped. */
import { html, nothing, type TemplateResult } from 'lit';

export interface StateWords {
  readonly title: string;
  /** What to do now. */
  readonly next: string;
}

/** The heading can take the focus. */
export function renderState(
  { title, next }: StateWords,
  action: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return html`<section class="state">
    <h2 tabindex="-1" data-focus>${title}</h2>
    <p>${next}</p>
    ${action}
  </section>`;
}

/** @param retry - Asks for the same again. */
export function renderStopped(retry: () => void): TemplateResult {
  return renderState(
    {
      title: 'You stopped waiting.',
      next: 'Reading changes nothing at the provider: try again at any time.',
    },
    html`<button type="button" class="button" @click=${retry}>Try again</button>`,
  );
}
