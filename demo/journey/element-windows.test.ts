import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, CONFIRMING, PAID, type Shopper } from './shopper.js';

declare global {
  interface Window {
    /** The outcomes that the element reported to this page. */
    reported?: string[];
  }
}

const UNCONFIRMED = 'We do not know yet if your payment went through.';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({ tuning: { settleWindowSeconds: 2 } });
});
afterAll(() => journey.stop());

/** Records what the element reports to the page, from its first moment. */
async function listen({ page }: Shopper): Promise<void> {
  await page.addInitScript(() => {
    const reported: string[] = (window.reported = []);
    for (const type of ['pay-paid', 'pay-failed', 'pay-error']) {
      addEventListener(type, () => reported.push(type));
    }
  });
}

async function returnAddressOf(order: string): Promise<string> {
  const [session] = await journey.sandbox.sessionsOf(order);
  return session?.RedirectUrl ?? '';
}

describe('a return that happens elsewhere', () => {
  it('in another tab: both tabs say paid, each reports it to its page once', async () => {
    const shopper = await journey.shopper();
    await listen(shopper);
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const address = await returnAddressOf(order);
    await shopper.page.route(address, (route) => route.abort());
    const tried = shopper.page.waitForRequest(address);
    await shopper.payWith(CARDS.approved);
    await tried;
    const second = await shopper.tab();
    await listen(second);
    await second.page.goto(address);
    await second.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await Promise.all([shopper.reads(PAID), second.reads(PAID)]);
    expect(await shopper.page.evaluate(() => window.reported)).toEqual(['pay-paid']);
    expect(await second.page.evaluate(() => window.reported)).toEqual(['pay-paid']);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('in another browser, which has no cookie, no token and no memory: the address is enough', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const address = await returnAddressOf(order);
    await shopper.page.route(address, (route) => route.abort());
    const tried = shopper.page.waitForRequest(address);
    await shopper.payWith(CARDS.approved);
    await tried;
    const checkout = (await journey.orderAtServer(order)).checkouts[0]?.checkout ?? '';
    const stranger = await journey.shopper();
    await stranger.page.goto(address);
    await stranger.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await stranger.reads(PAID);
    await stranger.goToBarePage({ merchant: journey.stack.merchant }, { checkout });
    await stranger.reads(PAID);
    await stranger.reads(`Reference: ${order} · ${checkout.slice(0, 8)}`);
    expect(await stranger.button(/./).count()).toBe(0);
    await stranger.close();
    await shopper.close();
  });

  it('in a window that the page opened: the page polls, and the window closes itself', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const address = await returnAddressOf(order);
    const opened = shopper.page.waitForEvent('popup');
    await shopper.page.evaluate((url) => void window.open(url, 'return'), address);
    const popup = await opened;
    if (!popup.isClosed()) await popup.waitForEvent('close');
    await shopper.reads(/We are checking|We do not know yet/);
    await shopper.reads(UNCONFIRMED);
    expect(await shopper.button(/^Pay/).count()).toBe(0);
    await shopper.close();
  });

  it('in a window of a page whose element loads late: the window keeps sending, and closes itself', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const checkout = (await journey.orderAtServer(order)).checkouts[0]?.checkout ?? '';
    const address = await returnAddressOf(order);
    let comes = (): void => undefined;
    const late = new Promise<void>((resolve) => (comes = resolve));
    await page.route('**/v1/pay-checkout.js', async (route) => {
      await late;
      await route.continue();
    });
    const arrived = shopper.goToBarePage({ merchant: journey.stack.merchant }, { checkout });
    await page.waitForURL(/checkout=/, { waitUntil: 'commit' });
    await page.locator('pay-checkout').waitFor({ state: 'attached' });
    const opened = page.waitForEvent('popup');
    await page.evaluate((url) => void window.open(url, 'return'), address);
    const popup = await opened;
    await popup.locator('body[data-state="waiting"]').waitFor();
    const closed = popup.waitForEvent('close');
    comes();
    await Promise.all([arrived, closed]);
    await shopper.reads(UNCONFIRMED);
    await shopper.close();
  });

  it('in a window of a page with another order: no element answers, and the window offers a link', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const address = await returnAddressOf(order);
    const other = await journey.shopper();
    await other.orderAndGoToPayment();
    await other.form.getByLabel('Card number').waitFor();
    const opened = other.page.waitForEvent('popup');
    await other.page.evaluate((url) => void window.open(url, 'return'), address);
    const popup = await opened;
    await popup.locator('body[data-state="waiting"]').waitFor();
    await popup.getByRole('link', { name: 'Continue to the shop' }).waitFor();
    expect(await other.form.getByLabel('Card number').isVisible()).toBe(true);
    await other.close();
    await shopper.close();
  });
});

describe('two tabs with the same order', () => {
  it('show the same session, and both learn of the one payment', async () => {
    const shopper = await journey.shopper();
    await listen(shopper);
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const second = await shopper.tab();
    await listen(second);
    await second.goToPayment(order);
    await second.payWith(CARDS.approved);
    await Promise.all([shopper.reads(PAID), second.reads(PAID)]);
    expect(await shopper.page.evaluate(() => window.reported)).toEqual(['pay-paid']);
    expect(await second.page.evaluate(() => window.reported)).toEqual(['pay-paid']);
    expect(await shopper.page.locator('pay-checkout iframe').count()).toBe(0);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await shopper.close();
  });

  it('when the tab that asks the server is closed, the other one learns all the same', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.form.getByLabel('Card number').waitFor();
    await shopper.page.close();
    await second.payWith(CARDS.approved);
    await second.reads(PAID);
    await second.close();
  });

  it('that wait say confirming, and neither offers to pay', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.form.getByLabel('Card number').waitFor();
    const third = await shopper.tab();
    await third.page.goto(await returnAddressOf(order));
    for (const tab of [shopper, second]) {
      await tab.reads(new RegExp(`${CONFIRMING}|${UNCONFIRMED}`));
      expect(await tab.button(/^(Pay|Try)/).count()).toBe(0);
    }
    await shopper.close();
  });
});
