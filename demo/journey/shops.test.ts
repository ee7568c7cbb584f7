import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoBarriers } from './barriers.js';
import { Journey } from './journey.js';
import { isFirefox } from './patience.js';
import { CARDS, ONE_COFFEE, placeOrder, PAID } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({ isWhole: true });
});
afterAll(() => journey.stop());

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

describe('the second shop', () => {
  it('sells in Arabic, from right to left, with three decimals and its own split', async () => {
    const { addresses, sandbox } = journey;
    const shopper = await journey.shopper();
    const { page } = shopper;
    await page.goto(addresses.roastery);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await page.getByRole('button', { name: 'أضف إلى السلة: ظهيرة الهيل' }).click();
    await page.getByRole('link', { name: 'شاهد السلة' }).click();
    await page.getByRole('link', { name: 'إتمام الطلب' }).click();
    await page.getByRole('button', { name: 'تابع إلى الدفع' }).click();
    await page.getByRole('link', { name: 'أدخل الاسم الأول' }).waitFor();
    await page.getByLabel('الاسم الأول').fill('Robin');
    await page.getByLabel('اسم العائلة').fill('Sample');
    await page.getByLabel('البريد الإلكتروني').fill('robin@example.test');
    await page.getByLabel('السطر الأول من العنوان').fill('Flat 3, 12 Sample Street');
    await page.getByLabel('المدينة').fill('Sampleton');
    await page.getByLabel('الرمز البريدي').fill('BS1 4ST');
    await page.getByRole('button', { name: 'تابع إلى الدفع' }).click();
    await page.getByRole('link', { name: 'أدخل الرمز البريدي كاملًا مثل 13001' }).waitFor();
    await page.getByLabel('الرمز البريدي').fill('13001');
    await page.getByRole('button', { name: 'تابع إلى الدفع' }).click();
    await page.waitForURL('**/pay?order=R*');
    await shopper.form.getByLabel('رقم البطاقة').fill(CARDS.approved);
    const order = new URL(page.url()).searchParams.get('order') ?? '';
    const [session] = await sandbox.sessionsOf(order);
    expect(session).toMatchObject({ merchant_id: 1006, Amount: '4.625' });
    const fees = await sandbox.splitFeesOf(session?.session_id ?? '');
    expect(fees).toMatchObject([{ partner_merchant_id: 503, value: 0.185, value_type: 'amount' }]);

    await shopper.form.getByLabel('تاريخ الانتهاء').fill('12/39');
    await shopper.form.getByLabel('رمز الأمان').fill('123');
    await shopper.form.getByLabel('الاسم على البطاقة').fill('Robin Sample');
    await shopper.form.getByRole('button', { name: /^ادفع/ }).click();
    await page.locator('pay-checkout').getByText('تم استلام').first().waitFor();
    await page.getByText('جرّب الأعطال').click();
    await panel(page, 'server').getByText('→ paid').waitFor();
    await panel(page, 'shop').getByText('checkout.paid: paid').waitFor();
    await expectUsableDrawer(page, 'the second shop');
    await page.getByRole('link', { name: 'اعرض طلبك' }).click();
    await page.getByText('شكرًا لك يا Robin. سنرسل قهوتك اليوم.').waitFor();
    await page.getByText('وصلت دفعتك. بدأنا التجهيز.').waitFor();
    expect(await page.locator('[data-basket-link]').innerText()).toBe('السلة');
    await shopper.close();
  });

  it('takes an order while the session server is down, and offers its payment afterwards', async () => {
    const { roastery } = journey.addresses;
    const shopper = await journey.shopper();
    const { page } = shopper;
    await journey.stack.kill('session-server');
    await page.goto(roastery);
    const { order } = await page.evaluate(placeOrder, ONE_COFFEE);
    await page.goto(`${roastery}/pay?order=${order}`);
    await page.getByText('لا يمكن دفع هذا الطلب الآن.').waitFor();
    expect(await page.locator('pay-checkout').count()).toBe(0);
    await page.getByRole('link', { name: 'اعرض طلبك' }).click();
    await page.getByRole('heading', { name: 'بانتظار الدفع' }).waitFor();
    await journey.stack.restart('session-server');
    await page.getByRole('link', { name: 'إلى الدفع' }).click();
    await shopper.form.getByLabel('رقم البطاقة').waitFor();
    await shopper.close();
  });
});
