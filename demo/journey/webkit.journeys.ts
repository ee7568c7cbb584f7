import { signOrderToken } from '@pay-checkout/session-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Servers, startServers } from './servers.js';
import { CARDS, CONFIRMING, PAID } from './shopper.js';
import { WebKitShopper } from './webkit-shopper.js';

let servers: Servers;
beforeAll(async () => {
  // Long enough for a slow machine to show what is said before it ends.
  servers = new Servers(await startServers({ tuning: { settleWindowSeconds: 6 } }));
});
afterAll(() => servers.stop());

let shopper: WebKitShopper;
beforeEach(async () => {
  shopper = await WebKitShopper.start(servers.addresses);
});
afterEach(() => shopper.stop());

describe('a shopper in WebKit', () => {
  it('fills a basket, orders, pays, and the shop knows that the order is paid', async () => {
    await shopper.goTo(`${servers.addresses.shop}/`);
    await shopper.press('Add to basket');
    await shopper.reload();
    await shopper.press('Basket');
    await shopper.press('Checkout');
    await shopper.fill('First name', 'Robin');
    await shopper.fill('Last name', 'Sample');
    await shopper.fill('Email', 'robin@example.test');
    await shopper.fill('Address line 1', 'Flat 3, 12 Sample Street');
    await shopper.fill('Town or city', 'Sampleton');
    await shopper.fill('Postcode', 'ZZ1 1ZZ');
    await shopper.press('Continue to payment');
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await shopper.press('See your order');
    await shopper.arrivesAt('/order?order=');
    const order = await shopper.run(() => new URL(location.href).searchParams.get('order') ?? '');
    await servers.expectPaid(shopper, order);
  });

  it('pays after a 3-D Secure challenge', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.payWith(CARDS.challenged);
    await shopper.enterCode('1234');
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
  });

  it('whose card is declined pays with another card, in the same session', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.payWith(CARDS.declined);
    await shopper.reads('The payment was declined. Please check the card or try another card.');
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
    expect(await servers.sandbox.sessionsOf(order)).toHaveLength(1);
  });

  it('who comes back by the cancel link can pay after all, in the same session', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.press('Cancel', 'form');
    await shopper.reads('You left the payment form. You can try again.');
    expect((await servers.orderAtServer(order)).state).toBe('cancelled');
    await shopper.press('Pay');
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
    expect(await servers.sandbox.sessionsOf(order)).toHaveLength(1);
  });

  it('who comes back by the back link reads so, and the order is not paid', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.press('Back to the shop', 'form');
    await shopper.reads('You left the payment form. You can try again.');
    expect((await servers.orderAtServer(order)).state).toBe('left');
    expect((await shopper.orderView(order)).state).toBe('awaiting_payment');
  });

  it('who types the return address reads confirming, then that it could not be confirmed', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.sees('Card number', 'form');
    const [session] = await servers.sandbox.sessionsOf(order);
    await shopper.goTo(session?.RedirectUrl ?? '');
    await shopper.arrivesAt(`${servers.addresses.shop}/result?`);
    await shopper.reads(CONFIRMING);
    await shopper.reads('We do not know yet if your payment went through.');
    expect((await servers.orderAtServer(order)).state).toBe('unconfirmed');
    expect((await shopper.orderView(order)).state).toBe('awaiting_payment');
    expect(await shopper.buttons()).not.toContain('Pay');
  });

  it('who pays in a window comes back to the page, and the window closes itself', async () => {
    const { order, orderToken } = await shopper.order();
    const { merchant } = servers.stack;
    await shopper.goToBarePage({ merchant, order, 'order-token': orderToken, mode: 'popup' });
    const popup = await shopper.window(() => shopper.press('Pay'));
    await popup.arrivesAt(`${servers.addresses.pay}/v1/pay/`);
    await shopper.reads('Please pay in the other window.');
    await popup.payWith(CARDS.approved);
    await expect.poll(() => popup.isClosed()).toBe(true);
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
    expect(await servers.sandbox.sessionsOf(order)).toHaveLength(1);
  });

  it('who closes the window too early pays in another one, in the same session', async () => {
    const { order, orderToken } = await shopper.order();
    const { merchant } = servers.stack;
    await shopper.goToBarePage({ merchant, order, 'order-token': orderToken, mode: 'popup' });
    const closed = await shopper.window(() => shopper.press('Pay'));
    await closed.sees('Card number', 'form');
    await closed.closeWindow();
    const popup = await shopper.window(() => shopper.press('Pay'));
    await popup.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
    expect(await servers.sandbox.sessionsOf(order)).toHaveLength(1);
  });

  it('pays on the hosted page, and comes back to the shop’s page', async () => {
    const { order } = await shopper.orderAndGoToPayment('redirect');
    await shopper.arrivesAt(`${servers.addresses.pay}/v1/pay/`);
    await shopper.payWith(CARDS.approved);
    await shopper.arrivesAt(`${servers.addresses.shop}/result?`);
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
  });

  it('with a link in Arabic pays from right to left, and nothing is scrolled sideways', async () => {
    const { order } = await shopper.order();
    const { merchant, secrets, addresses } = servers.stack;
    const inAnHour = Math.floor(Date.now() / 1000) + 60 * 60;
    const claim = { merchant, order, expiresAt: inAnHour };
    const token = signOrderToken(secrets.orderTokenSecret, claim);
    await shopper.goTo(`${addresses.pay}/v1/pay/${merchant}/${token}?locale=ar`);
    await shopper.reads('المبلغ');
    await shopper.sees('رقم البطاقة', 'form');
    const layout = await shopper.run(() => {
      const { documentElement: root } = document;
      return { direction: root.dir, sideways: root.scrollWidth - root.clientWidth };
    });
    expect(layout).toEqual({ direction: 'rtl', sideways: 0 });
    await shopper.fill('رقم البطاقة', CARDS.approved, 'form');
    await shopper.fill('تاريخ الانتهاء', '12/39', 'form');
    await shopper.fill('رمز الأمان', '123', 'form');
    await shopper.fill('الاسم على البطاقة', 'Robin Sample', 'form');
    await shopper.press('ادفع', 'form');
    await shopper.reads('تم استلام الدفعة. شكرًا لك.');
    await servers.expectPaid(shopper, order);
  });

  it('with the same order in two windows learns in both of the one payment', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.sees('Card number', 'form');
    const second = await shopper.secondWindow();
    await second.goToPayment(order);
    await second.payWith(CARDS.approved);
    await second.reads(PAID);
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
    expect(await servers.sandbox.sessionsOf(order)).toHaveLength(1);
  });

  it('whose payment is confirmed while the server is gone learns of it without a press', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.fillCard(CARDS.approved);
    await servers.sandbox.holdNext('transactions-list');
    await shopper.press('Pay', 'form');
    await shopper.reads(CONFIRMING);
    await servers.stack.kill('session-server');
    await shopper.reads(CONFIRMING);
    expect(await shopper.buttons()).toEqual([]);
    await servers.sandbox.releaseFaults();
    await servers.stack.restart('session-server');
    await shopper.reads(PAID);
    await servers.expectPaid(shopper, order);
  });
});
