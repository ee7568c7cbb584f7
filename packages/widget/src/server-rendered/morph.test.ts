import { expect } from '@open-wc/testing';
import { Idiomorph } from 'idiomorph';
import morphdom from 'morphdom';
import type { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';
import { nextTask } from '../testing/until.js';

/** Its types are those of a module of another kind than a browser loads. */
const patch = morphdom as unknown as (from: Element, to: string) => unknown;

/** What brings a page up to date with new HTML from its server, and keeps what is the same. */
const MORPHS: Readonly<Record<string, (place: Element, html: string) => unknown>> = {
  'idiomorph, as Turbo and htmx do': (place, html) => Idiomorph.morph(place, html),
  'morphdom, as LiveView does': (place, html) => patch(place, html),
};

const TAG = ['merchant="corner-shop"', 'order="A1001"', 'order-token="A1001.2000000000.x"'];
/** What a shop's server writes of the tag, and code sets. */
const TAGS: Readonly<Record<string, readonly [written: string, code: Record<string, unknown>]>> = {
  'a tag with attributes': [`<pay-checkout ${TAG.join(' ')}></pay-checkout>`, {}],
  'a tag with a link inside': [
    `<pay-checkout ${TAG.join(' ')}><a href="/">Pay</a></pay-checkout>`,
    {},
  ],
  'a tag that code has set': [
    '<pay-checkout></pay-checkout>',
    {
      merchant: 'corner-shop',
      order: 'A1001',
      orderToken: 'A1001.2000000000.x',
      theme: 'dark',
      locale: 'en-GB',
    },
  ],
};

describe('a page that is morphed into what its server renders now', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  for (const [how, morph] of Object.entries(MORPHS)) {
    for (const [what, [written, code]] of Object.entries(TAGS)) {
      const render = (basket: string): string =>
        `<main id="checkout"><h1>${basket}</h1>${written}<p>${basket}</p></main>`;

      async function open(): Promise<[PayCheckoutHarness, MerchantPage, () => Promise<unknown>]> {
        const parts = { attributes: { merchant: '', order: '', 'order-token': '' } };
        const [harness, page] = await MerchantPage.place(server, {
          after: render('1 pot'),
          ...parts,
        });
        const { document } = page.page;
        document.querySelector('pay-checkout')?.remove();
        const element = page.element;
        Object.assign(element, code);
        await element.updateComplete;
        const rerender = (): Promise<unknown> => {
          morph(document.querySelector('main') as Element, render('2 pots'));
          expect(document.querySelector('h1')?.textContent).to.equal('2 pots');
          expect(page.element === element).to.equal(true);
          return nextTask().then(() => element.updateComplete);
        };
        return [Object.assign(harness, { element }), page, rerender];
      }

      it(`by ${how}: what was typed in the form of ${what} stays`, async () => {
        const [harness, page, rerender] = await open();
        await harness.during('ready', () => harness.press());
        const input = page.page.document.createElement('input');
        input.value = '4111';
        harness.form?.firstElementChild?.append(input);
        await rerender();
        expect(harness.form?.contains(input)).to.equal(true);
        expect(input.isConnected).to.equal(true);
        expect(page.sdk.calls).to.have.length(1);
        expect(page.sdk.destroyed).to.equal(0);
        expect(harness.phase).to.equal('ready');
        expect(page.complaints).to.deep.equal([]);
        page.close();
      });

      it(`by ${how}: the warning of ${what} stays after a submitted card, until it is paid`, async () => {
        const [harness, page, rerender] = await open();
        await harness.during('ready', () => harness.press());
        page.sdk.calls[0]?.onSubmit?.();
        await harness.element.updateComplete;
        const { announcement } = harness;
        expect(announcement).to.contain('Please do not pay again');
        await rerender();
        expect(harness.announcement).to.equal(announcement);
        await harness.during('paid', () => server.setState('paid'));
        await rerender();
        expect(harness.announcement).to.contain('Payment received');
        expect(await server.opens()).to.have.length(1);
        page.close();
      });
    }
  }
});
