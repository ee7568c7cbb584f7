import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveOperatorKey } from '../stack/secrets.js';
import { expectAccessiblePage } from './barriers.js';
import { collectAnswers, collectComplaints } from './complaints.js';
import { Journey } from './journey.js';
import { CARDS } from './shopper.js';

let journey: Journey;
let page: Page;
let complaints: readonly string[];
let answers: readonly Promise<string>[];
/** An order that a shopper has paid, and one that no one has. */
let paid: string;
let open: string;

beforeAll(async () => {
  journey = await Journey.start();
  const shopper = await journey.shopper();
  ({ order: paid } = await shopper.orderAndGoToPayment());
  await shopper.payWith(CARDS.approved);
  await shopper.page.getByText('Payment received').waitFor();
  await shopper.close();
  const other = await journey.shopper();
  ({ order: open } = await other.orderAndGoToPayment());
  await other.form.getByRole('button', { name: /^Pay/ }).waitFor();
  await other.close();
  ({ page } = await journey.shopper());
  complaints = await collectComplaints(page, journey.addresses.dashboard);
  answers = collectAnswers(page);
  await page.goto(journey.addresses.dashboard);
});
afterAll(() => journey.stop());

const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const button = (name: string | RegExp) => page.getByRole('button', { name }).first();

describe('the merchant’s dashboard', () => {
  it('lets the holder of a merchant’s key in, and no operator', async () => {
    await heading('Sign in');
    await expectAccessiblePage(page);
    const key = page.getByLabel('Key');
    await key.fill(deriveOperatorKey(journey.stack.secrets));
    await key.press('Enter');
    await page.getByText('This is no key of a merchant here.').waitFor();
    await key.fill(journey.stack.secrets.merchantApiKey);
    await key.press('Enter');
    await heading('Orders');
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(stored).toBe('[{},{}]');
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  it('lists the orders of a state and of today, and saves them as a file', async () => {
    await page.getByLabel('State').selectOption('paid');
    await button('Show').click();
    await expect.poll(() => page.getByRole('link', { name: open }).count()).toBe(0);
    await page.getByRole('link', { name: paid }).waitFor();
    await expectAccessiblePage(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button('Download CSV').click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^"${paid}","paid","true"`));
    await page.getByLabel('From').fill('2025-01-01');
    await page.getByLabel('To').fill('2025-01-02');
    await button('Show').click();
    await page.getByText('No order matches.').waitFor();
  });

  it('says what happened to an order, and sends its event again', async () => {
    await page.getByRole('searchbox').fill(paid.slice(0, -1));
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: paid, exact: true }).click();
    await heading(`Order ${paid}`);
    const story = page.locator('.timeline');
    await story.getByText('The order is paid. This is certain.').waitFor();
    await story.getByText(/^Your receiver took the event checkout.paid/).waitFor();
    await expectAccessiblePage(page);
    await button(`Send again: checkout.paid of ${paid}`).click();
    await page.getByText('The event is being sent again, with the same id.').waitFor();
    await page.getByText(/^2: 2\d\d$/).waitFor();
  });

  it('makes a payment link with its QR code, which opens the hosted page', async () => {
    await page.goto(`${journey.addresses.dashboard}/#/orders/${open}`);
    await heading(`Order ${open}`);
    await button('Make a payment link').click();
    await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor();
    await expectAccessiblePage(page);
    const payUrl = (await page.locator('.pay-link code').textContent()) ?? '';
    const { page: shopper } = await journey.shopper();
    await shopper.goto(payUrl);
    await shopper.getByText(open).first().waitFor();
    await shopper.context().close();
  });

  it('sends a test event, which the shop takes', async () => {
    await page.getByRole('link', { name: 'Events' }).click();
    await heading('Events');
    await button('Send a test event').click();
    await page.getByText(/✓ It answered 2\d\d\./).waitFor();
    await expectAccessiblePage(page);
  });

  it('shows the snippets with its values, and makes a signing secret beside the old one', async () => {
    await page.getByRole('link', { name: 'Setup' }).click();
    await heading('Setup');
    const { merchant } = journey.stack;
    await page.getByText(`<pay-checkout merchant="${merchant}"`).waitFor();
    const sdk = `${journey.addresses.sandbox}/sdk/`;
    await page.getByText(`<link rel="preload" as="script" href="${sdk}`).waitFor();
    await button('New signing secret …').click();
    await expectAccessiblePage(page);
    await button('Make it').click();
    await page.getByText('Copy it now: it is not shown again.').waitFor();
    await page.getByText(/whsec_/).waitFor();
    const rows = page.getByRole('table', { name: 'signing secret' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    await expectAccessiblePage(page);
    await button('Send a test event').click();
    await page.getByText(/✓ It answered 2\d\d\./).waitFor();
  });

  it('signs out, was sent no secret that it had not made, and broke no policy', async () => {
    await button('Sign out').click();
    await heading('Sign in');
    const text = (await Promise.all(answers)).join('\n');
    expect(text).toContain(paid);
    const { providerApiKey, merchantApiKey, orderTokenSecret, signingSecret } =
      journey.stack.secrets;
    for (const secret of [providerApiKey, merchantApiKey, orderTokenSecret, signingSecret]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/Robin|robin@|Sample Street/);
    expect(complaints).toEqual([]);
  });
});
