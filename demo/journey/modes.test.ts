import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID, Shopper } from './shopper.js';
import { StrictPage } from './strict-page.js';

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start();
});
afterAll(() => journey.stop());

/** A shopper at a tag of `mode`, with an order. */
async function shopperAt(mode: string): Promise<{ shopper: Shopper; order: string }> {
  const shopper = await journey.shopper();
  const { order, orderToken } = await shopper.order();
  const { merchant } = journey.stack;
  await shopper.goToBarePage({ merchant, order, 'order-token': orderToken, mode });
  return { shopper, order };
}

async function openWindow(shopper: Shopper): Promise<Shopper> {
  const opened = shopper.page.waitForEvent('popup');
  // Exactly so: while a window is open, another button names the payment page.
  await shopper.button(/^Pay$/).click();
  const popup = new Shopper(await opened, journey.addresses);
  await popup.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
  return popup;
}

describe('paying in an overlay', () => {
  it('happens above the page, with a challenge in it, and ends on the page', async () => {
    const { shopper, order } = await shopperAt('overlay');
    await shopper.button('Pay').click();
    await shopper.payWith(CARDS.challenged);
    await shopper.enterCode('1234');
    await shopper.reads(PAID);
    expect(await shopper.page.locator('pay-checkout dialog[open]').count()).toBe(0);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('ends with Escape, and can be taken up again in the same session', async () => {
    const { shopper, order } = await shopperAt('overlay');
    await shopper.button('Pay').click();
    await shopper.form.getByLabel('Card number').waitFor();
    await shopper.button('Close').focus();
    await shopper.page.keyboard.press('Escape');
    await shopper.reads('You cancelled the payment.');
    await shopper.button('Pay').click();
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });
});

describe('paying in a window', () => {
  it('reports to the page that opened it, and closes', async () => {
    const { shopper, order } = await shopperAt('popup');
    const popup = await openWindow(shopper);
    await shopper.reads('Please pay in the window that has opened.');
    await popup.payWith(CARDS.approved);
    await shopper.reads(PAID);
    if (!popup.page.isClosed()) await popup.page.waitForEvent('close');
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('that is closed too early offers to pay again, in the same session', async () => {
    const { shopper, order } = await shopperAt('popup');
    const popup = await openWindow(shopper);
    await popup.form.getByLabel('Card number').waitFor();
    await popup.page.close();
    const again = await openWindow(shopper);
    await again.payWith(CARDS.approved);
    await shopper.reads(PAID);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('that is closed in the moment of paying: the page learns of it all the same', async () => {
    const { shopper, order } = await shopperAt('popup');
    const popup = await openWindow(shopper);
    const sent = popup.page.waitForResponse(
      (response) =>
        response.url().startsWith(journey.addresses.sandbox) &&
        response.request().method() === 'POST',
    );
    await popup.payWith(CARDS.approved);
    await sent;
    await popup.page.close();
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });
});

const LINK = { name: 'Pay on the payment page' };

describe('a page where our script is blocked', () => {
  let shopper: Shopper;
  beforeEach(async () => {
    shopper = await journey.shopper();
  });
  afterEach(() => shopper.close());

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
