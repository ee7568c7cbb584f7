/** WCAG 2.2 A and AA on each page that is not the element alone, as far as a program can tell. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectContrast, expectNoBarriers } from './barriers.js';
import { Journey } from './journey.js';
import { isFirefox } from './patience.js';
import { Playground } from './playground.js';
import { CARDS, ONE_COFFEE, placeOrder, PAID, type Shopper } from './shopper.js';

let journey: Journey;
let shopper: Shopper;
let page: Page;
beforeAll(async () => {
  journey = await Journey.start({ isWhole: true });
  shopper = await journey.shopper();
  ({ page } = shopper);
});
afterAll(() => journey.stop());

const CONSOLE = [
  ['', '.chart'],
  ['transactions', '.transactions'],
  ['checkout-session', 'form'],
  ['transfers', 'tbody tr'],
  ['reports', 'form'],
  ['signup-links', 'form'],
  ['webhooks', 'form'],
  ['not-there', 'h1'],
] as const;

// One browser is enough for what programs find in a page.
describe.skipIf(isFirefox)('a person with a disability', () => {
  it('can use the shop', async () => {
    const { shop } = journey.addresses;
    for (const path of ['', 'basket', 'not-there']) {
      await page.goto(`${shop}/${path}`);
      await page.locator('h1').waitFor();
      await expectNoBarriers(page, 'the shop', path || 'shelf');
    }
    await page.goto(shop);
    await page.getByRole('button', { name: /^Add/ }).first().click();
    for (const path of ['basket', 'checkout']) {
      await page.goto(`${shop}/${path}`);
      await page.locator('h1').waitFor();
      await expectNoBarriers(page, 'the shop', `${path}, with something in it`);
    }
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await expectNoBarriers(page, 'the shop', 'payment');
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await expectNoBarriers(page, 'the shop', 'paid');
    await page.goto(`${shop}/order?order=${order}`);
    await page.locator('h1').waitFor();
    await expectNoBarriers(page, 'the shop', 'order');
  });

  it('can use the second shop, from right to left', async () => {
    const { roastery } = journey.addresses;
    await page.goto(roastery);
    await expectNoBarriers(page, 'the second shop', 'shelf');
    await page.locator('[data-add]').first().click();
    for (const path of ['basket', 'checkout']) {
      await page.goto(`${roastery}/${path}`);
      await page.locator('h1').waitFor();
      await expectNoBarriers(page, 'the second shop', path);
    }
    await page.locator('button[type=submit]').click();
    await page.locator('.problems').waitFor();
    await expectNoBarriers(page, 'the second shop', 'a form that is not filled in');
    const { order } = await page.evaluate(placeOrder, ONE_COFFEE);
    await page.goto(`${roastery}/order?order=${order}`);
    await page.locator('h1').waitFor();
    await expectNoBarriers(page, 'the second shop', 'order');
  });

  it.each([
    ['en-GB', 'ltr', 'Card number'],
    ['ar', 'rtl', 'رقم البطاقة'],
  ])('can use the hosted page and the return page in %s', async (locale, dir, cardNumber) => {
    const { pay } = journey.addresses;
    const { order, orderToken } = await shopper.order();
    const { merchant } = journey.stack;
    await page.setExtraHTTPHeaders({ 'accept-language': locale });
    const direction = (): Promise<string> => page.evaluate(() => document.documentElement.dir);

    await page.goto(`${pay}/v1/pay/${merchant}/X${orderToken}`);
    expect(await direction()).toBe(dir);
    await expectNoBarriers(page, 'the hosted page', `a link that is not valid, ${locale}`);

    await page.goto(`${pay}/v1/pay/${merchant}/${orderToken}`);
    expect(await direction()).toBe(dir);
    await shopper.form.getByLabel(cardNumber).waitFor();
    await expectNoBarriers(page, 'the hosted page', `with its form, ${locale}`);

    // Its script would lead on to the shop at once.
    await page.route('**/v1/assets/return.js', (route) => route.abort());
    const [session] = await journey.sandbox.sessionsOf(order);
    await page.goto(session?.CancelUrl ?? '');
    expect(await direction()).toBe(dir);
    await expectNoBarriers(page, 'the return page', `cancelled, ${locale}`);
    await page.unroute('**/v1/assets/return.js');
    await page.goto(`${pay}/v1/return/nothing`);
    await expectNoBarriers(page, 'the return page', `an unknown address, ${locale}`);
    await page.setExtraHTTPHeaders({});
  });

  it('pays with the keyboard alone, with another card after a decline', async () => {
    const { order } = await shopper.orderAndGoToPayment();
    const { keyboard } = page;
    await shopper.form.getByLabel('Card number').waitFor();
    const typeCard = async (number: string): Promise<void> => {
      for (const text of [number, '1239', '123', 'Robin Sample']) {
        await keyboard.press('ControlOrMeta+A');
        await keyboard.type(text);
        await keyboard.press('Tab');
      }
      await keyboard.press('Enter');
    };
    const isInCardNumber = (): Promise<boolean> =>
      shopper.form.getByLabel('Card number').evaluate((field) => field.matches(':focus'));
    await page.locator('h1').first().click();
    for (let presses = 0; presses < 20 && !(await isInCardNumber()); presses += 1)
      await keyboard.press('Tab');
    await typeCard(CARDS.declined);
    await shopper.reads('The payment was declined.');
    for (let presses = 0; presses < 20 && !(await isInCardNumber()); presses += 1)
      await keyboard.press('Shift+Tab');
    await typeCard(CARDS.approved);
    await shopper.reads(PAID);
    await journey.expectPaid(shopper, order);
  });

  it('can use the playground', async () => {
    const playground = await Playground.open(journey);
    await expectNoBarriers(playground.shopper.page, 'the playground', 'at first');
    await playground.close();
  });

  it('can use the playground with each brand', async () => {
    const playground = await Playground.open(journey);
    const { page: ofPlayground } = playground.shopper;
    await ofPlayground.getByText('Style').first().click();
    for (const brand of ['marmalade', 'slate']) {
      await playground.chooseBrand(brand);
      await expectContrast(ofPlayground, 'the playground', `the brand ${brand}`, 'dark');
      await expectContrast(ofPlayground, 'the playground', `the brand ${brand}`, 'light');
    }
    await playground.chooseBrand('oasis');
    await expectNoBarriers(ofPlayground, 'the playground', 'the brand oasis, from right to left');
    await playground.close();
  });

  it.each(CONSOLE)('can use the console: /%s', async (path, landmark) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${journey.addresses.console}/${path}`);
    await page.locator(landmark).first().waitFor();
    await expectNoBarriers(page, 'the console', path || 'overview');
  });
});
