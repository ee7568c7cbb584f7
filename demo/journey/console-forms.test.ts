/** What a person has done in the partner console: the forms that change something. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleJourney } from './console-journey.js';
import { CARDS } from './shopper.js';

let journey: ConsoleJourney;
let page: Page;

beforeAll(async () => {
  journey = await ConsoleJourney.start();
  ({ page } = journey);
});
afterAll(() => journey.stop());

/** By the keyboard: a mouse may miss a button below while the page scrolls to it. */
function press(name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).press('Enter');
}

function field(name: string): Locator {
  return page.locator(`[name="${name}"]`);
}

/** Waits for the example, which needs the merchants of the console first. */
async function fillInExample(): Promise<void> {
  await press('Fill in an example');
  await page.locator('#Amount:focus').waitFor();
}

describe('a checkout session', () => {
  it('shows what its split comes to, exactly, while it is typed', async () => {
    await journey.open('checkout-session');
    await fillInExample();
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
    await journey.open('checkout-session');
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
    await journey.open('checkout-session');
    await fillInExample();
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
    await shop.getByRole('link', { name: reference }).waitFor();
    await shop.close();
  });

  it('may have been created, when a person stops waiting for the answer', async () => {
    await journey.open('checkout-session');
    await fillInExample();
    await journey.sandbox.holdNext('create-session');
    await press('Create the session');
    await press('Stop waiting');
    await page.getByRole('heading', { name: 'Unknown: it may have happened.' }).waitFor();
    await journey.sandbox.releaseFaults();
  });

  it('is refused at each field that cannot be read, in rows too', async () => {
    await journey.open('checkout-session');
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

describe('the other forms', () => {
  it('change a report schedule, and say when it runs next', async () => {
    await journey.open('reports');
    await field('id').fill('sch_1001_daily');
    await press('Change the schedule');
    await page.locator('.problems li').first().waitFor();
    await field('status').fill('active');
    await press('Change the schedule');
    await page.getByRole('heading', { name: 'Schedule changed' }).waitFor();
    expect(await page.locator('article dt').first().isVisible()).toBe(true);
    expect(await page.locator('article').innerText()).toContain('Next run');
    const report = page.locator('article').getByRole('link', { name: /\.csv$/ });
    expect((await page.request.get((await report.getAttribute('href'))!)).status()).toBe(200);
    expect(await page.getByText('reports@').first().isVisible()).toBe(true);
    expect(await page.getByText('Reseller id').isVisible()).toBe(false);
    await page.getByText('Other fields').click();
    expect(await page.getByText('Reseller id').isVisible()).toBe(true);
  });

  it('send any action about a signup link, and show what the provider says to it', async () => {
    await journey.open('signup-links');
    await field('merchantId').fill('1001');
    await press('Send the action');
    await page.getByRole('heading', { name: 'The provider says' }).waitFor();
    await field('action').fill('archive');
    await press('Send the action');
    await page.getByRole('heading', { name: 'The provider refused this.' }).waitFor();
  });

  it('put a transfer’s schedule into words, and read transfers with a body', async () => {
    await journey.open('transfers?mid=1001&timezone=Asia/Tokyo');
    const row = page.locator('#result tbody tr').first();
    await row.getByText('At 06:30, Monday through Friday').waitFor();
    expect(await row.locator('.runs li').allTextContents()).toHaveLength(3);
    expect(await row.locator('.runs li').first().textContent()).toMatch(/06:30 GMT\+09:00$/);
    await page.getByText('Send a body with the request').click();
    await field('request_id').fill('r1');
    await press('Add a transfer');
    await field('data.0.schedule').fill('0 6 * * *');
    const words = page.locator('#schedule-words');
    await words.getByText('Transfer 1: At 06:00').waitFor();
    expect(await words.locator('.runs li').allTextContents()).toHaveLength(3);
    await field('data.0.schedule').fill('each morning');
    await words.getByText('not a cron expression').waitFor();
    await field('data.0.schedule').fill('0 6 * * *');
    await press('Read with this body');
    await page.getByRole('heading', { name: 'The provider’s answer to this body' }).waitFor();
    expect(await journey.sandbox.framingsOf('scheduled-transfers')).toEqual(['none', 'length']);
  });

  it('have not made the browser complain', () => {
    expect(journey.complaints).toEqual([]);
  });
});
