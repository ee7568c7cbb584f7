import { expect } from '@open-wc/testing';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';

/** Markup whose names a browser puts in the way of its own. */
const MARKUP: Readonly<Record<string, string>> = {
  'a form called location': `<form id="location"></form>`,
  'an image called fetch': `<img name="fetch" alt="">`,
  'elements named like what a script reads from the window': [
    'navigator',
    'performance',
    'history',
    'customElements',
    'origin',
    'parent',
    'crypto',
    'trustedTypes',
    'URL',
    'BroadcastChannel',
    'payCheckout',
  ]
    .map((name) => `<a id="${name}" name="${name}"></a>`)
    .join(''),
  'a form whose field is called like its methods': `<form id="x"><input name="append"><input name="remove"></form>`,
  'a frame called like a global': `<iframe name="Intl"></iframe>`,
  'forms called head, visibilityState, activeElement and cookie': [
    'head',
    'visibilityState',
    'activeElement',
    'cookie',
  ]
    .map((name) => `<form name="${name}"></form>`)
    .join(''),
};

describe('a page whose markup takes the names of globals', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  for (const [what, body] of Object.entries(MARKUP)) {
    it(`${what}: pays`, async () => {
      const [harness, page] = await MerchantPage.place(server, { body });
      await harness.during('ready', () => harness.press());
      expect(page.sdk.calls).to.have.length(1);
      await harness.during('paid', () => server.setState('paid'));
      expect(page.complaints).to.deep.equal([]);
      page.close();
    });
  }

  for (const tag of ['img', 'embed', 'iframe']) {
    it(`an ${tag} named currentScript does not become the server`, async () => {
      const elsewhere = `http://127.0.0.1:${location.port}/pay-checkout.png`;
      const [harness, page] = await MerchantPage.place(server, {
        body: `<${tag} name="currentScript" src="${elsewhere}"></${tag}>`,
      });
      expect(harness.element.serverUrl).to.equal(server.url);
      page.close();
    });
  }
});
