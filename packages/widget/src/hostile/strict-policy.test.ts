import { expect } from '@open-wc/testing';
import { EVERY_PHASE, WITHIN_PHASES } from '../testing/every-phase.js';
import { MerchantPage, NONCE, STRICT_POLICY } from '../testing/merchant-page.js';
import { until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

describe("a page under default-src 'none', a nonce, and Trusted Types", () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('is under that policy', async () => {
    const page = await MerchantPage.open(server, {
      policy: STRICT_POLICY,
      body: '<p style="color:red">',
    });
    const { document } = page.page;
    expect(() => (document.body.innerHTML = '<p>')).to.throw();
    await until(() => page.complaints.some((one) => one.startsWith('style-src')));
    page.close();
  });

  for (const [what, reach] of [...EVERY_PHASE, ...WITHIN_PHASES]) {
    it(`${what}: nothing is blocked, logged or styled inline`, async () => {
      const [harness, page] = await MerchantPage.place(server, { policy: STRICT_POLICY });
      await reach(harness);
      expect(what).to.match(new RegExp(`^${harness.phase}`));
      expect(page.complaints).to.deep.equal([]);
      expect(page.styledInline).to.deep.equal([]);
      const card = harness.element.renderRoot.querySelector('section') as Element;
      expect(page.page.getComputedStyle(card).backgroundColor).to.equal('rgb(255, 255, 255)');
      harness.element.close();
      page.close();
    });
  }

  it('lends the SDK its nonce, of which no attribute is left to read', async () => {
    const [harness, page] = await MerchantPage.place(server, { policy: STRICT_POLICY });
    await harness.during('ready', () => harness.press());
    const script = page.page.document.querySelector<HTMLScriptElement>('script[src*="sdk.js"]');
    expect(script?.nonce).to.equal(NONCE);
    expect(page.page.document.documentElement.outerHTML).not.to.contain(NONCE);
    page.close();
  });
});
