import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS } from './shopper.js';

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
    await expect.poll(() => readState(page)).toBe('تم الدفع. شكرًا لك، سنرسل قهوتك اليوم.');
    await page.close();
  });
});
