/** Lines, delivery and total of a basket or an order. */
import { html, type TemplateResult } from 'lit';
import { unsafeSVG } from 'lit/directives/unsafe-svg.js';
import type { PricedBasket } from '../catalogue.js';
import { formatMoney } from '../money.js';
import { brand, findPicture } from './brand.js';

const { words } = brand;

export function renderSummary(basket: PricedBasket, heading = words.yourOrder): TemplateResult {
  return html`
    <h2>${heading}</h2>
    <ul class="lines">
      ${basket.lines.map(
        (line) =>
          html`<li>
            ${pictureOf(line.sku)}
            <span class="line-name"
              >${line.name}
              <span class="times">× ${line.quantity.toLocaleString(brand.language)}</span></span
            >
            <span class="price">${formatMoney(line.lineMinor, brand)}</span>
          </li>`,
      )}
    </ul>
    ${renderTotals(basket)}
  `;
}

export function renderTotals(basket: PricedBasket): TemplateResult {
  const delivery =
    basket.deliveryMinor === 0 ? words.free : formatMoney(basket.deliveryMinor, brand);
  return html`<dl class="totals">
    <div>
      <dt>${words.goods}</dt>
      <dd>${formatMoney(basket.subtotalMinor, brand)}</dd>
    </div>
    <div>
      <dt>${words.delivery}</dt>
      <dd>${delivery}</dd>
    </div>
    <div class="total">
      <dt>${words.total}</dt>
      <dd>${formatMoney(basket.totalMinor, brand)}</dd>
    </div>
  </dl>`;
}

/** The picture of a product, from our own files. */
export function pictureOf(sku: string): TemplateResult {
  return html`<span class="thumb">${unsafeSVG(findPicture(sku))}</span>`;
}
