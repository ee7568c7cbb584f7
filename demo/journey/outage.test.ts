import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID, CONFIRMING } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

describe('a session server that is killed', () => {
  it('between /create-session and its answer goes on with a session of its own, and it is paid', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.order();
    await journey.sandbox.holdNext('create-session');
    await shopper.goToPayment(order);
    await expect.poll(() => journey.sandbox.heldCalls()).toBe(1);
    await journey.stack.kill('session-server', 'SIGKILL');
    await journey.sandbox.releaseFaults();
    await journey.stack.restart('session-server');
    const retry = shopper.page.locator('pay-checkout').getByRole('button', { name: 'Try again' });
    await retry.or(shopper.page.locator('pay-checkout iframe')).first().waitFor();
    if (await retry.isVisible()) await retry.click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    const known = await journey.orderAtServer(order);
    const attempts = known.checkouts.flatMap((checkout) => checkout.attempts);
    expect(attempts.map(({ status }) => status)).toEqual(['unknown', 'active']);
    await shopper.close();
  });

  it('while the shopper pays learns of the payment when it is back', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.fillCard(CARDS.approved);
    await journey.stack.kill('session-server', 'SIGKILL');
    await shopper.form.getByRole('button', { name: /^Pay/ }).click();
    await expect.poll(async () => (await journey.sandbox.sessionsOf(order)).length).toBe(1);
    await journey.stack.restart('session-server');
    await shopper.goToPayment(order);
    await expect.poll(async () => (await shopper.orderView(order)).state).toBe('paid');
    await shopper.close();
  });
});

describe('a provider that fails in the shopper’s browser', () => {
  it('by a script that is none, and by a lost answer to the card: the shopper pays once', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.order();
    await journey.sandbox.breakNextScript();
    await journey.sandbox.loseNextPayment();
    await shopper.goToPayment(order);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    expect(await journey.sandbox.queuedFaults()).toBe(0);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });
});

/** The longest pause between two questions to a server that is gone, and time to start it. */
const RECOVERY = { timeout: 40_000 };

describe('a session server that is gone for a while', () => {
  it('while a payment is confirmed: the element keeps its words, and learns the result without a press', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.fillCard(CARDS.approved);
    await journey.sandbox.holdNext('transactions-list');
    await shopper.form.getByRole('button', { name: /^Pay/ }).click();
    await shopper.reads(CONFIRMING);
    const { page } = shopper;
    const refused = (): Promise<unknown> =>
      page.waitForEvent('requestfailed', (request) => request.url().includes('/v1/checkouts?'));
    const firstRefusal = refused();
    await journey.stack.kill('session-server');
    await firstRefusal;
    await refused();
    await shopper.reads(CONFIRMING);
    expect(await shopper.button(/./).count()).toBe(0);
    await shopper.reads(`Reference: ${order}`);
    await journey.sandbox.releaseFaults();
    await journey.stack.restart('session-server');
    await page.locator('pay-checkout').getByText(PAID).waitFor(RECOVERY);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('when the shopper wants to pay: a problem with a reference, and trying again works later', async () => {
    const shopper = await journey.shopper();
    const placed = await shopper.order();
    await shopper.goToBarePage({
      merchant: journey.stack.merchant,
      order: placed.order,
      'order-token': placed.orderToken,
    });
    await shopper.button('Pay').waitFor();
    await journey.stack.kill('session-server');
    await shopper.button('Pay').click();
    await shopper.reads(
      'The payment service cannot be reached. Please check your connection and try again.',
    );
    await shopper.reads('server_unreachable');
    await shopper.reads(`Reference: ${placed.order}`);
    await journey.stack.restart('session-server');
    await shopper.button('Try again').click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, placed.order);
    await shopper.close();
  });
});
