/** Fills the parts that pages share into the HTML at build time, so that they need no script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS, type Scenario } from '@pay-checkout/sandbox';
import type { Plugin } from 'vite';
import { PRODUCTS, type Product } from './shop/catalogue.js';
import { renderOperationForm } from './console/form-html.js';
import { formatMoney } from './shop/money.js';

/** Replaces comments such as `<!-- shop header -->` and `<!-- picture: sku -->`. */
export function pageParts(): Plugin {
  return {
    name: 'page-parts',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace(/<!-- shop head: (.+) -->/, (_match, title: string) => shopHead(title))
          .replace('<!-- shop header -->', SHOP_HEADER)
          .replace('<!-- shop footer -->', SHOP_FOOTER)
          .replace('<!-- products -->', () => PRODUCTS.map(renderProduct).join('\n'))
          .replace('<!-- cards -->', () => SCENARIOS.map(renderCard).join('\n'))
          .replace(/<!-- picture: ([\w-]+) -->/g, (_match, sku: string) => readPicture(sku))
          .replace(/<!-- console head: (.+) -->/, (_match, title: string) => consoleHead(title))
          .replace(/<!-- console header: (.+) -->/, (_match, title: string) => consoleHeader(title))
          .replace(/<!-- console form: ([\w-]+) -->/g, (_match, name: string) =>
            renderOperationForm(name),
          )
          .replace('<!-- console zones -->', CONSOLE_ZONES)
          .replace('<!-- console footer -->', CONSOLE_FOOTER)
          .replace('<!-- console result -->', CONSOLE_RESULT),
    },
  };
}

const shopHead = (title: string): string => `<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="theme-color" content="#eef1ec" media="(prefers-color-scheme: light)" />
<meta name="theme-color" content="#11191b" media="(prefers-color-scheme: dark)" />
<title>${title}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="../../shop/styles/site.css" />`;

const SHOP_HEADER = `<a class="skip" href="#main">Skip to the content</a>
<header class="site-header">
  <div class="wrap">
    <a class="brand" href="/">
      <svg viewBox="0 0 40 40" aria-hidden="true" focusable="false">
        <path class="brand-pot" d="M7 17h26c0 12-5 19-13 19S7 29 7 17z" />
        <path
          class="brand-glaze"
          d="M7 17h26c0 3-.4 5.400-1 7.600-4 1.800-5-1.600-9-.6s-4 4-8 3-3-4-7-2.600C7.300 22.200 7 20 7 17z"
        />
        <path
          class="brand-leaf"
          d="M20 14C13 12 12 7 14 2c6 1 8 6 6 12zM22 14c0-5 4-8 10-8 0 5-4 8-10 8z"
        />
      </svg>
      <span>Hollin &amp; Slip</span>
    </a>
    <nav aria-label="Main">
      <a href="/">Shop</a>
      <a class="basket-link" href="/basket" data-basket-link>Basket</a>
    </nav>
  </div>
</header>`;

const SHOP_FOOTER = `<footer class="site-footer">
  <div class="wrap">
    <p class="footer-name">Hollin &amp; Slip</p>
    <p>
      A shop that does not exist, to show a checkout that does. Nothing is sold, nothing is sent,
      and no money moves.
    </p>
    <a href="/playground">Playground of the checkout tag</a>
  </div>
</footer>`;

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

function readPicture(sku: string): string {
  return readFileSync(join(import.meta.dirname, 'shop/pictures', `${sku}.svg`), 'utf8');
}

/** The background of the picture, one of the glazes; the second row of a wide page starts with another. */
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

/** A test card of the sandbox; a click copies its number. */
function renderCard({ cardNumber, title, description }: Scenario): string {
  const number = cardNumber.replace(/(.{4})(?=.)/g, '$1 ');
  return `<li>
  <button type="button" class="card-number" data-copy="${cardNumber}"
    aria-label="Copy ${number}: ${title}">${number}</button>
  <span><b>${title}.</b> ${description}</span>
</li>`;
}
