/** Lines, delivery and total of a basket or an order. */
import { html, type TemplateResult } from 'lit';
import { unsafeSVG } from 'lit/directives/unsafe-svg.js';
import type { PricedBasket } from '../catalogue.js';
import { formatMoney } from '../money.js';

export function renderSummary(basket: PricedBasket, heading = 'Your order'): TemplateResult {
  return html`
    <h2>${heading}</h2>
    <ul class="lines">
      ${basket.lines.map(
        (line) =>
          html`<li>
            ${pictureOf(line.sku)}
            <span class="line-name"
              >${line.name} <span class="times">× ${line.quantity}</span></span
            >
            <span class="price">${formatMoney(line.lineMinor)}</span>
          </li>`,
      )}
    </ul>
    ${renderTotals(basket)}
  `;
}

export function renderTotals(basket: PricedBasket): TemplateResult {
  const delivery = basket.deliveryMinor === 0 ? 'Free' : formatMoney(basket.deliveryMinor);
  return html`<dl class="totals">
    <div>
      <dt>Goods</dt>
      <dd>${formatMoney(basket.subtotalMinor)}</dd>
    </div>
    <div>
      <dt>Delivery</dt>
      <dd>${delivery}</dd>
    </div>
    <div class="total">
      <dt>Total</dt>
      <dd>${formatMoney(basket.totalMinor)}</dd>
    </div>
  </dl>`;
}

const files = import.meta.glob<string>('../pictures/*.svg', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The picture of a product, from our own files. */
export function pictureOf(sku: string): TemplateResult {
  return html`<span class="thumb">${unsafeSVG(files[`../pictures/${sku}.svg`] ?? '')}</span>`;
}
