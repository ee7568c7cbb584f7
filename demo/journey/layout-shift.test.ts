import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { isFirefox } from './patience.js';

/** What search engines and browsers call good. */
const GOOD_CLS = 0.1;

/** An entry of the browser, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

/** How much of the page has moved without the shopper's doing, with what the next frames show. */
async function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let sum = 0;
    new PerformanceObserver((list) => {
      const shifts = list.getEntries() as LayoutShift[];
      for (const { value, hadRecentInput } of shifts) sum += hadRecentInput ? 0 : value;
    }).observe({ type: 'layout-shift', buffered: true });
    for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
    return sum;
  });
}

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
