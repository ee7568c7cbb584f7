/** Fills the parts that pages share into the HTML at build time, so that they need no script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SCENARIOS, type Scenario } from '@pay-checkout/sandbox';
import type { Plugin } from 'vite';
import { PRODUCTS, type Product } from '../shared/catalogue.js';
import { formatMoney } from '../shared/money.js';

const source = join(import.meta.dirname, '..', 'src');

/** Replaces comments such as `<!-- header -->`, `<!-- products -->` and `<!-- picture: sku -->`. */
export function pageParts(): Plugin {
  return {
    name: 'page-parts',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace('<!-- header -->', () => readPart('header'))
          .replace('<!-- footer -->', () => readPart('footer'))
          .replace('<!-- products -->', () => PRODUCTS.map(renderProduct).join('\n'))
          .replace('<!-- cards -->', () => ALL_SCENARIOS.map(renderCard).join('\n'))
          .replace(/<!-- picture: ([\w-]+) -->/g, (_match, sku: string) => readPicture(sku)),
    },
  };
}

function readPart(name: string): string {
  return readFileSync(join(source, 'parts', `${name}.html`), 'utf8');
}

function readPicture(sku: string): string {
  return readFileSync(join(source, 'pictures', `${sku}.svg`), 'utf8');
}

/** The picture's ground, one of the glazes; the second row of a wide page starts with another one. */
const TINTS = ['celadon', 'iron', 'bone', 'cobalt'] as const;

function renderProduct({ sku, name, summary, priceMinor }: Product, index: number): string {
  const tint = TINTS[(index + 2 * Math.floor(index / 4)) % TINTS.length];
  return `<li class="product" id="${sku}" data-tint="${tint}">
  <div class="product-picture">${readPicture(sku)}</div>
  <div class="product-words">
    <h3>${name}</h3>
    <p>${summary}</p>
  </div>
  <div class="product-buy">
    <span class="price">${formatMoney(priceMinor)}</span>
    <button type="button" class="button quiet" data-add="${sku}"
      aria-label="Add to basket: ${name}">Add to basket</button>
  </div>
</li>`;
}

/** A card of the sandbox; its number is copied when it is pressed. */
function renderCard({ cardNumber, title, story }: Scenario): string {
  const number = cardNumber.replace(/(.{4})(?=.)/g, '$1 ');
  return `<li>
  <button type="button" class="card-number" data-copy="${cardNumber}"
    aria-label="Copy ${number}: ${title}">${number}</button>
  <span><b>${title}.</b> ${story}</span>
</li>`;
}
