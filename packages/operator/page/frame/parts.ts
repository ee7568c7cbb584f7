/** What several pages draw. */
import { linkTo, type Params } from '@pay-checkout/page-kit/address';
import { type Cell, renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';

/** A table below its heading; where it has no rows, a sentence. */
export function renderSection(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): TemplateResult {
  return html`<h2>${title}</h2>
    ${rows.length === 0 ? html`<p>${empty}</p>` : renderTable(title, columns, rows)}`;
}

/** The way to what is older, and back to the newest. */
export function renderMore(
  path: string,
  { cursor, ...filter }: Params,
  next: string | undefined,
): TemplateResult {
  const link = (words: string, query: Params) =>
    html`<a role="button" class="outline" href=${linkTo(path, query)}>${words}</a>`;
  return html`<p>
    ${cursor ? link('Newest', filter) : nothing}
    ${next === undefined ? nothing : link('Older', { ...filter, cursor: next })}
  </p>`;
}

export function orderPath(merchant: string, order: string): string {
  return `orders/${encodeURIComponent(merchant)}/${encodeURIComponent(order)}`;
}

export function orderLink(merchant: string, order: string): TemplateResult {
  return html`<a href=${linkTo(orderPath(merchant, order))}>${order}</a>
    <small>${merchant}</small>`;
}

/** `price_changed` as words. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}
