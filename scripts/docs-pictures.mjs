/**
 * `npm run pictures:docs`: takes the pictures of the documents, by buying something in the little shop.
 * They are committed; take them again when the shop or the element changes visibly.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ROOT } from './child.mjs';
import { findBrowser } from './browsers.mjs';

const PICTURES = join(ROOT, 'docs/pictures');

const PHONE = {
  viewport: { width: 390, height: 1080 },
  colorScheme: /** @type {const} */ ('dark'),
};
const DESKTOP = {
  viewport: { width: 1120, height: 1000 },
  colorScheme: /** @type {const} */ ('light'),
};

const ORDER = {
  items: [
    { sku: 'two-tone-cup', quantity: 2 },
    { sku: 'camomile-sachets', quantity: 1 },
  ],
  customer: { firstName: 'Robin', lastName: 'Sample', email: 'robin@example.test' },
  address: {
    address1: 'Flat 3, 12 Sample Street',
    town: 'Sampleton',
    postcode: 'ZZ1 1ZZ',
    country: 'United Kingdom',
  },
};

/**
 * Orders, goes to the payment page and waits for the provider's form.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} shop
 * @param {typeof PHONE | typeof DESKTOP} device
 */
async function openPayment(browser, shop, device) {
  const page = await browser.newPage({ ...device, reducedMotion: 'reduce' });
  await page.goto(shop);
  const order = await page.evaluate(async (body) => {
    const response = await fetch('/api/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const placed = /** @type {{ order: string }} */ (await response.json());
    return placed.order;
  }, ORDER);
  await page.goto(`${shop}/pay?order=${order}`);
  const form = page.frameLocator('pay-checkout iframe');
  await form.getByLabel('Card number').fill('9000000000000001');
  await form.getByLabel('Expiry date').fill('12/39');
  const name = form.getByLabel('Name on card');
  await name.fill('Robin Sample');
  await name.blur();
  return { page, form };
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} name
 */
async function take(page, name) {
  await page.evaluate('document.fonts.ready.then(() => scrollTo(0, 0))');
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  console.log(`docs/pictures/${name}.png`);
}

/** @param {string} shop */
async function takeAll(shop) {
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
  try {
    const onPhone = await openPayment(browser, shop, PHONE);
    await take(onPhone.page, 'checkout-phone');
    const onDesktop = await openPayment(browser, shop, DESKTOP);
    await take(onDesktop.page, 'checkout');
    await onDesktop.form.getByLabel('Security code').fill('123');
    await onDesktop.form.getByRole('button', { name: /^Pay/ }).click();
    await onDesktop.page.locator('pay-checkout').getByText('Payment received').first().waitFor();
    await take(onDesktop.page, 'paid');
  } finally {
    await browser.close();
  }
}

const dataDirectory = mkdtempSync(join(tmpdir(), 'pictures-'));
mkdirSync(PICTURES, { recursive: true });
// The stack finds its programs beside itself, so it is the built one that runs here.
const { startStack } = await import(pathToFileURL(join(ROOT, 'demo/dist/stack/stack.js')).href);
const ports = { shop: 0, 'session-server': 0, sandbox: 0 };
const stack = await startStack({ dataDirectory, ports });
try {
  await takeAll(stack.addresses.shop);
} finally {
  await stack.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}
