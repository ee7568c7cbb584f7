import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoBarriers } from './barriers.js';
import { Journey } from './journey.js';
import { isFirefox } from './patience.js';
import { CARDS, PAID } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

/** The order's page, read again: it has no script of its own. */
async function readState(page: Page): Promise<string> {
  await page.reload();
  return page.getByRole('status').first().innerText();
}

/** One of the drawer's panels. */
function panel(page: Page, who: 'shopper' | 'shop' | 'server'): Locator {
  return page.locator(`[data-panel=${who}]`);
}

/** On a window that shows all of it: what is cut, axe cannot judge. */
async function expectUsableDrawer(page: Page, name: string): Promise<void> {
  // One browser is enough for what programs find in a page.
  if (isFirefox) return;
  await page.setViewportSize({ width: 390, height: 3000 });
  await expectNoBarriers(page, name, 'its drawer');
}

describe('the first shop', () => {
  it('plays a fault and a scenario in its drawer, and shows what each of the three sees', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await page.getByText('Break things').click();
    await page.getByLabel('Fault').selectOption('transactions-list error');
    await page.getByRole('button', { name: 'Play' }).last().click();
    await panel(page, 'server').getByText('transactions-list: error').waitFor();
    await page.getByLabel('Scenario').selectOption('approved');
    await page.getByRole('button', { name: 'Play' }).first().click();
    await page.getByText('Played: approved').waitFor();
    await panel(page, 'shopper').getByText(PAID).waitFor();
    await panel(page, 'shopper').getByText('pay-paid').waitFor();
    await panel(page, 'shop').getByText('checkout.paid: paid').waitFor();
    await panel(page, 'server').getByText('Webhook of the provider').waitFor();
    await panel(page, 'server').getByText('→ paid').waitFor();
    // The fault has had its call.
    expect(await panel(page, 'server').getByText('transactions-list: error').count()).toBe(0);
    await expectUsableDrawer(page, 'the shop');
    await shopper.close();
  });

  it('says in its drawer that the shop does not answer, until it does', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    await shopper.orderAndGoToPayment();
    await page.route('**/api/break/**', (route) => route.abort());
    await page.route('**/api/break', (route) => route.abort());
    await page.getByText('Break things').click();
    const silence = page.locator('.break-things').getByText('The shop does not answer.');
    await silence.waitFor();
    await page.unroute('**/api/break');
    await page.getByLabel('Scenario').waitFor();
    await silence.waitFor();
    await page.unroute('**/api/break/**');
    await silence.waitFor({ state: 'hidden' });
    await shopper.close();
  });

  it('sets an attribute of the tag in its drawer', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    await shopper.orderAndGoToPayment();
    await page.getByText('Break things').click();
    await page.getByLabel('Attribute').selectOption('locale de-DE');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByText('Set: locale="de-DE"').waitFor();
    await page.locator('pay-checkout').getByText('Betrag').first().waitFor();
    await shopper.close();
  });

  it('shows a refund on the page of its order', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await page.getByText('Break things').click();
    // So the refund’s webhook is the first one, which the session server polls for at once.
    await page.getByLabel('Scenario').selectOption('webhook-missing');
    await page.getByRole('button', { name: 'Play' }).first().click();
    await shopper.reads(PAID);
    await page.goto(`${journey.addresses.shop}/order?order=${order}`);
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    await page.getByText('Break things').click();
    await page.getByRole('button', { name: 'Refund' }).click();
    await panel(page, 'shop').getByText('refund: full').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Refunded', exact: true }).waitFor();
    await page.getByText('Robin, your money is on its way back to you.').waitFor();
    await page.getByText('Your payment was refunded.').waitFor();
    await shopper.close();
  });
});

describe('the second merchant', () => {
  it('is paid in Arabic, with three decimals and its own split', async () => {
    const { addresses, sandbox } = journey;
    const shopper = await journey.shopper();
    const { page } = shopper;
    await page.goto(`${addresses.shop}/roastery`);
    await page.getByRole('button', { name: 'ظهيرة الهيل' }).click();
    await page.waitForURL('**/roastery/orders/R-*');
    await shopper.button('ادفع').click();
    await page.locator('pay-checkout').getByText('محمصة الغيمة السابعة').waitFor();
    const order = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await shopper.form.getByLabel('رقم البطاقة').fill(CARDS.approved);
    const [session] = await sandbox.sessionsOf(order);
    expect(session).toMatchObject({ merchant_id: 1006, Amount: '4.125' });
    const fees = await sandbox.splitFeesOf(session?.session_id ?? '');
    expect(fees).toMatchObject([{ partner_merchant_id: 503, value: 0.165, value_type: 'amount' }]);

    await shopper.form.getByLabel('تاريخ الانتهاء').fill('12/39');
    await shopper.form.getByLabel('رمز الأمان').fill('123');
    await shopper.form.getByLabel('الاسم على البطاقة').fill('Robin Sample');
    await shopper.form.getByRole('button', { name: /^ادفع/ }).click();
    await page.getByText('تم استلام').first().waitFor();
    await page.getByText('جرّب الأعطال').click();
    await panel(page, 'server').getByText('→ paid').waitFor();
    await expectUsableDrawer(page, 'the roastery');
    await expect.poll(() => readState(page)).toBe('تم الدفع. شكرًا لك، سنرسل قهوتك اليوم.');
    await page.close();
  });
});
