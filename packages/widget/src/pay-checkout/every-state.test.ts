import { expect } from '@open-wc/testing';
import { sendKeys, setViewport } from '@web/test-runner-commands';
import { findViolations } from '../testing/axe.js';
import { EVERY_PHASE, redirectNowhere, WITHIN_PHASES } from '../testing/every-phase.js';
import { inForcedColors } from '../testing/forced-colors.js';
import { TestServer } from '../testing/test-server.js';
import { until } from '../testing/until.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const LOOKS = [
  ['light', 'en'],
  ['dark', 'en'],
  ['light', 'ar'],
  ['dark', 'ar'],
] as const;

const TARGETS = 'button, a, input, summary';

const USUAL = { width: 800, height: 600 };
/** A screen of 1280 by 1024 pixels at 400 %. */
const AT_400_PERCENT = { width: 320, height: 256 };

/** What WCAG 1.4.12 lets a person set. A spinner that turns is wider at times. */
const WIDE_TEXT = new CSSStyleSheet();
WIDE_TEXT.replaceSync(`* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
  animation: none !important;
}`);

const STATES = [...EVERY_PHASE, ...WITHIN_PHASES];

for (const [what, reach] of STATES) {
  describe(`<pay-checkout>, ${what}`, () => {
    const page = document.createElement('main');
    let server: TestServer;
    let harness: PayCheckoutHarness;

    const all = (selector: string): HTMLElement[] => [
      ...harness.element.renderRoot.querySelectorAll<HTMLElement>(selector),
    ];

    before(async function () {
      // Firefox closes the socket of the runner when a navigation starts.
      if (what === 'redirecting' && navigator.userAgent.includes('Firefox')) this.skip();
      await setViewport(USUAL);
      document.title = 'A page of a merchant';
      document.documentElement.lang = 'en';
      document.documentElement.style.cssText = 'background: Canvas; color: CanvasText';
      page.innerHTML = '<h1>Your order</h1><button>Before</button>';
      document.body.append(page);
      server = await new TestServer().start({ hasLanguages: true });
      harness = await PayCheckoutHarness.place(server);
      page.append(harness.element);
      await (what === 'redirecting' ? redirectNowhere : reach)(harness);
      expect(what).to.match(new RegExp(`^${harness.phase}`));
    });
    after(async () => {
      page.remove();
      if (!harness) return;
      harness.element.close();
      await server.set({ holdOpen: false, holdStatus: false });
    });

    async function look(theme: 'light' | 'dark', locale: string): Promise<void> {
      const { element } = harness;
      element.theme = theme;
      element.locale = locale;
      document.documentElement.style.colorScheme = theme;
      await element.updateComplete;
      await until(() => all('section')[0]?.lang === locale);
    }

    it('axe finds nothing in any theme or direction', async () => {
      for (const [theme, locale] of LOOKS) {
        await look(theme, locale);
        expect(await findViolations(), `${theme} ${locale}`).to.deep.equal([]);
      }
      await look('light', 'en');
    });

    it('at 400 %, with widely spaced text, nothing is cut and nothing needs a scroll to the side', async () => {
      await setViewport(AT_400_PERCENT);
      harness.element.shadowRoot?.adoptedStyleSheets.push(WIDE_TEXT);
      for (const locale of ['en', 'ar']) {
        await look('light', locale);
        const { scrollWidth, clientWidth } = document.documentElement;
        expect(scrollWidth, locale).to.equal(clientWidth);
        for (const one of all('dialog[open], section, section *:not(path)')) {
          const { left, right } = one.getBoundingClientRect();
          const where = `${locale} ${one.outerHTML}`;
          expect(left, where).to.be.at.least(0);
          expect(right, where).to.be.at.most(AT_400_PERCENT.width);
          if (one.clientWidth > 0) {
            expect(one.scrollWidth, where).to.be.at.most(one.clientWidth);
            if (one.matches('button, a'))
              expect(one.scrollHeight, where).to.equal(one.clientHeight);
          }
        }
      }
      harness.element.shadowRoot?.adoptedStyleSheets.pop();
      await look('light', 'en');
    });

    it('each target is at least 24 pixels wide and high', () => {
      for (const target of all(TARGETS)) {
        const { width, height } = target.getBoundingClientRect();
        expect(Math.min(width, height), target.outerHTML).to.be.at.least(24);
      }
    });

    it('Tab reaches each target, with a ring and nothing above it, at 400 %', async () => {
      await setViewport(AT_400_PERCENT);
      await reachAllByTab();
      await inForcedColors(reachAllByTab);
    });

    async function reachAllByTab(): Promise<void> {
      const targets = all(TARGETS);
      const reached = new Set<Element>();
      page.querySelector('button')?.focus();
      for (let presses = 0; presses < 12 && reached.size < targets.length; presses += 1) {
        await sendKeys({ press: 'Tab' });
        const focused = harness.element.shadowRoot?.activeElement as HTMLElement | null;
        if (!focused || !targets.includes(focused)) continue;
        reached.add(focused);
        const { outerHTML } = focused;
        const { outlineStyle, outlineWidth } = getComputedStyle(focused);
        expect([outlineStyle, outlineWidth], outerHTML).to.deep.equal(['solid', '3px']);
        const { left, top, right, bottom } = focused.getBoundingClientRect();
        expect(top, outerHTML).to.be.at.least(0);
        expect(bottom, outerHTML).to.be.at.most(AT_400_PERCENT.height + 1);
        const above = harness.element.shadowRoot?.elementFromPoint(
          (left + right) / 2,
          (top + bottom) / 2,
        );
        expect(focused.contains(above ?? null), outerHTML).to.equal(true);
      }
      expect([...reached]).to.have.members(targets);
    }

    it('forced colours show the edge of each target, and the icons', () =>
      inForcedColors(() => {
        for (const target of all('section, input, [part="button"], [part="badge"]')) {
          const { borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(target);
          expect(borderTopStyle, target.outerHTML).to.equal('solid');
          expect(borderTopColor, target.outerHTML).not.to.equal(backgroundColor);
        }
        for (const path of all('svg path')) {
          const { backgroundColor } = getComputedStyle(path.closest('svg') as Element);
          expect(backgroundColor, path.outerHTML).to.equal('rgb(255, 255, 255)');
          expect(getComputedStyle(path).stroke, path.outerHTML).to.equal('rgb(0, 0, 0)');
        }
      }));
  });
}
