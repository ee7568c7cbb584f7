import { signOrderToken } from '@pay-checkout/session-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({ hasMotion: true });
});
afterAll(() => journey.stop());

describe('a shopper', () => {
  it('fills a basket, orders, pays, and the shop knows that the order is paid', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    await page.goto(`${journey.addresses.shop}/`);
    await page.getByRole('button', { name: 'Add to basket' }).first().click();
    await page.reload();
    await page
      .getByRole('link', { name: /Basket/ })
      .first()
      .click();
    await page.getByRole('link', { name: /Checkout/ }).click();
    await page.getByLabel('First name').fill('Robin');
    await page.getByLabel('Last name').fill('Sample');
    await page.getByLabel('Email').fill('robin@example.test');
    await page.getByLabel('Address line 1').fill('Flat 3, 12 Sample Street');
    await page.getByLabel('Town or city').fill('Sampleton');
    await page.getByLabel('Postcode').fill('ZZ1 1ZZ');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await page.getByRole('link', { name: 'See your order' }).click();
    await page.getByRole('heading', { name: /paid/i }).waitFor();
    const order = new URL(page.url()).searchParams.get('order') ?? '';
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('pays after a 3-D Secure challenge', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.payWith(CARDS.challenged);
    await shopper.enterCode('1234');
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('whose card is declined pays with another card, in the same session', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await journey.payAfterDecline(shopper, order);
    await shopper.close();
  });

  it('pays on the hosted page, and comes back to the shop’s page', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment('redirect');
    const { page } = shopper;
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('with only a link from the shop pays in a new browser and ends on the shop’s page', async () => {
    const buyer = await journey.shopper();
    const { order } = await buyer.order();
    const { merchant, secrets, addresses } = journey.stack;
    const inSixWeeks = Math.floor(Date.now() / 1000) + 6 * 7 * 24 * 60 * 60;
    const claim = { merchant, order, expiresAt: inSixWeeks };
    const token = signOrderToken(secrets.orderTokenSecret, claim);
    const shopper = await journey.shopper();
    const { page } = shopper;
    await page.goto(`${addresses.pay}/v1/pay/${merchant}/${token}`);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await page.waitForURL(`${addresses.shop}/result?order=${order}&checkout=**`);
    await shopper.reads(PAID);
    await journey.expectPaid(buyer, order);
    await shopper.close();
    await buyer.close();
  });

  it('with a link and a browser in German pays in German', async () => {
    const buyer = await journey.shopper();
    const { order } = await buyer.order();
    const { merchant, secrets, addresses } = journey.stack;
    const inAnHour = Math.floor(Date.now() / 1000) + 60 * 60;
    const claim = { merchant, order, expiresAt: inAnHour };
    const token = signOrderToken(secrets.orderTokenSecret, claim);
    const shopper = await journey.shopper();
    const { page } = shopper;
    await page.setExtraHTTPHeaders({ 'accept-language': 'de-AT,de;q=0.9' });
    await page.goto(`${addresses.pay}/v1/pay/${merchant}/${token}`);
    await page.getByText(`Bestellung ${order}`).waitFor();
    await shopper.reads('Betrag');
    await shopper.payWith(CARDS.approved);
    await shopper.reads('Zahlung erhalten. Vielen Dank.');
    await journey.expectPaid(buyer, order);
    await shopper.close();
    await buyer.close();
  });

  it('sees and answers a 3-D Secure challenge on the hosted page of a small phone', async () => {
    const shopper = await journey.shopper();
    const { page, form } = shopper;
    await page.setViewportSize({ width: 320, height: 568 });
    const { order } = await shopper.orderAndGoToPayment('redirect');
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.challenged);
    const code = form.getByLabel('Code from your bank');
    await code.waitFor();
    for (const root of [page.locator('html'), form.locator('html')]) {
      expect(await root.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
    }
    for (const control of [code, form.getByRole('button', { name: 'Confirm' })]) {
      await control.scrollIntoViewIfNeeded();
      const box = await control.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(320);
      await control.click({ trial: true });
    }
    await shopper.enterCode('1234');
    await page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('finds the name of the shop where it was when the form of the hosted page comes', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.order();
    const { page } = shopper;
    let comes = (): void => undefined;
    const late = new Promise<void>((resolve) => (comes = resolve));
    await page.route('**/v1/checkouts', async (route) => {
      await late;
      await route.continue();
    });
    await shopper.goToPayment(order, 'redirect');
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await page.getByText('Opening the checkout.').waitFor();
    const heading = page.getByRole('heading', { level: 1 });
    const before = await heading.boundingBox();
    expect(before?.height).toBeGreaterThan(0);
    comes();
    await shopper.form.getByRole('button', { name: /^Pay/ }).waitFor();
    expect((await heading.boundingBox())?.y).toBe(before?.y);
    await shopper.close();
  });

  it('whose form has its script late can press nothing before, and pays once it is there', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.order();
    let comes = (): void => undefined;
    const late = new Promise<void>((resolve) => (comes = resolve));
    await shopper.page.route('**/frame-messages.js', async (route) => {
      await late;
      await route.continue();
    });
    const arrived = shopper.goToPayment(order);
    await shopper.fillCard(CARDS.approved);
    const buttons = await shopper.form.getByRole('button').all();
    expect(await Promise.all(buttons.map((button) => button.isDisabled()))).not.toContain(false);
    comes();
    await arrived;
    await shopper.form.getByRole('button', { name: /^Pay/ }).click();
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('who reloads in the middle goes on in the same session', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.fillCard(CARDS.approved);
    await shopper.page.reload();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await shopper.close();
  });

  it('who reloads after paying reads that it is paid, and is offered no second payment', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.page.reload();
    await shopper.page.getByText(`Order ${order} is paid.`).waitFor();
    expect(await shopper.page.locator('iframe').count()).toBe(0);
    await shopper.close();
  });
});

describe('the pages of the shop', () => {
  it('fit a small phone when its letters are twice as large', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    await page.setViewportSize({ width: 360, height: 740 });
    const { order } = await shopper.order();
    await page.goto(`${journey.addresses.shop}/`);
    await page.locator('[data-add]').first().click();
    for (const path of ['', 'basket', 'checkout', `pay?order=${order}`, `order?order=${order}`]) {
      await page.goto(`${journey.addresses.shop}/${path}`);
      await page.locator('.basket-lines, .totals, [data-add]').first().waitFor();
      const sideways = await page.evaluate(() => {
        const { documentElement: root } = document;
        root.style.fontSize = '200%';
        return root.scrollWidth - root.clientWidth;
      });
      expect({ path, sideways }).toEqual({ path, sideways: 0 });
    }
    await shopper.close();
  });
});

describe('a shop that gives an order another price while its form is open', () => {
  it('learns that the older price was paid, and does not take the order for paid', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    journey.changePrice(order, 4321);
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.form.getByLabel('Card number').waitFor();
    await second.reads('£43.21');
    // The form at the older price goes, and the card that is in it may be taken all the same.
    await shopper.button('Pay').waitFor();
    await shopper.reads('£43.21');
    const [older] = await journey.sandbox.sessionsOf(order);
    await journey.sandbox.pay(older?.session_id ?? '', 'approved');
    await shopper.reads(PAID);
    await second.reads(PAID);

    const readAttention = async (): Promise<readonly string[]> =>
      (await shopper.orderView(order)).attention;
    await expect.poll(readAttention).toEqual(['price_changed']);
    const view = await shopper.orderView(order);
    expect(view).toMatchObject({ state: 'awaiting_payment', amount: '43.21' });
    expect(new Set(view.timeline.map(({ effect }) => effect))).toEqual(new Set(['amount_differs']));
    expect((await journey.orderAtServer(order)).checkouts).toMatchObject([
      { state: 'paid', amount: '22.45', attention: ['price_changed'] },
      { state: 'open', amount: '43.21', attention: [], transactions: [] },
    ]);

    // No other session is created for it.
    const third = await shopper.tab();
    await third.goToPayment(order);
    await third.reads(PAID);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(2);
    await shopper.close();
  });
});
