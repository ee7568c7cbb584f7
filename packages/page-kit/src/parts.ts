/** What the back-office pages draw alike: tables, and names with their values. */
import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

export type Cell = TemplateResult | string | number | undefined;

/** A column by its title; `isNumber` sets its figures below each other. */
export type Column = string | { readonly title: string; readonly isNumber?: boolean };

/**
 * A table that scrolls within itself where it is wider than the screen. The first cell names its row; a
 * cell without a value has a dash.
 *
 * @param keys of its rows, so that what a person has chosen in one stays with it. Default: their places
 */
export function renderTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  keys: readonly string[] = [],
): TemplateResult {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column.title));
  const styles = columns.map((column) =>
    typeof column !== 'string' && column.isNumber === true ? 'number' : '',
  );
  return html`<div class="overflow-auto" role="region" aria-label=${caption} tabindex="0">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${titles.map((title, at) => html`<th scope="col" class=${styles[at] ?? ''}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${repeat(
          rows,
          (_cells, index) => keys[index] ?? index,
          ([name, ...cells]) =>
            html`<tr>
              <th scope="row">${name ?? '–'}</th>
              ${cells.map((cell, at) => html`<td class=${styles[at + 1] ?? ''}>${cell ?? '–'}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Does not fit the column of a value. */
const LONG_TEXT = 40;

/** Names and values; what is not there says so, and a long text has room. */
export function renderFacts(
  facts: readonly (readonly [name: string, value: Cell])[],
  style = 'facts',
): TemplateResult {
  return html`<dl class=${style}>
    ${facts.map(
      ([name, value]) =>
        html`<div class=${typeof value === 'string' && value.length > LONG_TEXT ? 'is-long' : ''}>
          <dt>${name}</dt>
          <dd>
            ${value === undefined || value === '' ? html`<span class="quiet">–</span>` : value}
          </dd>
        </div>`,
    )}
  </dl>`;
}
