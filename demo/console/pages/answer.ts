/** What an operation answered, by the type of its parts: fields, and charts with their tables. */
import { html, nothing, type TemplateResult } from 'lit';
import type { AnswerView, ProviderFields } from '../console-view.js';
import { renderGroup } from './charts.js';
import { formatNumber, humanise, renderFields, renderOthers } from './formatting.js';

export interface AnswerOptions {
  /** Its fields are metrics: numbers for people, not identifiers. Default false. */
  readonly isMetrics?: boolean;
  /** The fields that a person wants to see first, the others folded. Default: all are shown. */
  readonly first?: readonly string[];
}

/** All of it, in the provider's order; its own names are made easier to read. */
export function renderAnswer(
  { fields, groups, others, request }: AnswerView,
  { isMetrics = false, first }: AnswerOptions = {},
): TemplateResult {
  const isShown = (name: string): boolean => first?.includes(name) ?? true;
  const pick = (names: readonly string[]): ProviderFields =>
    Object.fromEntries(names.map((name) => [humanise(name), fields[name] ?? '']));
  const names = Object.keys(fields);
  const shown = pick(names.filter(isShown));
  const folded = { ...pick(names.filter((name) => !isShown(name))), ...others };
  // Series first: they are wide.
  const charts = [...groups].sort((one, other) => Number(other.isSeries) - Number(one.isSeries));
  return html`
    ${isMetrics ? html`<h2>Figures</h2>` : nothing}
    ${isMetrics ? renderFields(shown, 'facts figures', formatNumber) : renderFields(shown)}
    ${
      charts.length === 0
        ? nothing
        : html`<h2>Charts</h2>
            <div class="charts">${charts.map(renderGroup)}</div>`
    }
    ${renderOthers(folded)}
    <details>
      <summary>What was sent</summary>
      <pre tabindex="0" aria-label="What was sent">${request}</pre>
    </details>
  `;
}
