import { expect, test } from '@playwright/test';

/** Cards of the sandbox: its README lists all of them. */
const APPROVED = '9000000000000001';
const DECLINED = '9000000000000019';

/** The provider's form. The sandbox draws it in a frame; a shadow root is no obstacle to Playwright. */
async function submitCard(page, number) {
  const form = page.frameLocator('pay-checkout iframe');
  await form.getByLabel('Card number').fill(number);
  await form.getByLabel('Expiry date').fill('12/39');
  await form.getByLabel('Security code').fill('123');
  await form.getByLabel('Name on card').fill('Robin Sample');
  await form.getByRole('button', { name: /^Pay/ }).click();
}

test('a declined card can be followed by one that pays', async ({ page }) => {
  await page.goto('/pay/A1001');
  const tag = page.locator('pay-checkout');
  await tag.getByRole('button', { name: 'Pay' }).click();

  await submitCard(page, DECLINED);
  await expect(tag.getByRole('alert')).toContainText('declined');

  await submitCard(page, APPROVED);
  await expect(tag.getByRole('status')).toContainText('Payment received');
  // The page's own answer to `pay-paid`.
  await expect(page.getByText('See you soon!')).toBeVisible();
  const settled = await tag.evaluate(({ whenSettled }) => whenSettled);
  expect(settled).toMatchObject({ outcome: 'paid', certain: true, order: 'A1001' });
});
