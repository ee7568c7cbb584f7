/** A table whose first column names the rows; a wide one scrolls within itself. */
import { html, type TemplateResult } from 'lit';

export interface TableColumn<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly draw: (row: Row) => unknown;
}

export function renderTable<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): TemplateResult {
  return html`<div class="overflow-auto" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ title, isNumber }) => html`<th scope="col" class=${isNumber ? 'number' : ''}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map(({ isNumber, draw }, at) =>
                at === 0
                  ? html`<th scope="row">${draw(row)}</th>`
                  : html`<td class=${isNumber ? 'number' : ''}>${draw(row)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
