/** The drawn pictures, for pages that draw their lists by script. */
import { html, type TemplateResult } from 'lit';
import { unsafeSVG } from 'lit/directives/unsafe-svg.js';

const files = import.meta.glob<string>('../pictures/*.svg', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The picture of a product, from our own files. */
export function pictureOf(sku: string): TemplateResult {
  return html`<span class="thumb">${unsafeSVG(files[`../pictures/${sku}.svg`] ?? '')}</span>`;
}
