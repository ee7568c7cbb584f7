import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import type { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { EVERY_PHASE } from '../testing/every-phase.js';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';
import { contrastOf, isTouchable } from './appearance.js';

/** Rules of pages that are meant for other parts, and meet the element too. */
const RULES: Readonly<Record<string, string>> = {
  '* { all: unset !important }': '* { all: unset !important; } head { display: none !important; }',
  'rules for every element inside':
    'section, header, button, form, label, input, small, svg, dialog, a, span, strong, slot { display: none !important; }',
  'rules for what is empty': 'div:empty, p:empty, span:empty { display: none; }',
  'words in one line, without height': 'body { white-space: nowrap; line-height: 0; }',
  'letters far apart': 'body { letter-spacing: 0.12em; word-spacing: 0.16em; line-height: 1.5; }',
  'tokens with plain names':
    ':root { --accent: #8a2f0c; --surface: #fff6ec; --border: #ccc; } pay-checkout { --pay-checkout-accent: var(--accent); --pay-checkout-on-accent: #fff; --pay-checkout-surface: var(--surface); --pay-checkout-text: #221100; --pay-checkout-border: var(--border); }',
  'a resetting framework':
    '*, ::before, ::after { box-sizing: border-box; border: 0 solid; margin: 0; padding: 0; } button { background: transparent; color: inherit; }',
};

/** What the shopper needs of the element is there to see and to touch. */
function expectUsable(
  { phase, element: { renderRoot } }: PayCheckoutHarness,
  page: MerchantPage,
  where = '',
): void {
  const words = renderRoot.querySelectorAll(
    '.message > span:last-child, [part="reference"], input, [part="button"]',
  );
  for (const one of words) {
    const { width, height } = one.getBoundingClientRect();
    const what = `${where} ${phase}: ${one.outerHTML}`;
    expect(width, what).to.be.above(20);
    expect(height, what).to.be.above(8);
  }
  for (const one of renderRoot.querySelectorAll('input, [part="button"]')) {
    const what = `${where} ${phase}: ${one.outerHTML}`;
    expect(one.getBoundingClientRect().height, what).to.be.at.least(44);
    expect(isTouchable(page, one), what).to.equal(true);
  }
  for (const one of renderRoot.querySelectorAll('[part="button"], section')) {
    expect(contrastOf(page, one), `${where} ${phase}`).to.be.at.least(4.5);
  }
}

function expectNoSidewaysScroll(
  { phase }: PayCheckoutHarness,
  page: MerchantPage,
  where = '',
): void {
  const { scrollWidth, clientWidth } = page.page.document.documentElement;
  expect(scrollWidth, `${where} ${phase}`).to.be.at.most(clientWidth);
}

describe('a page with styles of its own', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  for (const [phase, reach] of EVERY_PHASE) {
    it(`${phase} can be read and touched under each of them`, async () => {
      const [harness, page] = await MerchantPage.place(server);
      await reach(harness);
      for (const [what, css] of Object.entries(RULES)) {
        page.css = css;
        expectUsable(harness, page, what);
        expectNoSidewaysScroll(harness, page, what);
      }
      page.close();
    });
  }

  for (const [what, parts] of Object.entries({
    'a screen of 320 pixels': { width: 320 },
    'a screen of 640 pixels at a zoom of 200 %': { width: 640, css: 'html { zoom: 2; }' },
    'a screen of 320 pixels with letters twice as large': {
      width: 320,
      css: 'html { font-size: 200%; }',
    },
    'a screen of 320 pixels that is read from right to left': {
      width: 320,
      root: 'lang="ar" dir="rtl"',
    },
  })) {
    it(`${what}: no phase is scrolled sideways`, async () => {
      for (const [, reach] of EVERY_PHASE) {
        server = await new TestServer().start();
        const attributes = { order: 'A'.repeat(64) };
        const [harness, page] = await MerchantPage.place(server, { ...parts, attributes });
        await reach(harness);
        expectUsable(harness, page);
        expectNoSidewaysScroll(harness, page);
        page.close();
      }
    });
  }

  it('that is read from right to left is laid out from right to left', async () => {
    const root = 'lang="ar" dir="rtl"';
    const [harness, page] = await MerchantPage.place(server, { root });
    await harness.during('ready', () => harness.press());
    const find = (selector: string): DOMRect =>
      harness.element.renderRoot.querySelector(selector)!.getBoundingClientRect();
    const card = find('section');
    expect(find('[part="badge"]').right).to.be.below(find('[part="amount"]').left);
    expect(find('[part="badge"]').left - card.left).to.be.below(40);
    page.sdk.calls[0]?.onDecline?.();
    await harness.element.updateComplete;
    expect(find('.message > span:last-child').right).to.be.below(find('[part="icon"]').left);
    expectUsable(harness, page);
    expectNoSidewaysScroll(harness, page);
    page.close();
  });

  it('that is read from left to right stays so, with the tag, whatever the tag’s locale', async () => {
    const attributes = { locale: 'ar' };
    const [harness, page] = await MerchantPage.place(server, { attributes });
    await harness.during('ready', () => harness.press());
    const find = (selector: string): DOMRect =>
      harness.element.renderRoot.querySelector(selector)!.getBoundingClientRect();
    expect(find('[part="badge"]').left).to.be.above(find('[part="amount"]').right);
    for (const one of [page.page.document.body, harness.element, harness.form as Element]) {
      expect(page.page.getComputedStyle(one).direction).to.equal('ltr');
    }
    page.close();
  });

  it('that is read from right to left leaves English sentences their full stop', async () => {
    const root = 'lang="ar" dir="rtl"';
    const [harness, page] = await MerchantPage.place(server, { root });
    await harness.during('paid', async () => {
      await harness.during('ready', () => harness.press());
      await server.setState('paid');
    });
    const words = harness.element.renderRoot.querySelector('.message > span:last-child') as Element;
    const range = page.page.document.createRange();
    const text = [...words.childNodes].find((node) => node.textContent?.endsWith('.')) as Text;
    range.setStart(text, text.length - 1);
    range.setEnd(text, text.length);
    const box = words.getBoundingClientRect();
    expect(range.getBoundingClientRect().left).to.be.above(box.left + box.width / 2);
    page.close();
  });

  it('puts the close button of the overlay where the reading ends', async () => {
    for (const [root, isAtRight] of [
      ['lang="en"', true],
      ['lang="ar" dir="rtl"', false],
    ] as const) {
      server = await new TestServer().start();
      const attributes = { mode: 'overlay' };
      const [harness, page] = await MerchantPage.place(server, { root, attributes });
      await harness.during('ready', () => harness.press());
      const { renderRoot } = harness.element;
      const close = renderRoot.querySelector('[part="close"]')!.getBoundingClientRect();
      const card = renderRoot.querySelector('section')!.getBoundingClientRect();
      expect(close.left > card.left + card.width / 2, root).to.equal(isAtRight);
      expect(close.height, root).to.be.at.least(44);
      page.close();
    }
  });

  it('with a wall above everything does not cover the overlay', async () => {
    const [harness, page] = await MerchantPage.place(server, {
      css: '#wall { position: fixed; inset: 0; z-index: 2147483647; background: red; }',
      after: '<div id="wall"></div>',
      attributes: { mode: 'overlay' },
    });
    harness.element.start();
    await harness.reaches('ready');
    const close = harness.element.renderRoot.querySelector('[part="close"]') as Element;
    expect(isTouchable(page, close)).to.equal(true);
    expect(isTouchable(page, harness.form as Element)).to.equal(true);
    page.close();
  });

  it('without margins leaves the form its distance from the amount', async () => {
    const [harness, page] = await MerchantPage.place(server, { css: '* { margin: 0; }' });
    await harness.during('ready', () => harness.press());
    const header = harness.element.renderRoot.querySelector('header') as Element;
    const { bottom } = header.getBoundingClientRect();
    expect((harness.form as Element).getBoundingClientRect().top - bottom).to.equal(16);
    page.close();
  });

  it('in forced colours every phase keeps its shapes', async () => {
    await emulateMedia({ forcedColors: 'active' });
    for (const [, reach] of EVERY_PHASE) {
      server = await new TestServer().start();
      const [harness, page] = await MerchantPage.place(server);
      await reach(harness);
      const { renderRoot } = harness.element;
      for (const one of renderRoot.querySelectorAll('[part="button"], input, section')) {
        const { borderTopColor, borderTopWidth, backgroundColor } = page.page.getComputedStyle(one);
        expect(parseFloat(borderTopWidth), harness.phase).to.be.at.least(1);
        expect(borderTopColor, harness.phase).not.to.equal(backgroundColor);
      }
      for (const one of renderRoot.querySelectorAll('section [part="icon"]')) {
        const { stroke, backgroundColor } = page.page.getComputedStyle(one);
        expect(stroke, harness.phase).not.to.equal(backgroundColor);
      }
      expectUsable(harness, page);
      page.close();
    }
    await emulateMedia({ forcedColors: 'none' });
  });
});
