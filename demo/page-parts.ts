/** Fills the parts that pages share into the HTML at build time, so that they need no script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS, type Scenario } from '@pay-checkout/sandbox';
import type { Plugin } from 'vite';
import type { Brand, Product } from './brands/brand.js';
import { renderOperationForm } from './console/form-html.js';
import { formatMoney } from './shop/money.js';

/** Replaces comments such as `<!-- shop header -->` and `<!-- picture: sku -->`. */
export function pageParts(brand: Brand): Plugin {
  return {
    name: 'page-parts',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace(/<!-- shop head: (.+) -->/, (_match, title: string) => shopHead(brand, title))
          .replace('<!-- shop header -->', () => shopHeader(brand))
          .replace('<!-- shop footer -->', () => shopFooter(brand))
          .replace('<!-- hero -->', () =>
            brand.hero.map((sku) => readPicture(brand, sku)).join('\n'),
          )
          .replace('<!-- countries -->', () =>
            brand.countries.map(({ name }) => `<option>${name}</option>`).join('\n'),
          )
          .replace('<!-- products -->', () => renderProducts(brand))
          .replace('<!-- cards -->', () => SCENARIOS.map(renderCard).join('\n'))
          .replace(/<!-- console head: (.+) -->/, (_match, title: string) => consoleHead(title))
          .replace(/<!-- console header: (.+) -->/, (_match, title: string) => consoleHeader(title))
          .replace(/<!-- console form: ([\w-]+) -->/g, (_match, name: string) =>
            renderOperationForm(name),
          )
          .replace('<!-- console zones -->', CONSOLE_ZONES)
          .replace('<!-- console footer -->', CONSOLE_FOOTER)
          .replace('<!-- console result -->', CONSOLE_RESULT)
          .replace(/\[\[(\w+)\]\]/g, (_match, name: string) => wordOf(brand, name)),
    },
  };
}

const shopHead = (
  { id, name, themeColor }: Brand,
  title: string,
): string => `<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="theme-color" content="${themeColor.light}" media="(prefers-color-scheme: light)" />
<meta name="theme-color" content="${themeColor.dark}" media="(prefers-color-scheme: dark)" />
<title>${title} · ${escapeHtml(name)}</title>
<link rel="icon" href="../../brands/${id}/icon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="../../brands/${id}/brand.css" />
<link rel="stylesheet" href="../../shop/styles/site.css" />`;

const shopHeader = ({ id, name }: Brand): string => `<a class="skip" href="#main">[[skip]]</a>
<header class="site-header">
  <div class="wrap">
    <a class="brand" href="/">
      ${readBrandFile(id, 'mark.svg')}
      <span>${escapeHtml(name)}</span>
    </a>
    <nav aria-label="[[navigation]]">
      <a href="/">[[shop]]</a>
      <a class="basket-link" href="/basket" data-basket-link>[[basket]]</a>
    </nav>
  </div>
</header>`;

const shopFooter = ({ name, hasPlayground }: Brand): string => `<footer class="site-footer">
  <div class="wrap">
    <p class="footer-name">${escapeHtml(name)}</p>
    <p>[[footer]]</p>
    ${hasPlayground ? '<a href="/playground">[[playground]]</a>' : ''}
  </div>
</footer>`;

/** Fills a word of the shop in. */
function wordOf({ language, direction, words }: Brand, name: string): string {
  const word: unknown = { ...words, language, direction }[name];
  if (typeof word !== 'string') throw new Error(`A page asks for [[${name}]], which is no word.`);
  return escapeHtml(word);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The pages of the console, in the order of the navigation. */
const CONSOLE_PAGES = [
  { path: '/', title: 'Overview' },
  { path: '/checkout-session', title: 'Checkout session' },
  { path: '/transactions', title: 'Transactions' },
  { path: '/transfers', title: 'Transfers' },
  { path: '/reports', title: 'Reports' },
  { path: '/signup-links', title: 'Signup links' },
  { path: '/webhooks', title: 'Webhooks' },
] as const;

const consoleHead = (title: string): string => `<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${title} · Harbour Lane partner console</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="../styles/console.css" />`;

function consoleHeader(current: string): string {
  const links = CONSOLE_PAGES.map(({ path, title }) => {
    const mark = title === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${mark}>${title}</a></li>`;
  }).join('\n');
  return `<a class="skip" href="#main">Skip to the content</a>
<header class="container">
  <nav aria-label="Console">
    <ul>
      <li><strong><img src="/icon.svg" alt="" width="32" height="32" /> Harbour Lane partner console</strong></li>
    </ul>
    <ul>
      ${links}
    </ul>
  </nav>
</header>`;
}

/** Suggestions; any other zone can be typed. */
const CONSOLE_ZONES = `<datalist id="zones">
  <option value="UTC"></option>
  <option value="Europe/London"></option>
  <option value="Europe/Paris"></option>
  <option value="Asia/Tokyo"></option>
  <option value="America/New_York"></option>
</datalist>`;

const CONSOLE_RESULT = `<div id="waiting"></div>
<div id="result"></div>
<noscript>
  <p>The console needs JavaScript, which is off in this browser.</p>
</noscript>`;

/** There is no sign-in: the process listens on this machine only. */
const CONSOLE_FOOTER = `<footer class="container">
  <small>
    This console has no sign-in. It listens on this machine only (127.0.0.1), for the people who
    work here.
  </small>
</footer>`;

function readPicture({ id }: Brand, sku: string): string {
  return readBrandFile(id, `${sku}.svg`);
}

function readBrandFile(id: string, file: string): string {
  return readFileSync(join(import.meta.dirname, 'brands', id, file), 'utf8');
}

/** The background of the picture, one of the glazes; the second row of a wide page starts with another. */
const TINTS = ['celadon', 'iron', 'bone', 'cobalt'] as const;

function renderProducts(brand: Brand): string {
  return brand.products.map((product, index) => renderProduct(brand, product, index)).join('\n');
}

function renderProduct(
  brand: Brand,
  { sku, name, summary, priceMinor }: Product,
  index: number,
): string {
  const tint = TINTS[(index + 2 * Math.floor(index / 4)) % TINTS.length];
  return `<li class="product" id="${sku}" data-tint="${tint}">
  <div class="product-picture">${readPicture(brand, sku)}</div>
  <div class="product-words">
    <h3>${name}</h3>
    <p>${summary}</p>
  </div>
  <div class="product-buy">
    <span class="price">${formatMoney(priceMinor, brand)}</span>
    <button type="button" class="button quiet" data-add="${sku}"
      aria-label="[[addToBasket]]: ${name}">[[addToBasket]]</button>
  </div>
</li>`;
}

/** A test card of the sandbox; a click copies its number. */
function renderCard({ cardNumber, title, description }: Scenario): string {
  const number = cardNumber.replace(/(.{4})(?=.)/g, '$1 ');
  return `<li>
  <button type="button" class="card-number" data-copy="${cardNumber}"
    aria-label="Copy ${number}: ${title}">${number}</button>
  <span><b>${title}.</b> ${description}</span>
</li>`;
}
