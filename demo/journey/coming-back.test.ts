import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, CONFIRMING, PAID, RENEWED } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  // Long enough for a slow machine to show what is said before it ends.
  journey = await Journey.start({ tuning: { settleWindowSeconds: 6 } });
});
afterAll(() => journey.stop());

describe('a shopper who comes back without paying', () => {
  it('by the cancel link can pay after all, in the same session', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form
      .getByRole('button', { name: 'Cancel' })
      .or(shopper.form.getByRole('link', { name: 'Cancel' }))
      .click();
    await shopper.reads('You left the payment form. You can try again.');
    expect((await journey.orderAtServer(order)).state).toBe('cancelled');
    await expect.poll(() => journey.sandbox.eventsOf(order)).toEqual(['payment.cancelled']);
    await shopper.page.locator('pay-checkout').getByRole('button', { name: 'Pay' }).click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await shopper.close();
  });

  it('by the back link reads so, and the order is not paid', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form
      .getByRole('button', { name: 'Back to the shop' })
      .or(shopper.form.getByRole('link', { name: 'Back to the shop' }))
      .click();
    await shopper.reads('You left the payment form. You can try again.');
    expect((await journey.orderAtServer(order)).state).toBe('left');
    expect((await shopper.orderView(order)).state).toBe('awaiting_payment');
    await shopper.close();
  });
});

describe('a shopper who comes back while the shop does not answer', () => {
  it('reads so, and not that the order is unknown; trying again goes on', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    const { order } = await shopper.order();
    await page.route('**/api/orders/*', (route) => route.abort());
    await page.goto(`${journey.addresses.shop}/result?order=${order}&kind=cancel`);
    await page.getByText('We could not reach the shop.').waitFor();
    await page.unroute('**/api/orders/*');
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByText('Your order is kept.').waitFor();
    await shopper.button('Pay').waitFor();
    await shopper.close();
  });
});

describe('a redirect address typed by hand', () => {
  it('never makes an order paid: it says confirming, then that it could not be confirmed', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const [session] = await journey.sandbox.sessionsOf(order);
    await shopper.page.goto(session?.RedirectUrl ?? '');
    await shopper.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(CONFIRMING);
    await shopper.reads('We do not know yet if your payment went through.');
    const known = await journey.orderAtServer(order);
    expect(known).toMatchObject({ state: 'unconfirmed', certain: false });
    expect((await shopper.orderView(order)).state).toBe('awaiting_payment');
    expect(
      await shopper.page.locator('pay-checkout').getByRole('button', { name: /^Pay/ }).count(),
    ).toBe(0);
    await shopper.close();
  });
});

describe('a forged webhook', () => {
  it('never makes an order paid', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    const [session] = await journey.sandbox.sessionsOf(order);
    const body = JSON.stringify({ order_id: session?.order_id, status: 'SUCCESS' });
    for (let sent = 0; sent < 5; sent += 1) {
      const { status } = await fetch(session?.WebhookUrl ?? '', { method: 'POST', body });
      expect(status).toBe(204);
    }
    // The poll that these webhooks caused is over once a real payment has been found after it.
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });
});

describe('a shopper whose session ends under a card that was submitted', () => {
  it('gets another form at once, reads why, and pays once', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.payWith(CARDS.expired);
    await shopper.reads(RENEWED);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(2);
    await shopper.close();
  });
});
