import { expect } from '@open-wc/testing';
import { en, type Labels } from '../labels/en.js';
import { accessibilityTree } from '../testing/accessibility-tree.js';
import { EVERY_PHASE, WITHIN_PHASES } from '../testing/every-phase.js';
import { MerchantPage, STRICT_POLICY } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';
import { until } from '../testing/until.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const GERMAN = 'Bezahlen';
const ENGLISH = 'Pay';

describe('<pay-checkout> in other languages', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start({ hasLanguages: true })));

  const wordsOf = ({ button }: PayCheckoutHarness): string => button?.textContent?.trim() ?? '';
  const cardOf = ({ element }: PayCheckoutHarness): HTMLElement =>
    element.renderRoot.querySelector('section') as HTMLElement;
  const languageOf = (harness: PayCheckoutHarness): string => cardOf(harness).lang;
  const asked = (): Promise<unknown[]> => server.seen('GET', /languages/);

  for (const [locale, words, language] of [
    ['de', GERMAN, 'de'],
    ['de-AT', GERMAN, 'de'],
    ['DE-at', GERMAN, 'de'],
    ['de_CH', GERMAN, 'de'],
    ['ar-EG', 'ادفع', 'ar'],
    ['la', ENGLISH, 'en'],
    ['dex', ENGLISH, 'en'],
    ['constructor', ENGLISH, 'en'],
    ['en-GB', ENGLISH, 'en'],
  ] as const) {
    it(`${locale} is shown in ${language}`, async () => {
      const harness = await PayCheckoutHarness.place(server, { locale });
      if (language === 'en' && locale !== 'en-GB')
        await until(async () => (await asked()).length > 0);
      await until(() => wordsOf(harness) === words);
      expect(languageOf(harness)).to.equal(language);
    });
  }

  it('English asks the server for no words', async () => {
    const harness = await PayCheckoutHarness.ready(server, { locale: 'en-GB' });
    expect(languageOf(harness)).to.equal('en');
    expect(await asked()).to.deep.equal([]);
  });

  it('a change of the closest lang or the locale changes the words, and the payment goes on', async () => {
    const { documentElement } = document;
    const before = documentElement.lang;
    const harness = await PayCheckoutHarness.ready(server);
    const { form } = harness;
    const home = harness.element.parentElement as HTMLElement;
    const amount = (): string | null | undefined =>
      harness.element.renderRoot.querySelector('[part="amount"]')?.textContent;
    documentElement.lang = 'de';
    await until(() => languageOf(harness) === 'de');
    expect(amount()).to.equal(
      new Intl.NumberFormat('de', { style: 'currency', currency: 'GBP' }).format(42.5),
    );
    expect(harness.reference).to.match(/^Referenz: A1001/);
    home.lang = 'en';
    await until(() => languageOf(harness) === 'en');
    home.lang = 'ar';
    await until(() => languageOf(harness) === 'ar');
    harness.element.lang = 'de';
    await until(() => languageOf(harness) === 'de');
    harness.element.locale = 'ar';
    await until(() => languageOf(harness) === 'ar');
    expect(form?.ariaLabel).to.equal('نموذج الدفع');
    documentElement.lang = before;
    expect(harness.form).to.equal(form);
    expect(await server.opens()).to.have.length(1);
    expect(harness.phase).to.equal('ready');
    await harness.during('paid', () => server.setState('paid'));
  });

  it('in an SVG follows the lang there', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const home = harness.element.parentElement as HTMLElement;
    home.innerHTML = '<svg lang="de"><foreignObject></foreignObject></svg>';
    home.querySelector('foreignObject')?.append(harness.element);
    await until(() => wordsOf(harness) === GERMAN);
  });

  it('in a shadow root follows the lang there', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const holder = document.createElement('div');
    document.body.append(holder);
    const place = document.createElement('p');
    holder.attachShadow({ mode: 'open' }).append(place);
    place.append(harness.element);
    for (const [lang, words] of [
      ['de', GERMAN],
      ['ar', 'ادفع'],
      ['en', ENGLISH],
    ] as const) {
      place.lang = lang;
      await until(() => wordsOf(harness) === words);
    }
    holder.remove();
  });

  it('without the words the payment is made in English, and the words come when they can', async () => {
    await server.set({ hasLanguages: false });
    const harness = await PayCheckoutHarness.place(server, { locale: 'de' });
    await until(async () => (await asked()).length > 0);
    await harness.during('ready', () => harness.press());
    await harness.during('confirming', () => server.setState('returned'));
    expect(harness.announcement).to.equal(en.phases.confirming);
    await server.set({ hasLanguages: true });
    await harness.during('paid', () => server.setState('paid', 3));
    await until(() => harness.announcement === 'Zahlung erhalten. Vielen Dank.');
  });

  it('words that are slow delay nothing', async () => {
    await server.set({ holdLanguages: true });
    const harness = await PayCheckoutHarness.place(server, { locale: 'de' });
    await harness.during('ready', () => harness.press());
    expect(languageOf(harness)).to.equal('en');
    await server.set({ holdLanguages: false });
    await until(() => languageOf(harness) === 'de');
    expect(await server.opens()).to.have.length(1);
  });

  it('two tags ask for the words once', async () => {
    const [one, two] = await Promise.all(
      ['A1', 'A2'].map((order) => PayCheckoutHarness.place(server, { order, locale: 'de' })),
    );
    await until(() => wordsOf(one!) === GERMAN && wordsOf(two!) === GERMAN);
    expect(await asked()).to.have.length(1);
  });

  it('words come from the tag’s own server only, under a strict policy and Trusted Types', async () => {
    const [harness, page] = await MerchantPage.place(server, {
      policy: STRICT_POLICY,
      root: 'lang="de-AT"',
    });
    await until(() => wordsOf(harness) === GERMAN);
    const loaded = page.page.performance.getEntriesByType('resource').map(({ name }) => name);
    const words = loaded.filter((name) => name.includes('/v1/languages/'));
    expect(words).to.deep.equal([`${server.url}/v1/languages/de-AT`]);
    expect(page.complaints).to.deep.equal([]);
    page.close();
  });

  it('the hosted page is opened in the language of the tag', async () => {
    const harness = await PayCheckoutHarness.place(server, { locale: 'de-AT', mode: 'redirect' });
    harness.element.addEventListener('pay-redirect', (event) => event.preventDefault());
    const redirect = harness.nextEvent('pay-redirect');
    harness.press();
    expect((await redirect).url).to.match(/\/v1\/pay\/[^?]+\?locale=de-AT$/);
  });

  it('labels replace any text, in any language, and give it back', async () => {
    const labels = {
      buttons: { pay: '<b>Kaufen</b>' },
      card: undefined,
      phases: { paid: 'Danke!' },
    };
    const harness = await PayCheckoutHarness.place(server, { locale: 'de', labels });
    await until(() => languageOf(harness) === 'de');
    expect(wordsOf(harness)).to.equal('<b>Kaufen</b>');
    expect(cardOf(harness).ariaLabel).to.equal('Bezahlvorgang');
    harness.element.labels = null;
    await until(() => wordsOf(harness) === GERMAN);
    harness.element.labels = labels;
    await harness.during('ready', () => harness.press());
    await harness.during('paid', () => server.setState('paid'));
    expect(harness.announcement).to.equal('Danke!');
  });

  it('the same words in another language are not announced, what changes afterwards is', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    await harness.during('confirming', () => server.setState('returned'));
    const isLive = async (): Promise<boolean | undefined> => {
      const tree = await accessibilityTree();
      return tree.find(({ role, name }) => role === 'StaticText' && name === harness.announcement)
        ?.isLive;
    };
    expect(await isLive()).to.equal(true);
    harness.element.locale = 'de';
    await until(() => languageOf(harness) === 'de');
    expect(await isLive()).to.equal(false);
    await harness.during('paid', () => server.setState('paid', 3));
    expect(harness.announcement).to.equal('Zahlung erhalten. Vielen Dank.');
    expect(await isLive()).to.equal(true);
  });

  it('Arabic is laid out from right to left on a page that is not, with the form', async () => {
    const harness = await PayCheckoutHarness.place(server, { locale: 'ar', mode: 'overlay' });
    await until(() => languageOf(harness) === 'ar');
    await harness.during('ready', () => harness.press());
    const find = (selector: string): DOMRect =>
      harness.element.renderRoot.querySelector(selector)!.getBoundingClientRect();
    const card = find('section');
    expect(find('[part="badge"]').right).to.be.below(find('[part="amount"]').left);
    // An amount in Latin letters begins where the line does.
    expect(find('[part="amount"]').right).to.be.closeTo(find('header').right, 1);
    expect(find('[part="close"]').right).to.be.below(card.left + card.width / 2);
    expect(getComputedStyle(harness.form as Element).direction).to.equal('rtl');
    await expect(harness.element).to.be.accessible();
    server.sdk.calls[0]?.onDecline?.();
    await harness.element.updateComplete;
    expect(find('.message > span:last-child').right).to.be.below(find('[part="icon"]').left);
    await harness.during('failed', () => server.setState('failed'));
    // Its words begin at the right, although the text of the page begins at the left.
    const range = document.createRange();
    range.selectNodeContents(
      harness.element.renderRoot.querySelector('[part="reference"]') as Node,
    );
    const reference = find('[part="reference"]');
    expect(range.getBoundingClientRect().right).to.be.closeTo(reference.right, 1);
    expect(getComputedStyle(harness.element).direction).to.equal('ltr');
  });

  it('German on a page that is read from right to left is laid out from left to right', async () => {
    const root = 'lang="ar" dir="rtl"';
    const attributes = { locale: 'de' };
    const [harness, page] = await MerchantPage.place(server, { root, attributes });
    await until(() => languageOf(harness) === 'de');
    expect(page.page.getComputedStyle(cardOf(harness)).direction).to.equal('ltr');
    page.close();
  });

  describe('in a card of 280 pixels', () => {
    const all: Labels[] = [en];
    before(async () => {
      server = await new TestServer().start({ hasLanguages: true });
      for (const tag of ['ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'sv', 'tr']) {
        const answer = await fetch(`${server.here}/v1/languages/${tag}`);
        all.push((await answer.json()) as Labels);
      }
    });

    for (const [what, reach] of [...EVERY_PHASE, ...WITHIN_PHASES]) {
      it(`${what}, in every language: nothing is wider`, async () => {
        expect(all.length).to.be.above(10);
        const css = 'body { margin: 0 }';
        const [harness, page] = await MerchantPage.place(server, { width: 280, css });
        await reach(harness);
        const { element } = harness;
        for (const labels of all) {
          element.labels = labels;
          await element.updateComplete;
          const { locale } = labels;
          expect(languageOf(harness)).to.equal(locale);
          expect(page.page.document.scrollingElement?.scrollWidth, locale).to.equal(280);
          // The spinner turns, so its own box is wider at times.
          const parts =
            'section, .message > :not([part="spinner"]), [part="button"], [part="badge"], label';
          for (const one of [element, ...element.renderRoot.querySelectorAll(parts)]) {
            expect(one.scrollWidth, `${locale} ${one.className}`).to.be.at.most(one.clientWidth);
          }
          const header = element.renderRoot.querySelector('header');
          const close = element.renderRoot.querySelector('[part="close"]')?.getBoundingClientRect();
          if (!header || !close) continue;
          expect(close.top, locale).to.equal(header.getBoundingClientRect().top);
          for (const one of header.querySelectorAll(':scope > :not(slot)')) {
            const { left, right } = one.getBoundingClientRect();
            expect(right <= close.left || left >= close.right, locale).to.equal(true);
          }
        }
        page.close();
      });
    }
  });
});
