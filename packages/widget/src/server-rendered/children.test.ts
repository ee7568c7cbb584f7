import { expect } from '@open-wc/testing';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import type { PayCheckout } from '../pay-checkout/pay-checkout.js';
import { MerchantPage } from '../testing/merchant-page.js';
import { nextTask, until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

/** What frameworks do to the children of a tag when they render it again. */
const RENDERINGS: Readonly<Record<string, (element: PayCheckout) => void>> = {
  'replaceChildren() with a link': (element) => {
    const link = element.ownerDocument.createElement('a');
    link.textContent = 'Pay';
    element.replaceChildren(link);
  },
  'innerHTML with a link': (element) => (element.innerHTML = '<a href="/pay">Pay £43.00</a>'),
  'textContent, as for a text that changed': (element) => (element.textContent = 'Pay £43.00'),
  'nothing at all': (element) => element.replaceChildren(),
  'each child removed separately': (element) => {
    while (element.lastChild) element.lastChild.remove();
  },
};

describe('a framework that renders the children of the tag again', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));
  const inside = '<a href="/pay">Pay £42.50</a>';

  for (const [what, render] of Object.entries(RENDERINGS)) {
    it(`with ${what}, while the form is open: the form comes back, in the same session`, async () => {
      const [harness, page] = await MerchantPage.place(server, { inside });
      await harness.during('ready', () => harness.press());
      render(harness.element);
      await until(() => page.sdk.calls.length === 2);
      await until(() => harness.form?.childElementCount === 1);
      expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
      expect(page.sdk.calls[1]).to.include({ session_id: `session-${server.id}` });
      expect(page.sdk.destroyed).to.equal(1);
      expect(harness.phase).to.equal('ready');
      expect(await server.opens()).to.have.length(1);
      expect(harness.count('pay-ready')).to.equal(1);
      await harness.during('paid', () => server.setState('paid'));
      expect(page.complaints).to.deep.equal([]);
      page.close();
    });
  }

  it('before the form is open, and after it is gone: nothing is mounted', async () => {
    const [harness, page] = await MerchantPage.place(server, { inside });
    for (const render of Object.values(RENDERINGS)) render(harness.element);
    await nextTask();
    expect(harness.form === null).to.equal(true);
    await harness.during('ready', () => harness.press());
    await harness.during('paid', () => server.setState('paid'));
    for (const render of Object.values(RENDERINGS)) render(harness.element);
    await nextTask();
    expect(harness.form === null).to.equal(true);
    expect(page.sdk.calls).to.have.length(1);
    page.close();
  });

  it('next to the form, as frameworks do that know their own children: the form stays', async () => {
    const [harness, page] = await MerchantPage.place(server, { inside });
    await harness.during('ready', () => harness.press());
    const { form } = harness;
    const link = harness.element.querySelector('a') as Element;
    link.textContent = 'Pay £43.00';
    link.replaceWith(link.cloneNode(true));
    await nextTask();
    expect(harness.form === form).to.equal(true);
    expect(page.sdk.calls).to.have.length(1);
    page.close();
  });

  it('with a form that came with the markup: only ours is shown', async () => {
    const copy = '<div slot="form" id="pay-checkout-form-1"><input></div>';
    const parts = { inside: inside + copy, isWithoutScript: true };
    const page = await MerchantPage.open(server, parts);
    await page.bringScript();
    await page.element.updateComplete;
    const harness = new PayCheckoutHarness(page.element, server);
    expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(0);
    await harness.during('ready', () => harness.press());
    expect(harness.element.querySelectorAll('[slot="form"]')).to.have.length(1);
    page.close();
  });
});
