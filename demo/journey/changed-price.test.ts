import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID } from './shopper.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

describe('a shop that gives an order another price while its form is open', () => {
  it('is told that the older price was paid, and does not take the order for paid', async () => {
    const shopper = await journey.shopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    journey.changePrice(order, 4321);
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.form.getByLabel('Card number').waitFor();
    await second.reads('£43.21');
    await shopper.payWith(CARDS.approved);
    // The tab that paid names the price that it paid.
    await shopper.reads(PAID);
    await shopper.reads('£22.45');

    const readAttention = async (): Promise<readonly string[]> =>
      (await shopper.orderView(order)).attention;
    await expect.poll(readAttention).toEqual(['superseded_paid']);
    const view = await shopper.orderView(order);
    expect(view).toMatchObject({ state: 'awaiting_payment', amount: '43.21' });
    expect(new Set(view.timeline.map(({ effect }) => effect))).toEqual(new Set(['amount_differs']));
    expect((await journey.orderAtServer(order)).checkouts).toMatchObject([
      { state: 'paid', amount: '22.45', attention: ['superseded_paid'] },
      { state: 'open', amount: '43.21', attention: [], transactions: [] },
    ]);

    // Nobody opens another session for it.
    const third = await shopper.tab();
    await third.goToPayment(order);
    await third.reads(PAID);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(2);
    await shopper.close();
  });
});
