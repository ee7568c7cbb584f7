import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID, type Shopper } from './shopper.js';

declare global {
  interface Window {
    /** For each time that the page was shown, whether the browser had kept it. */
    shown?: boolean[];
  }
}

/** With why the browser did not keep the page, for whoever reads the failure. */
type NavigationEntry = PerformanceNavigationTiming & { readonly notRestoredReasons?: unknown };

const PATIENCE = { timeout: 12_000 };

let journey: Journey;
beforeAll(async () => {
  journey = await Journey.start({}, { keepsPages: true });
});
afterAll(() => journey.stop());

async function watchfulShopper(): Promise<Shopper> {
  const shopper = await journey.shopper();
  await shopper.page.addInitScript(() => {
    const shown: boolean[] = (window.shown = []);
    addEventListener('pageshow', ({ persisted }) => shown.push(persisted));
  });
  return shopper;
}

/** Goes back as the button does. It begins after the call: what leaves a page answers nobody in it. */
async function goBack({ page }: Shopper, steps = 1): Promise<void> {
  await page.evaluate((count) => void setTimeout(() => history.go(-count)), steps);
}

/** Goes back, and proves that the browser had kept the page: nothing of ours prevented it. */
async function goBackToKeptPage(shopper: Shopper, steps = 1): Promise<void> {
  const { page } = shopper;
  await goBack(shopper, steps);
  await page.waitForURL(`${journey.addresses.shop}/pay?**`, { waitUntil: 'commit' });
  const readShown = (): Promise<unknown> =>
    page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation') as NavigationEntry[];
      return {
        isKept: window.shown?.at(-1),
        why: JSON.stringify(entry?.notRestoredReasons ?? null),
      };
    });
  await expect.poll(readShown, PATIENCE).toMatchObject({ isKept: true });
}

/** What the element of a kept page shows; a driver of browsers loses sight of its frames and roots. */
async function look({
  page,
}: Shopper): Promise<{ phase: string; words: string; frames: string[] }> {
  return page.evaluate(() => {
    const tag = document.querySelector('pay-checkout');
    const frames = [...document.querySelectorAll('pay-checkout iframe')];
    return {
      phase: ['ready', 'confirming', 'paid'].find((name) => tag?.matches(`:state(${name})`)) ?? '',
      words: tag?.shadowRoot?.textContent ?? '',
      frames: frames.map((frame) => (frame.hasAttribute('data-kept') ? 'kept' : 'new')),
    };
  });
}

describe('Back to a page that the browser kept', () => {
  it('from the hosted page: the element is usable again, has asked the server, and leaves only when told', async () => {
    const shopper = await watchfulShopper();
    const { order } = await shopper.orderAndGoToPayment('redirect');
    await shopper.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.form.getByLabel('Card number').waitFor();
    const asked = shopper.page.waitForRequest(`${journey.addresses.pay}/v1/checkouts`);
    await goBackToKeptPage(shopper);
    expect((await asked).method()).toBe('POST');
    await shopper.button('Pay').waitFor();
    expect(shopper.page.url()).toContain(`${journey.addresses.shop}/pay`);
    await shopper.button('Pay').click();
    await shopper.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await shopper.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await shopper.close();
  });

  it('after paying on the hosted page says paid, and offers no payment', async () => {
    const shopper = await watchfulShopper();
    const { order } = await shopper.orderAndGoToPayment('redirect');
    await shopper.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await shopper.page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    await goBackToKeptPage(shopper, 2);
    await shopper.reads(PAID);
    expect(await shopper.button(/./).count()).toBe(0);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('while the form is open keeps the form, and learns what happens in another tab', async () => {
    const shopper = await watchfulShopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await shopper.page.evaluate(() => {
      document.querySelector('pay-checkout iframe')?.setAttribute('data-kept', '');
    });
    await shopper.page.goto(`${journey.addresses.shop}/`);
    await goBackToKeptPage(shopper);
    expect(await look(shopper)).toMatchObject({ phase: 'ready', frames: ['kept'] });
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.payWith(CARDS.approved);
    await second.reads(PAID);
    await expect.poll(() => look(shopper), PATIENCE).toMatchObject({ phase: 'paid', frames: [] });
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await shopper.close();
  });

  it('learns what happened in another tab meanwhile', async () => {
    const shopper = await watchfulShopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await shopper.page.goto(`${journey.addresses.shop}/`);
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.payWith(CARDS.approved);
    await second.reads(PAID);
    await goBackToKeptPage(shopper);
    await expect.poll(() => look(shopper), PATIENCE).toMatchObject({ phase: 'paid', frames: [] });
    expect((await look(shopper)).words).toContain(PAID);
    await shopper.close();
  });
});

describe('Back to a page that the browser loads again', () => {
  it('never leaves for the payment page by itself a second time', async () => {
    const shopper = await journey.shopper();
    const placed = await shopper.order();
    await shopper.goToBarePage({
      merchant: journey.stack.merchant,
      order: placed.order,
      'order-token': placed.orderToken,
      mode: 'redirect',
      autostart: '',
    });
    const { page } = shopper;
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.form.getByLabel('Card number').waitFor();
    await goBack(shopper);
    await page.waitForURL(`${journey.addresses.shop}/bare?**`);
    await shopper.button('Pay').waitFor();
    expect(
      await page.evaluate(() =>
        performance
          .getEntriesByType('navigation')
          .map((entry) => (entry as PerformanceNavigationTiming).type),
      ),
    ).toEqual(['back_forward']);
    await shopper.button('Pay').click();
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.close();
  });
});
