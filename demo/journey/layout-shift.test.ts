import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { GOOD_CLS, layoutShiftOf } from './layout-shift.js';
import { isFirefox } from './patience.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

describe.skipIf(isFirefox)('on a phone', () => {
  it('the pages of a payment stay where they are while they load', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    expect(await layoutShiftOf(page)).toBeLessThan(GOOD_CLS);
    await page.goto(`${journey.addresses.shop}/order?order=${order}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await layoutShiftOf(page)).toBeLessThan(GOOD_CLS);
    const { orderToken } = await shopper.order();
    await page.goto(`${journey.addresses.pay}/v1/pay/${journey.stack.merchant}/${orderToken}`);
    await shopper.form.getByLabel('Card number').waitFor();
    expect(await layoutShiftOf(page)).toBeLessThan(GOOD_CLS);
    await shopper.close();
  });
});
