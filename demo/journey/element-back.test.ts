import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { CARDS, PAID, type Shopper } from './shopper.js';
import { isFirefox } from './patience.js';
import { findBrowserThatKeepsPages } from './start-browser.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped; \`npm test\` prints it. */
    notRun?: string;
  }
}

declare global {
  interface Window {
    /** For each time that the page was shown, whether the browser had kept it. */
    shown?: boolean[];
    /** What the hosted page wants to do seconds later, while time stands still on it. */
    later?: Map<number, () => void>;
  }
}

/** With the reason why the browser did not keep the page, for the failure's message. */
type NavigationEntry = PerformanceNavigationTiming & { readonly notRestoredReasons?: unknown };

let journey: Journey;
let keepingBrowser: Browser | undefined;
beforeAll(async () => {
  journey = await Journey.start({ keepsPages: true });
  keepingBrowser = await findBrowserThatKeepsPages(journey.browser);
});
afterAll(async () => {
  await keepingBrowser?.close();
  await journey.stop();
});

async function watchfulShopper(): Promise<Shopper> {
  const shopper = await journey.shopper(keepingBrowser);
  const { page } = shopper;
  await page.addInitScript(() => {
    const shown: boolean[] = (window.shown = []);
    addEventListener('pageshow', ({ persisted }) => shown.push(persisted));
  });
  // No browser keeps a page that is left before its scripts have run: here the element comes after them.
  await page.route('**/v1/pay-checkout.js', async (route) => {
    const isShop = page.url().startsWith(journey.addresses.shop);
    if (isShop) await page.waitForLoadState('domcontentloaded');
    await route.continue();
  });
  return shopper;
}

/** A shopper whose browser keeps no page, because of a listener that no page should have. */
async function forgetfulShopper(): Promise<Shopper> {
  const shopper = await journey.shopper();
  await shopper.page.addInitScript(() => addEventListener('unload', () => undefined));
  return shopper;
}

/**
 * Waits until the page leads those that wait for news. A page that is left while it still asks for that
 * lock keeps it, and the browser drops the page when another tab wants it: it is then loaded again.
 */
async function untilItLeads({ page }: Shopper): Promise<void> {
  const countLocks = (): Promise<number | undefined> =>
    page.evaluate(async () => (await navigator.locks.query()).held?.length);
  await expect.poll(countLocks).toBe(1);
}

/** Goes back as the button does. It begins after the call: a page that is left gets no answer. */
async function goBack({ page }: Shopper, steps = 1): Promise<void> {
  await page.evaluate((count) => void setTimeout(() => history.go(-count)), steps);
}

/** Goes back, and proves that the browser had kept the page: nothing of ours prevented it. */
async function goBackToKeptPage(shopper: Shopper, steps = 1): Promise<void> {
  const { page } = shopper;
  await goBack(shopper, steps);
  const readShown = (): Promise<unknown> =>
    page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation') as NavigationEntry[];
      const isKept = window.shown?.at(-1) === true;
      const whyNot = isKept ? null : JSON.stringify(entry?.notRestoredReasons ?? null);
      return { path: location.pathname, isKept, whyNot };
    });
  await expect.poll(readShown).toEqual({ path: '/pay', isKept: true, whyNot: null });
}

/** What the element of a kept page shows; a driver of browsers loses sight of its frames and roots. */
async function readElement({ page }: Shopper): Promise<{
  phase: string;
  words: string;
  buttons: string[];
  frames: string[];
}> {
  return page.evaluate(() => {
    const tag = document.querySelector('pay-checkout');
    const buttons = tag?.shadowRoot?.querySelectorAll('[part="button"]') ?? [];
    const frames = [...document.querySelectorAll('pay-checkout iframe')];
    return {
      phase: ['ready', 'confirming', 'paid'].find((name) => tag?.matches(`:state(${name})`)) ?? '',
      words: tag?.shadowRoot?.textContent ?? '',
      buttons: [...buttons].map(({ textContent }) => textContent.trim()),
      frames: frames.map((frame) => (frame.hasAttribute('data-kept') ? 'kept' : 'new')),
    };
  });
}

