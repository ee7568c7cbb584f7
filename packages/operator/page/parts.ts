/** What several pages draw. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo } from './page.js';

export type Cell = TemplateResult | string;

/**
 * A table that becomes a list of cards where it is narrow: each cell then names its column. The roles
 * stay when its parts are no longer laid out as a table.
 */
export function renderTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): TemplateResult {
  return html`<table role="table">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (cells) =>
          html`<tr role="row">
            ${cells.map(
              (cell, at) =>
                html`<td role="cell" data-title=${columns[at] ?? ''}><div>${cell}</div></td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The way to what is older, and back to the newest. */
export function renderMore(
  path: string,
  cursor: string | undefined,
  next: string | undefined,
): TemplateResult {
  return html`<p class="buttons">
    ${cursor === undefined ? nothing : html`<a class="button quiet" href=${linkTo(path)}>Newest</a>`}
    ${next === undefined ? nothing : html`<a class="button quiet" href=${linkTo(path, { cursor: next })}>Older</a>`}
  </p>`;
}

export function orderPath(merchant: string, order: string): string {
  return `orders/${encodeURIComponent(merchant)}/${encodeURIComponent(order)}`;
}

export function orderLink(merchant: string, order: string): TemplateResult {
  return html`<a href=${linkTo(orderPath(merchant, order))}>${order}</a>
    <span class="hint">${merchant}</span>`;
}

/** `price_changed` as words. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}
