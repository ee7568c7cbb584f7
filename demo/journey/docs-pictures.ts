/**
 * `npm run pictures:docs`: takes the pictures of the documents: both shops, the drawer, the sandbox, the
 * console and the operator's page, on a desktop in light and on a phone in dark. They are committed; take
 * them again when one of these changes visibly.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveOperatorKey } from '../stack/secrets.js';
import { Journey } from './journey.js';
import { CARDS, ONE_COFFEE, placeOrder, Shopper } from './shopper.js';

const PICTURES = join(import.meta.dirname, '../../docs/pictures');
/** What all of them may weigh: they are in every clone. */
const MAX_BYTES = 600_000;
const QUALITY = 0.8;

const DEVICES = [
  ['', { viewport: { width: 1120, height: 960 }, colorScheme: 'light' }],
  ['-phone', { viewport: { width: 390, height: 900 }, colorScheme: 'dark' }],
] as const;

/** The picture as WebP, which the browser makes, on a page of no site: a policy would refuse the picture. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
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

describe('the pictures of the documents', () => {
  let journey: Journey;
  let converter: Page;
  beforeAll(async () => {
    journey = await Journey.start({ isWhole: true });
    converter = await journey.browser.newPage();
    mkdirSync(PICTURES, { recursive: true });
    for (const file of readdirSync(PICTURES)) rmSync(join(PICTURES, file));
  });
  afterAll(() => journey.stop());

  it.each(DEVICES)('are taken%s', async (suffix, device) => {
    const { addresses, merchant, secrets } = journey.stack;
    const { shop, roastery, pay, sandbox, console: partner, operator } = addresses;
    const page = await journey.browser.newPage({ ...device, reducedMotion: 'reduce' });
    const shopper = new Shopper(page, addresses);
    const take = async (name: string): Promise<void> => {
      await page.evaluate('document.fonts.ready.then(() => scrollTo(0, 0))');
      const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      writeFileSync(join(PICTURES, `${name}${suffix}.webp`), await toWebp(converter, png));
    };

    await page.goto(shop);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await take('shop');

    const { order } = await shopper.orderAndGoToPayment();
    await shopper.fillCard(CARDS.approved);
    await take('checkout');

    await page.getByText('Break things').click();
    await page.getByLabel('Scenario').selectOption('approved');
    await page.getByRole('button', { name: 'Play' }).first().click();
    await page.locator('[data-panel=shop]').getByText('checkout.paid: paid').waitFor();
    await page.locator('[data-panel=server]').getByText('acknowledged').waitFor();
    await take('break-things');

    await page.goto(operator);
    await page.getByLabel('Key').fill(deriveOperatorKey(secrets));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('searchbox').fill(order);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: order, exact: true }).click();
    await page.locator('.timeline').getByText('Checkout: ').first().waitFor();
    await take('operator');

    const { orderToken } = await shopper.order();
    await page.goto(`${pay}/v1/pay/${merchant}/${orderToken}`);
    await shopper.fillCard(CARDS.approved);
    await take('hosted');

    await page.goto(roastery);
    const coffee = await page.evaluate(placeOrder, ONE_COFFEE);
    await page.goto(`${roastery}/pay?order=${coffee.order}`);
    await shopper.form.getByLabel('رقم البطاقة').waitFor();
    await take('roastery');

    await page.goto(`${sandbox}/#/sessions?search=${order}.`);
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByText('approved').first().waitFor();
    await take('sandbox');

    await page.goto(partner);
    await page.locator('.chart').first().waitFor();
    await take('console');
    await page.close();
  });

  it('are small enough for every clone to have them', () => {
    const sizes = readdirSync(PICTURES).map((file) => statSync(join(PICTURES, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
  });
});