/** Lets no time pass on the hosted page: what it wants to do seconds later waits for {@link passTime}. */
async function stopTime({ page }: Shopper): Promise<void> {
  await page.addInitScript((hosted) => {
    if (!location.href.startsWith(hosted)) return;
    const later = (window.later = new Map<number, () => void>());
    const { setTimeout: wait, clearTimeout: stop } = window;
    let names = 0;
    window.setTimeout = ((run: () => void, delay = 0, ...given: []) => {
      if (delay < 2000) return wait(run, delay, ...given);
      later.set((names -= 1), run);
      return names;
    }) as typeof setTimeout;
    window.clearTimeout = (name) => {
      if (!later.delete(name as number)) stop(name);
    };
  }, `${journey.addresses.pay}/v1/pay/`);
}

/** Lets as much time pass as anything on the hosted page waits for. */
async function passTime({ page }: Shopper): Promise<void> {
  await page.evaluate(() => {
    const due = [...(window.later?.values() ?? [])];
    window.later?.clear();
    for (const run of due) run();
  });
}

/** Counts how often the hosted page is left for the shop's page with the order token. */
function countLeaving({ page }: Shopper): () => number {
  let leaving = 0;
  page.on('request', (request) => {
    if (/\/v1\/checkouts\/[^/]+\/leave\?kind=\w+&orderToken=[^&]+$/.test(request.url()))
      leaving += 1;
  });
  return () => leaving;
}

/** Presses the one button of the element of a kept page, where it is. */
async function pressButton({ page }: Shopper): Promise<void> {
  const { x, y } = await page.evaluate(() => {
    const root = document.querySelector('pay-checkout')?.shadowRoot;
    const button = root?.querySelector('[part="button"]');
    button?.scrollIntoView({ block: 'center' });
    const { left = 0, top = 0, width = 0, height = 0 } = button?.getBoundingClientRect() ?? {};
    return { x: left + width / 2, y: top + height / 2 };
  });
  await page.mouse.click(x, y);
}

