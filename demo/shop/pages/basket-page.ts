/** The basket: how many of each, what it comes to, and the way to the checkout. */
import { html, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import { MAX_QUANTITY, priceBasket, type PricedBasket, type PricedLine } from '../catalogue.js';
import { formatMoney } from '../money.js';
import { brand } from './brand.js';
import { withQuantity, type Basket, readBasket, saveBasket, watchBasket } from './basket.js';
import { renderTotals, pictureOf } from './order-summary.js';
import './basket-link.js';

const { words } = brand;
const host = find(document, '#basket', HTMLElement);

watchBasket((basket) => {
  render(renderBasket(basket), host);
});

function renderBasket(basket: Basket): TemplateResult {
  if (basket.items.length === 0) {
    return html`<div>
      <p class="lead" id="empty" tabindex="-1">${words.basketEmpty}</p>
      <a class="button" href="/">${words.backToShop}</a>
    </div>`;
  }
  const priced = priceBasket(brand, basket.items);
  return html`
    <ul class="basket-lines">
      ${priced.lines.map(renderLine)}
    </ul>
    <aside class="panel" aria-label=${words.orderTotal}>
      <h2>${words.orderTotal}</h2>
      ${renderTotals(priced)} ${renderFreeDelivery(priced)}
      <a class="button wide" href="/checkout">${words.checkout}</a>
    </aside>
  `;
}

function renderFreeDelivery({ subtotalMinor }: PricedBasket): TemplateResult | undefined {
  const missingMinor = brand.freeDeliveryFromMinor - subtotalMinor;
  if (missingMinor <= 0) return undefined;
  return html`<p class="hint">${words.freeDeliveryAfter(formatMoney(missingMinor, brand))}</p>`;
}

function renderLine({ sku, name, quantity, unitMinor, lineMinor }: PricedLine): TemplateResult {
  return html`<li>
    ${pictureOf(sku)}
    <div class="basket-words">
      <h2>${name}</h2>
      <p class="hint">${words.each(formatMoney(unitMinor, brand))}</p>
    </div>
    <div class="stepper" role="group" aria-label="${words.howMany}: ${name}">
      <button
        type="button"
        class="fewer"
        aria-label="${words.oneFewer}: ${name}"
        ?disabled=${quantity === 1}
        @click=${() => {
          change(sku, quantity - 1);
        }}
      ></button>
      <span class="quantity" aria-live="polite">${quantity.toLocaleString(brand.language)}</span>
      <button
        type="button"
        class="more"
        aria-label="${words.oneMore}: ${name}"
        ?disabled=${quantity === MAX_QUANTITY}
        @click=${() => {
          change(sku, quantity + 1);
        }}
      ></button>
    </div>
    <span class="price">${formatMoney(lineMinor, brand)}</span>
    <button
      type="button"
      class="link"
      aria-label="${words.remove}: ${name}"
      @click=${() => {
        remove(sku);
      }}
    >
      ${words.remove}
    </button>
  </li>`;
}

function change(sku: string, quantity: number): void {
  saveBasket(withQuantity(readBasket(), sku, quantity));
}

function remove(sku: string): void {
  change(sku, 0);
  // The button that had the focus is gone: keep the place of those who work with the keyboard.
  const next = host.querySelector<HTMLElement>('button.link, #empty');
  next?.focus();
}
