import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID, type Shopper } from './shopper.js';
import { StrictPage } from './strict-page.js';

const LINK = { name: 'Pay on the payment page' };

let journey: Journey;
let shopper: Shopper;
beforeAll(async () => {
  journey = await Journey.start();
});
beforeEach(async () => {
  shopper = await journey.shopper();
});
afterEach(() => shopper.close());
afterAll(() => journey.stop());

describe('a page where our script is blocked', () => {
  it('shows the link inside the tag, and the shopper pays on the hosted page', async () => {
    await StrictPage.open(shopper, journey, {}, `default-src 'none'`);
    const { page } = shopper;
    expect(await page.evaluate(() => customElements.get('pay-checkout') === undefined)).toBe(true);
    await page.getByRole('link', LINK).click();
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
  });

  it('and a page where it runs hides the link, from screen readers too', async () => {
    await StrictPage.open(shopper, journey);
    await shopper.button('Pay').waitFor();
    expect(await shopper.page.getByRole('link', LINK).count()).toBe(0);
    expect(await shopper.page.getByText(LINK.name).isVisible()).toBe(false);
  });
});