// Firefox keeps no page that asks or holds a lock at that moment: it decides before the page knows.
describe('Back to a page that the browser kept', () => {
  beforeEach(({ skip, task }) => {
    if (keepingBrowser !== undefined) return;
    task.meta.notRun =
      'no browser of this machine keeps pages for Back; an installed Chromium does';
    skip(task.meta.notRun);
  });

  it('from the hosted page: the element is usable again, has asked the server, and leaves only when asked to', async () => {
    const shopper = await watchfulShopper();
    const { order } = await shopper.orderAndGoToPayment('redirect');
    await shopper.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.form.getByLabel('Card number').waitFor();
    const asked = shopper.page.waitForRequest(`${journey.addresses.pay}/v1/checkouts`);
    await goBackToKeptPage(shopper);
    expect((await asked).method()).toBe('POST');
    await expect.poll(() => readElement(shopper)).toMatchObject({ buttons: ['Pay'] });
    expect(await shopper.page.evaluate(() => location.pathname)).toBe('/pay');
    const followed = shopper.page.waitForRequest(`${journey.addresses.pay}/v1/pay/**`);
    await pressButton(shopper);
    await followed;
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
    await expect.poll(() => readElement(shopper)).toMatchObject({ phase: 'paid', buttons: [] });
    expect((await readElement(shopper)).words).toContain(PAID);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it.skipIf(isFirefox)(
    'while the form is open keeps the form, and learns what happens in another tab',
    async () => {
      const shopper = await watchfulShopper();
      const { order } = await shopper.orderAndGoToPayment();
      await shopper.form.getByLabel('Card number').waitFor();
      await shopper.page.evaluate(() => {
        document.querySelector('pay-checkout iframe')?.setAttribute('data-kept', '');
      });
      await untilItLeads(shopper);
      await shopper.page.goto(`${journey.addresses.shop}/`);
      await goBackToKeptPage(shopper);
      expect(await readElement(shopper)).toMatchObject({ phase: 'ready', frames: ['kept'] });
      const second = await shopper.tab();
      await second.goToPayment(order);
      await second.payWith(CARDS.approved);
      await second.reads(PAID);
      await expect.poll(() => readElement(shopper)).toMatchObject({ phase: 'paid', frames: [] });
      await journey.expectPaid(shopper, order);
      expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
      await shopper.close();
    },
  );

  it.skipIf(isFirefox)('learns what happened in another tab in the meantime', async () => {
    const shopper = await watchfulShopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await untilItLeads(shopper);
    await shopper.page.goto(`${journey.addresses.shop}/`);
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.payWith(CARDS.approved);
    await second.reads(PAID);
    await goBackToKeptPage(shopper);
    await expect.poll(() => readElement(shopper)).toMatchObject({ phase: 'paid', frames: [] });
    expect((await readElement(shopper)).words).toContain(PAID);
    await shopper.close();
  });
});

// None of our browsers keeps a page sent with no-store: the test sends the event that such a browser would send.
describe('Back to a hosted page that the browser kept', () => {
  it('does not send away a shopper who has paid on it', async () => {
    const shopper = await journey.shopper();
    const { page } = shopper;
    await stopTime(shopper);
    await shopper.orderAndGoToPayment('redirect');
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    const leaving = countLeaving(shopper);
    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    );
    await passTime(shopper);
    await page.getByRole('link', { name: 'Continue to the shop' }).click();
    await page.waitForURL(`${journey.addresses.shop}/result?**`);
    expect(leaving()).toBe(1);
    await shopper.close();
  });
});

describe('Back to a page that the browser loads again', () => {
  it('shows the form of the same session, and learns what happens in another tab', async () => {
    const shopper = await forgetfulShopper();
    const { order } = await shopper.orderAndGoToPayment();
    await shopper.form.getByLabel('Card number').waitFor();
    await shopper.page.goto(`${journey.addresses.shop}/`);
    await goBack(shopper);
    await shopper.page.waitForURL(`${journey.addresses.shop}/pay?**`);
    await shopper.form.getByLabel('Card number').waitFor();
    const second = await shopper.tab();
    await second.goToPayment(order);
    await second.payWith(CARDS.approved);
    await Promise.all([second.reads(PAID), shopper.reads(PAID)]);
    await journey.expectPaid(shopper, order);
    expect(await journey.sandbox.sessionsOf(order)).toHaveLength(1);
    await shopper.close();
  });

  it('never leaves for the payment page automatically a second time', async () => {
    const shopper = await forgetfulShopper();
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

  it('leads to the shop’s page, also when the shopper was sent on before it had loaded', async () => {
    const shopper = await forgetfulShopper();
    const { page } = shopper;
    const { order } = await shopper.order();
    await page.route('**/endless.webp', () => undefined);
    await page.addInitScript(() => {
      if (location.pathname !== '/pay') return;
      addEventListener('DOMContentLoaded', () => {
        document.body.append(Object.assign(new Image(), { src: '/endless.webp' }));
      });
    });
    const address = `${journey.addresses.shop}/pay?order=${order}&mode=redirect`;
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.form.getByLabel('Card number').waitFor();
    await goBack(shopper);
    await expect.poll(() => page.url()).not.toContain(journey.addresses.pay);
    expect(page.url()).toBe(address);
    await shopper.button('Pay').waitFor();
    await shopper.close();
  });

  it('on the hosted page, which sent the shopper on after paying, does not send them away again', async () => {
    const shopper = await forgetfulShopper();
    const { page } = shopper;
    await stopTime(shopper);
    const { order } = await shopper.orderAndGoToPayment('redirect');
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await passTime(shopper);
    await page.waitForURL(`${journey.addresses.shop}/result?**`);
    await shopper.reads(PAID);
    const leaving = countLeaving(shopper);
    await goBack(shopper);
    await page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.reads(PAID);
    const link = page.getByRole('link', { name: 'Continue to the shop' });
    await link.waitFor();
    await passTime(shopper);
    await link.click();
    await page.waitForURL(`${journey.addresses.shop}/result?**`);
    expect(leaving()).toBe(1);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });
});
