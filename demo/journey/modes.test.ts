import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Journey } from './journey.js';
import { isFirefox } from './patience.js';
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

/**
 * A shopper at a tag of `mode` in a frame of another site's page; `sandbox` is what the frame may do,
 * if not everything.
 */
async function framedShopperAt(
  mode: string,
  sandbox?: string,
  allow = '',
): Promise<{ shopper: Shopper; order: string; framed: FrameLocator }> {
  const shopper = await journey.shopper();
  const { order, orderToken } = await shopper.order();
  const { page } = shopper;
  const { shop, pay } = journey.addresses;
  // A page that a test answers comes from no network, and some browsers ask before such a page may
  // reach this machine's servers; the others do not know the question.
  await page
    .context()
    .grantPermissions(['local-network-access'])
    .catch(() => undefined);
  const tag = `merchant="${journey.stack.merchant}" order="${order}" order-token="${orderToken}"`;
  const limits = sandbox === undefined ? '' : `sandbox="${sandbox}"`;
  for (const [address, body] of [
    [
      'http://portal.localhost/',
      `<iframe src="${shop}/framed" allow="local-network-access; ${allow}" ${limits}></iframe>`,
    ],
    [
      `${shop}/framed`,
      `<script src="${pay}/v1/pay-checkout.js"></script><pay-checkout ${tag} mode="${mode}"></pay-checkout>`,
    ],
  ] as const) {
    await page.route(address, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<!doctype html>${body}` }),
    );
  }
  await page.goto('http://portal.localhost/');
  return { shopper, order, framed: page.frameLocator('iframe') };
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
    await shopper.reads('You left the payment form. You can try again.');
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
    await shopper.reads('Please pay in the other window. If you cannot see it, press the button.');
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

describe('in a frame of another site’s page, which may not frame the hosted page', () => {
  it('a redirect opens a window instead, and the frame learns of the payment', async () => {
    const { shopper, order, framed } = await framedShopperAt('redirect');
    const opened = shopper.page.waitForEvent('popup');
    await framed.getByRole('button', { name: 'Pay' }).click();
    const popup = new Shopper(await opened, journey.addresses);
    await framed
      .getByText('Please pay in the other window. If you cannot see it, press the button.')
      .waitFor();
    await popup.payWith(CARDS.approved);
    await framed.getByText(PAID).waitFor();
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it.each(['redirect', 'popup'])(
    '%s with windows blocked offers a link that leaves the page around it',
    async (mode) => {
      const limits = 'allow-scripts allow-same-origin allow-top-navigation-by-user-activation';
      const { shopper, order, framed } = await framedShopperAt(mode, limits);
      await framed.getByRole('button', { name: 'Pay' }).click();
      await framed.getByText('Opening the payment page.').waitFor();
      await framed.getByRole('link', { name: 'Continue to the payment page' }).click();
      await shopper.page.waitForURL(`${journey.addresses.pay}/v1/pay/**`);
      await shopper.payWith(CARDS.approved);
      await shopper.page.waitForURL(`${journey.addresses.shop}/result?**`);
      await shopper.reads(PAID);
      await journey.expectPaid(shopper, order);
      await shopper.close();
    },
  );

  it('an overlay that would frame it opens a window instead', async () => {
    const { shopper, framed } = await framedShopperAt('overlay');
    const { page } = shopper;
    const { merchant } = journey.stack;
    const address = `/v1/checkout-config?merchant=${merchant}`;
    const known = await fetch(`${journey.addresses.payApi}${address}`);
    const { sdk, ...config } = (await known.json()) as { sdk: { container?: string } };
    const { container: _none, ...withoutContainer } = sdk;
    await page.route(`**${address}`, (route) =>
      route.fulfill({
        headers: { 'access-control-allow-origin': '*' },
        json: { ...config, sdk: withoutContainer },
      }),
    );
    await page.reload();
    await framed.getByText('Test', { exact: true }).waitFor();
    const opened = page.waitForEvent('popup');
    await framed.getByRole('button', { name: 'Pay' }).click();
    await (await opened).waitForURL(`${journey.addresses.pay}/v1/pay/**`);
    await shopper.close();
  });
});

/** The brand of the shop's merchant entry, on the surfaces for which its contrast is checked. */
const BRAND = {
  light: { card: 'rgb(255, 255, 255)', ring: 'rgb(39, 64, 139)' },
  dark: { card: 'rgb(26, 29, 36)', ring: 'rgb(169, 188, 246)' },
};

async function expectBrand(
  page: Page,
  { logo, ring, card }: Record<'logo' | 'ring' | 'card', Locator>,
): Promise<void> {
  const logoNow = () => logo.evaluate((it: HTMLImageElement) => [it.naturalWidth, it.clientHeight]);
  expect(await logoNow()).toEqual([88, 44]);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // The browser shows rings to those who use the keyboard.
    await page.keyboard.press('Tab');
    const ringNow = await ring.evaluate((it: HTMLElement) => {
      it.focus();
      return getComputedStyle(it).outlineColor;
    });
    const { backgroundColor, borderRadius } = await card.evaluate((it) => getComputedStyle(it));
    expect([ringNow, backgroundColor]).toEqual([BRAND[colorScheme].ring, BRAND[colorScheme].card]);
    expect(borderRadius).toBe('10px');
  }
}

describe('the hosted page', () => {
  it('asks for the SDK, configuration and words beside its script, and for each of them once', async () => {
    const shopper = await journey.shopper();
    const { order, orderToken } = await shopper.order();
    const { page } = shopper;
    const { pay, sandbox } = journey.addresses;
    const asked: string[] = [];
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      asked.push(origin === pay || origin === sandbox ? pathname : origin);
    });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${pay}/v1/pay-checkout.js`, async (route) => {
      await released;
      await route.continue();
    });
    const first = [/\/v1\/checkout-config$/, /\/sdk\/.*\.js$/, /\/v1\/languages\/de$/];
    const arrived = first.map((path) =>
      page.waitForResponse((response) => path.test(new URL(response.url()).pathname)),
    );
    await page.goto(`${pay}/v1/pay/${journey.stack.merchant}/${orderToken}?locale=de`, {
      waitUntil: 'commit',
    });
    // Nothing that runs has arrived, so only the page's own text can have named them.
    await Promise.all(arrived);
    release();
    await shopper.payWith(CARDS.approved);
    for (const path of first)
      expect(
        asked.filter((one) => path.test(one)),
        String(path),
      ).toHaveLength(1);
    await journey.expectPaid(shopper, order);
    await shopper.close();
  });

  it('leads back to the shop before anything is paid, also when scripts are off', async () => {
    const shopper = await journey.shopper();
    const { orderToken } = await shopper.order();
    const { pay, shop } = journey.addresses;
    const address = `${pay}/v1/pay/${journey.stack.merchant}/${orderToken}`;
    const silent = await journey.browser.newContext({ javaScriptEnabled: false });
    const link = { name: 'Back to the shop' };
    for (const page of [shopper.page, await silent.newPage()]) {
      await page.goto(address);
      await page.getByRole('link', link).click();
      await page.waitForURL(`${shop}/`);
    }
    await silent.close();
    await shopper.close();
  });

  // The driver of Firefox emulates no dark colours.
  it.skipIf(isFirefox)(
    'and the return page have the brand of the merchant, on the surfaces of the element',
    async () => {
      const shopper = await journey.shopper();
      const { page } = shopper;
      const { order, orderToken } = await shopper.order();
      const { pay, shop } = journey.addresses;
      await page.goto(`${pay}/v1/pay/${journey.stack.merchant}/${orderToken}`);
      await shopper.form.getByLabel('Card number').waitFor();
      expect(await page.title()).toBe(`Pay Hollin & Slip – order ${order}`);
      await page.getByRole('heading', { name: 'Hollin & Slip', level: 1 }).waitFor();
      const tag = page.locator('pay-checkout');
      const hosted = {
        logo: page.locator('.logo'),
        ring: page.locator('#back'),
        card: tag.locator('[part=card]'),
      };
      await expectBrand(page, hosted);
      const { marginTop } = await tag.locator('[slot=form]').evaluate((it) => getComputedStyle(it));
      expect(marginTop).toBe('16px');

      const [session] = await journey.sandbox.sessionsOf(order);
      await page.goto(`${shop}/bare`);
      const opened = page.waitForEvent('popup');
      await page.evaluate((url) => void window.open(url), session?.RedirectUrl ?? '');
      const popup = await opened;
      const link = popup.locator('#onward');
      await link.waitFor();
      const back = { logo: popup.locator('.logo'), ring: link, card: popup.locator('.card') };
      await expectBrand(popup, back);
      expect(await link.evaluate((it) => getComputedStyle(it).backgroundColor)).toBe(
        BRAND.light.ring,
      );
      await shopper.close();
    },
  );

  it('in a window closes it: the shop is open in the one that opened it', async () => {
    const { shopper } = await shopperAt('popup');
    const popup = await openWindow(shopper);
    const closed = popup.page.waitForEvent('close');
    const link = popup.page.getByRole('link', { name: 'Back to the shop' });
    await link.click().catch((error: unknown) => {
      // The driver of Firefox still waits for the end of the click when the window has closed.
      if (!popup.page.isClosed()) throw error;
    });
    await closed;
    await shopper.button('Pay').waitFor();
    await shopper.close();
  });
});

describe('a wallet of the provider’s form', () => {
  const WALLET = { name: 'Test wallet' };
  const FORBIDDEN = 'A page around this form forbids wallets. Use a card.';

  /** A page of the shop with a tag and a policy, whose shopper presses the wallet. */
  async function payUnder(policy: string): Promise<Shopper> {
    const shopper = await journey.shopper();
    const { order, orderToken } = await shopper.order();
    const { shop, pay } = journey.addresses;
    const tag = `merchant="${journey.stack.merchant}" order="${order}" order-token="${orderToken}"`;
    await shopper.page
      .context()
      .grantPermissions(['local-network-access'])
      .catch(() => undefined);
    await shopper.page.route(`${shop}/wallets`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'permissions-policy': policy },
        body: `<!doctype html><script src="${pay}/v1/pay-checkout.js"></script><pay-checkout ${tag} autostart></pay-checkout>`,
      }),
    );
    await shopper.page.goto(`${shop}/wallets`);
    await shopper.form.getByRole('button', WALLET).click();
    return shopper;
  }

  it('pays in a page without a policy, and on the hosted page', async () => {
    const inPage = await journey.shopper();
    await inPage.orderAndGoToPayment();
    await inPage.form.getByRole('button', WALLET).click();
    await inPage.reads(PAID);

    const { shopper } = await shopperAt('redirect');
    await shopper.button('Pay').click();
    await shopper.form.getByRole('button', WALLET).click();
    await shopper.page.waitForURL(/checkout=/);
    await shopper.reads(PAID);
  });

  it.skipIf(isFirefox)('is forbidden by a policy that names the page only', async () => {
    const shopper = await payUnder('payment=(self)');
    await shopper.form.getByText(FORBIDDEN).waitFor();
  });

  it('pays in a page whose policy names the provider’s origin', async () => {
    const shopper = await payUnder(`payment=(self "${journey.addresses.sandbox}")`);
    await shopper.reads(PAID);
  });

  it.skipIf(isFirefox)('needs allow="payment" on a frame around the merchant’s page', async () => {
    for (const allow of ['', 'payment']) {
      const { framed } = await framedShopperAt('inline', undefined, allow);
      await framed.getByRole('button', { name: 'Pay' }).click();
      const form = framed.frameLocator('pay-checkout iframe');
      await form.getByRole('button', WALLET).click();
      if (allow === '') await form.getByText(FORBIDDEN).waitFor();
      else await framed.getByText(PAID).waitFor();
    }
  });

  it.each(['redirect', 'popup'])(
    'pays in a frame that does not allow it, in mode %s, since that leaves the frame',
    async (mode) => {
      const { shopper, framed } = await framedShopperAt(mode);
      const opened = shopper.page.waitForEvent('popup');
      await framed.getByRole('button', { name: 'Pay' }).click();
      const popup = new Shopper(await opened, journey.addresses);
      await popup.form.getByRole('button', WALLET).click();
      await framed.getByText(PAID).waitFor();
      await shopper.close();
    },
  );

  describe.skipIf(isFirefox)('that opens from configure()', () => {
    /** A shopper at a tag of whose page `configure()` only says whether the press still counts. */
    async function shopperAtProbe(more: Readonly<Record<string, string>>) {
      const shopper = await journey.shopper();
      const { order, orderToken } = await shopper.order();
      const { merchant } = journey.stack;
      const context = shopper.page.context();
      await shopper.putTagOnBarePages({ merchant, order, 'order-token': orderToken, ...more });
      // Whatever Playwright evaluates in the page would count as a press itself.
      const hears = (words: string) =>
        context.waitForEvent('console', (message) => message.text().startsWith(words));
      await context.addInitScript(() => {
        let isPressed = false;
        setInterval(() => {
          const { isActive } = navigator.userActivation;
          if (isPressed && !isActive) console.info('the press is over');
          isPressed = isActive;
        }, 50);
        addEventListener('DOMContentLoaded', () => {
          const adapter = {
            load: () => Promise.resolve(),
            open: () => {
              console.info(`active: ${String(navigator.userActivation.isActive)}`);
              return new Promise(() => undefined);
            },
          };
          Object.assign(document.querySelector('pay-checkout') ?? {}, { adapter });
        });
      });
      return { shopper, hears };
    }

    it.each([
      ['inline', 'the press on Pay', {}, true],
      ['overlay', 'the press on Pay', {}, true],
      ['popup', 'no press: its window is another page', {}, false],
      ['redirect', 'no press: its page is another one', {}, false],
      ['inline', 'no press with autostart', { autostart: '' }, false],
    ])('has in mode %s %s', async (mode, _what, more, isActive) => {
      const { shopper, hears } = await shopperAtProbe({ mode, ...more });
      const said = hears('active: ');
      await shopper.visitBarePage();
      if (!('autostart' in more)) await shopper.button('Pay').click();
      expect((await said).text()).toBe(`active: ${String(isActive)}`);
      await shopper.close();
    });

    it('has no press where the session took longer than a browser remembers one', async () => {
      const { shopper, hears } = await shopperAtProbe({ mode: 'inline' });
      const over = hears('the press is over');
      await shopper.page.route('**/v1/checkouts', async (route) => {
        if (route.request().postData()?.includes('"preview"') !== true) await over;
        await route.continue();
      });
      const said = hears('active: ');
      await shopper.visitBarePage();
      await shopper.button('Pay').click();
      expect((await said).text()).toBe('active: false');
      await shopper.close();
    });
  });
});
