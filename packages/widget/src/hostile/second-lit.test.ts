import { expect } from '@open-wc/testing';
import { MerchantPage, STRICT_POLICY } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';

/** What any copy of Lit does with Trusted Types when it is loaded. */
const OTHER_LIT = `window.otherLit = () => trustedTypes.createPolicy('lit-html', { createHTML: (text) => text });`;
const WITH_DUPLICATES = `${STRICT_POLICY} 'allow-duplicates'`;

interface WithLit {
  otherLit(): unknown;
}

describe('a page with another copy of Lit', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  for (const [what, policy] of [
    ['has no policy', ''],
    ["allows 'allow-duplicates'", WITH_DUPLICATES],
  ] as const) {
    it(`that ${what} works, whichever loads first`, async () => {
      const before = `${OTHER_LIT} otherLit();`;
      const [harness, page] = await MerchantPage.place(server, { policy, before });
      await harness.during('ready', () => harness.press());
      (page.page as unknown as WithLit).otherLit();
      expect(page.complaints).to.deep.equal([]);
      page.close();
    });
  }

  it("that does not, and comes second, is the one that breaks: allow 'allow-duplicates'", async () => {
    const [harness, page] = await MerchantPage.place(server, {
      policy: STRICT_POLICY,
      before: OTHER_LIT,
    });
    await harness.during('ready', () => harness.press());
    expect(page.complaints).to.deep.equal([]);
    expect(() => (page.page as unknown as WithLit).otherLit()).to.throw('lit-html');
    await harness.during('paid', () => server.setState('paid'));
    page.close();
  });

  it('that does not, and comes first, leaves the shopper the link to the hosted page', async () => {
    const page = await MerchantPage.open(server, {
      policy: STRICT_POLICY,
      before: `${OTHER_LIT} otherLit();`,
      inside: `<a href="${server.url}/v1/pay/corner-shop/token">Pay</a>`,
    });
    // WebKit does not say which error it was.
    expect(page.complaints.join()).to.match(/lit-html|^Script error\.$/);
    expect(page.element.matches(':defined')).to.equal(false);
    const link = page.element.querySelector('a') as HTMLElement;
    expect(link.getBoundingClientRect().height).to.be.above(0);
    page.close();
  });

  it('and our script twice, by mistake, pays as if it were there once', async () => {
    const [harness, page] = await MerchantPage.place(server, {
      policy: WITH_DUPLICATES,
      after: `<script nonce="cjRuZDBt" src="/packages/widget/dist/pay-checkout.js"></script>`,
    });
    await harness.during('ready', () => harness.press());
    expect(page.complaints).to.deep.equal([]);
    expect(await server.opens()).to.have.length(1);
    page.close();
  });
});
