/**
 * `npm run pictures:docs`: takes the pictures of the documents: both shops, the drawer, the sandbox, the
 * console and the operator's page, on a desktop in light and on a phone in dark. They are committed; take
 * them again when one of these changes visibly.
 */
/* global atob, btoa, Blob, createImageBitmap, OffscreenCanvas */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ROOT } from './child.mjs';
import { findBrowser } from './browsers.mjs';

const PICTURES = join(ROOT, 'docs/pictures');
/** What all of them may weigh: they are in every clone. */
const MAX_BYTES = 600_000;
const QUALITY = 0.8;

const DEVICES = /** @type {const} */ ({
  '': { viewport: { width: 1120, height: 960 }, colorScheme: 'light' },
  '-phone': { viewport: { width: 390, height: 900 }, colorScheme: 'dark' },
});

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

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {Readonly<Record<'shop' | 'pay' | 'sandbox' | 'console' | 'operator', string>>} Addresses */

/**
 * Orders, and gives the order with its token.
 *
 * @param {Page} page
 * @param {string} shop
 */
async function order(page, shop) {
  await page.goto(shop);
  return page.evaluate(async (body) => {
    const response = await fetch('/api/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return /** @type {{ order: string, orderToken: string }} */ (await response.json());
  }, ORDER);
}

/** @param {Page} page */
async function fillCard(page) {
  const form = page.frameLocator('pay-checkout iframe');
  await form.getByLabel('Card number').fill('9000000000000001');
  await form.getByLabel('Expiry date').fill('12/39');
  const name = form.getByLabel('Name on card');
  await name.fill('Robin Sample');
  await name.blur();
}

/** @param {Page} page */
async function breakThings(page) {
  await page.getByText('Break things').click();
  await page.getByLabel('Scenario').selectOption('approved');
  await page.getByRole('button', { name: 'Play' }).first().click();
  await page.locator('[data-panel=shop]').getByText('checkout.paid: paid').waitFor();
  await page.locator('[data-panel=server]').getByText('acknowledged').waitFor();
}

/**
 * @param {Page} page
 * @param {{ operator: string, key: string, order: string }} at
 */
async function openOperator(page, { operator, key, order: wanted }) {
  await page.goto(operator);
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('searchbox').fill(wanted);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: wanted, exact: true }).click();
  await page.locator('.timeline').getByText('Checkout: ').first().waitFor();
}

/**
 * @param {Page} page
 * @param {Addresses} addresses
 * @param {{ merchant: string, key: string }} known
 * @param {(name: string) => Promise<void>} take
 */
async function takeAll(page, { shop, pay, sandbox, console: partner, operator }, known, take) {
  await page.goto(shop);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await take('shop');

  const placed = await order(page, shop);
  await page.goto(`${shop}/pay?order=${placed.order}`);
  await fillCard(page);
  await take('checkout');
  await breakThings(page);
  await take('break-things');
  await openOperator(page, { operator, key: known.key, order: placed.order });
  await take('operator');

  const other = await order(page, shop);
  await page.goto(`${pay}/v1/pay/${known.merchant}/${other.orderToken}`);
  await fillCard(page);
  await take('hosted');

  await page.goto(`${shop}/roastery`);
  await page.getByRole('button').first().click();
  await page.waitForURL('**/roastery/orders/R-*');
  await page.locator('pay-checkout').getByRole('button').first().click();
  await page.frameLocator('pay-checkout iframe').getByLabel('رقم البطاقة').waitFor();
  await take('roastery');

  await page.goto(`${sandbox}/#/sessions?search=${placed.order}.`);
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByText('approved').first().waitFor();
  await take('sandbox');
  await page.goto(partner);
  await page.locator('.chart').first().waitFor();
  await take('console');
}

/**
 * The picture as WebP, which the browser makes.
 *
 * @param {Page} page - Of no site: a policy would refuse the picture.
 * @param {Buffer} png
 */
async function toWebp(page, png) {
  const encoded = await page.evaluate(
    async ({ base64, quality }) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
      return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
    },
    { base64: png.toString('base64'), quality: QUALITY },
  );
  return Buffer.from(encoded, 'base64');
}

/**
 * @param {Addresses} addresses
 * @param {{ merchant: string, key: string }} known
 */
async function takeOnEachDevice(addresses, known) {
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
  let total = 0;
  try {
    const converter = await browser.newPage();
    for (const [suffix, device] of Object.entries(DEVICES)) {
      const page = await browser.newPage({ ...device, reducedMotion: 'reduce' });
      await takeAll(page, addresses, known, async (name) => {
        await page.evaluate('document.fonts.ready.then(() => scrollTo(0, 0))');
        const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
        const webp = await toWebp(converter, png);
        total += webp.length;
        writeFileSync(join(PICTURES, `${name}${suffix}.webp`), webp);
        console.log(`docs/pictures/${name}${suffix}.webp  ${String(webp.length)} bytes`);
      });
      await page.close();
    }
  } finally {
    await browser.close();
  }
  console.log(`${String(total)} bytes in all`);
  if (total > MAX_BYTES)
    throw new Error(`The pictures weigh more than ${String(MAX_BYTES)} bytes.`);
}

const dataDirectory = mkdtempSync(join(tmpdir(), 'pictures-'));
mkdirSync(PICTURES, { recursive: true });
for (const file of readdirSync(PICTURES)) rmSync(join(PICTURES, file));
// The stack finds its programs beside itself, so it is the built one that runs here.
const { startStack } = await import(pathToFileURL(join(ROOT, 'demo/dist/stack/stack.js')).href);
const ports = { shop: 0, 'session-server': 0, sandbox: 0, console: 0, operator: 0 };
const stack = await startStack({ dataDirectory, ports, hasConsole: true });
try {
  const { deriveOperatorKey } = await import(
    pathToFileURL(join(ROOT, 'demo/dist/stack/secrets.js')).href
  );
  const { addresses, merchant, secrets } = stack;
  await takeOnEachDevice(addresses, { merchant, key: deriveOperatorKey(secrets) });
} finally {
  await stack.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}
