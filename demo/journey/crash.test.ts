import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID } from './shopper.js';

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
    expect(attempts.map(({ status }) => status)).toEqual(['unknown', 'exposed']);
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
    await expect
      .poll(async () => (await shopper.orderView(order)).state, { timeout: 50_000 })
      .toBe('paid');
    await shopper.close();
  }, 60_000);
});
