/** What an operation answered, by the type of its parts: fields, and charts with their tables. */
import { html, nothing, type TemplateResult } from 'lit';
import type { AnswerView } from '../console-view.js';
import { renderGroup } from './charts.js';
import { type Field, formatNumber, humanise, renderFields, renderOthers } from './formatting.js';

export interface AnswerOptions {
  /** Its fields are metrics: numbers for people, not identifiers. Default false. */
  readonly isMetrics?: boolean;
  /** The fields that a person wants to see first, the others folded. Default: all are shown. */
  readonly first?: readonly string[];
}

const METRICS = { style: 'facts figures', format: formatNumber };

/** All of it, in the provider's order; its own names are made easier to read. */
export function renderAnswer(
  { fields, groups, others, request }: AnswerView,
  { isMetrics = false, first }: AnswerOptions = {},
): TemplateResult {
  const all = Object.entries(fields);
  const isShown = ([name]: Field): boolean => first?.includes(name) ?? true;
  const shown = all.filter(isShown);
  const folded = [...all.filter((field) => !isShown(field)), ...Object.entries(others)];
  // Series first: they are wide.
  const charts = [...groups].sort((one, other) => Number(other.isSeries) - Number(one.isSeries));
  return html`
    ${isMetrics ? html`<h2>Figures</h2>` : nothing}
    ${renderFields(humanised(shown), isMetrics ? METRICS : {})}
    ${
      charts.length === 0
        ? nothing
        : html`<h2>Charts</h2>
            <div class="charts">${charts.map(renderGroup)}</div>`
    }
    ${renderOthers(humanised(folded))}
    <details>
      <summary>What was sent</summary>
      <pre tabindex="0" aria-label="What was sent">${request}</pre>
    </details>
  `;
}

function humanised(fields: readonly Field[]): Field[] {
  return fields.map(([name, text]) => [humanise(name), text]);
}
