/**
 * `npm run pictures:docs`: takes the pictures of the documents, by buying something in the little shop and
 * looking at the order on the operator's page. They are committed; take them again when one of these
 * changes visibly.
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

/**
 * The newest order on the operator's page.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {{ operator: string, key: string, order: string }} at
 * @param {typeof PHONE | typeof DESKTOP} device
 */
async function openOperator(browser, { operator, key, order }, device) {
  const page = await browser.newPage({ ...device, reducedMotion: 'reduce' });
  await page.goto(operator);
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('searchbox').fill(order);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: order, exact: true }).click();
  await page.locator('.timeline').getByText('Checkout: ').first().waitFor();
  return page;
}

/** @param {{ shop: string, operator: string, key: string }} addresses */
async function takeAll({ shop, operator, key }) {
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
    const order = new URL(onDesktop.page.url()).searchParams.get('order') ?? '';
    const at = { operator, key, order };
    await take(await openOperator(browser, at, PHONE), 'operator-phone');
    await take(await openOperator(browser, at, DESKTOP), 'operator');
  } finally {
    await browser.close();
  }
}

const dataDirectory = mkdtempSync(join(tmpdir(), 'pictures-'));
mkdirSync(PICTURES, { recursive: true });
// The stack finds its programs beside itself, so it is the built one that runs here.
const { startStack } = await import(pathToFileURL(join(ROOT, 'demo/dist/stack/stack.js')).href);
const ports = { shop: 0, 'session-server': 0, sandbox: 0, operator: 0 };
const stack = await startStack({ dataDirectory, ports });
try {
  const { deriveOperatorKey } = await import(
    pathToFileURL(join(ROOT, 'demo/dist/stack/secrets.js')).href
  );
  await takeAll({ ...stack.addresses, key: deriveOperatorKey(stack.secrets) });
} finally {
  await stack.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}
