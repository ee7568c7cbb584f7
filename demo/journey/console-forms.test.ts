/** What a person has done in the partner console: the forms that change something. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS } from './shopper.js';

let journey: Journey;
let page: Page;

beforeAll(async () => {
  journey = await Journey.start({ hasConsole: true });
  ({ page } = await journey.shopper());
});
afterAll(() => journey.stop());

async function open(path: string): Promise<void> {
  await page.goto(`${journey.addresses.console}/${path}`);
}

/** By the keyboard: a mouse may miss a button below while the page scrolls to it. */
function press(name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).press('Enter');
}

function field(name: string): Locator {
  return page.locator(`[name="${name}"]`);
}

describe('a checkout session', () => {
  it('shows what its split comes to, exactly, while it is typed', async () => {
    await open('checkout-session');
    await press('Fill in an example');
    const total = page.locator('#split-total');
    await field('Amount').fill('0.30');
    await field('SplitFee.0.value').fill('0.1');
    await field('SplitFee.1.value').fill('0.2');
    await expect.poll(() => total.innerText()).toContain('the merchant has 0.00.');
    await press('Add a share');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(
      'SplitFee.2.partner_merchant_id',
    );
    await field('SplitFee.2.value').fill('2.5');
    await field('SplitFee.2.value_type').fill('percent');
    await expect.poll(() => total.innerText()).toContain('Together 0.3075: 0.0075 more than');
    await press('Remove Share 3');
    await expect.poll(() => total.innerText()).toContain('the merchant has 0.00.');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(
      'SplitFee.1.partner_merchant_id',
    );
  });

  it('is given the house number that the address lines say, when a person wants it', async () => {
    await open('checkout-session');
    await field('address1').fill('Flat 2, 14 Larch Road');
    const check = page.locator('#avs-check');
    await expect
      .poll(() => check.innerText())
      .toContain('The address says house number 14, flat 2.');
    await press('Fill in');
    expect(await field('AvsHouseNumber').inputValue()).toBe('14');
    expect(await field('flat').inputValue()).toBe('2');
    await expect.poll(() => check.innerText()).toContain('house number 14 and no postcode');
  });

  it('is created, and paid by its link', async () => {
    await open('checkout-session');
    await press('Fill in an example');
    await field('SplitFee.1.value').fill('99');
    await press('Create the session');
    await page.getByRole('heading', { name: 'The provider refused this.' }).waitFor();
    await field('SplitFee.1.value').fill('0.30');
    await press('Create the session');
    await page.getByRole('heading', { name: 'Checkout session created' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('created');
    const reference = await field('MerchantReference').inputValue();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Pay it' }).click();
    const shop = await opened;
    await shop.getByLabel('Card number').fill(CARDS.approved);
    await shop.getByLabel('Expiry date').fill('12/39');
    await shop.getByLabel('Security code').fill('123');
    await shop.getByLabel('Name on card').fill('Robin Sample');
    await shop.getByRole('button', { name: /^Pay/ }).click();
    await shop.waitForURL(/\/transactions\?q=/);
    await shop.locator('[data-title="Order"]', { hasText: reference }).waitFor();
    await shop.close();
  });

  it('is refused at each field that cannot be read, in rows too', async () => {
    await open('checkout-session');
    await field('merchant_id').fill('x');
    await press('Create the session');
    await page.locator('#order_id[aria-invalid]').waitFor();
    await field('order_id').fill('7');
    await press('Add a share');
    for (const name of ['partner_merchant_id', 'type_id', 'value', 'value_type']) {
      await field(`SplitFee.0.${name}`).fill('many');
    }
    await press('Create the session');
    await page.locator('[id="SplitFee.0.value"][aria-invalid]').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('merchant_id');
    expect(await page.locator('.problems li').count()).toBe(4);
  });
});
