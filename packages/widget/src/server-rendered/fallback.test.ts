import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import type { PayCheckout } from '../pay-checkout/pay-checkout.js';
import { MerchantPage } from '../testing/merchant-page.js';
import { paymentSnippet } from '../testing/payment-snippet.js';
import { until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

/** Keeps what moves without the shopper's doing. */
const WATCH = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shifts.push(value);
  }).observe({ type: 'layout-shift', buffered: true });`;

interface WithShifts {
  readonly shifts: readonly number[];
}

/** Several frames, so that what moved has been noticed. */
async function frames({ page }: MerchantPage): Promise<void> {
  for (let count = 0; count < 5; count++) {
    await new Promise((resolve) => page.requestAnimationFrame(resolve));
  }
}

describe('the link in a tag that a server rendered', () => {
  let server: TestServer;
  let inside: string;
  beforeEach(async () => {
    server = await new TestServer().start();
    const environment = 'production';
    await server.set({
      config: { status: 200, body: { merchant: 'm', environment, sdk: server.sdkDescription } },
      open: [{ status: 200, body: server.openReply({ environment }) }],
    });
    inside = `<a href="${server.url}/v1/pay/corner-shop/token">Pay £42.50</a>`;
  });

  it('is shown and works until the script has come, and where it never comes', async () => {
    const page = await MerchantPage.open(server, { inside, isWithoutScript: true });
    const link = page.element.querySelector('a') as HTMLAnchorElement;
    expect(link.checkVisibility()).to.equal(true);
    expect(link.getBoundingClientRect().height).to.be.above(0);
    link.click();
    await until(async () => (await server.seen('GET', /\/v1\/pay\//)).length === 1);
    page.close();
  });

  it('has the address that the element would go to, as the documents write it', async () => {
    const holder = document.createElement('template');
    holder.innerHTML = await paymentSnippet('html', '<a href');
    const { content } = document.importNode(holder, true);
    const tag = content.querySelector('pay-checkout') as PayCheckout;
    const link = content.querySelector('a') as HTMLAnchorElement;
    const [harness, page] = await MerchantPage.place(server, {
      attributes: {
        merchant: tag.getAttribute('merchant') ?? '',
        order: tag.getAttribute('order') ?? '',
        'order-token': tag.getAttribute('order-token') ?? '',
        mode: 'redirect',
      },
    });
    harness.element.server = 'https://pay.example';
    harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
    const left = harness.nextEvent('pay-redirect');
    harness.press();
    // The element adds the language of its page.
    expect((await left).url).to.equal(`${link.href}?locale=en`);
    page.close();
  });

  it('is gone from sight, from the keyboard and from screen readers when the element is there', async () => {
    const page = await MerchantPage.open(server, { inside, isWithoutScript: true });
    await page.bringScript();
    await page.element.updateComplete;
    const { document } = page.page;
    const link = page.element.querySelector('a') as HTMLAnchorElement;
    expect(link.checkVisibility()).to.equal(false);
    const [before, after] = [document.createElement('input'), document.createElement('input')];
    page.element.before(before);
    page.element.after(after);
    before.focus();
    const reached = new Set<Element | null>();
    while (document.activeElement !== after && reached.size < 9) {
      await sendKeys({ press: 'Tab' });
      reached.add(document.activeElement);
    }
    expect([...reached]).to.deep.equal([page.element, after]);
    expect(new PayCheckoutHarness(page.element, server).phase).to.equal('idle');
    page.close();
  });

  describe('and what is around it', () => {
    before(function () {
      // Only some browsers say what moved.
      if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift')) this.skip();
    });
    const moving = {
      before: WATCH,
      after: '<p>What comes after it</p>',
      isWithoutScript: true,
    };

    it('with the room that the documents reserve, nothing moves when the element is there', async () => {
      const css = await paymentSnippet('css', 'min-block-size');
      const page = await MerchantPage.open(server, { inside, css, ...moving });
      await frames(page);
      await page.bringScript();
      await page.element.updateComplete;
      await until(() => page.sdk !== undefined);
      await frames(page);
      expect((page.page as unknown as WithShifts).shifts).to.deep.equal([]);
      page.close();
    });

    it('and nothing moves with autostart, at each step up to the SDK’s form', async () => {
      await server.set({ holdOpen: true, sdk: 'silent' });
      const attributes = { autostart: 'autostart' };
      // The form of this SDK is small enough for it.
      const css = await paymentSnippet('css', 'min-block-size');
      const page = await MerchantPage.open(server, { inside, css, attributes, ...moving });
      await frames(page);
      await page.bringScript();
      const harness = new PayCheckoutHarness(page.element, server);
      await harness.reaches('opening');
      await frames(page);
      await server.set({ holdOpen: false });
      await until(() => page.page.performance.getEntriesByName('pay-checkout:session').length > 0);
      await frames(page);
      await harness.during('ready', () => server.set({ sdk: 'fine' }));
      await frames(page);
      expect((page.page as unknown as WithShifts).shifts).to.deep.equal([]);
      page.close();
    });

    it('without that room the page reports what moved, so that the tests above can fail', async () => {
      const page = await MerchantPage.open(server, { inside, ...moving });
      await frames(page);
      await page.bringScript();
      await page.element.updateComplete;
      await until(() => (page.page as unknown as WithShifts).shifts.length > 0);
      page.close();
    });
  });
});
