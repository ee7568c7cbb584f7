import { expect } from '@open-wc/testing';
import { configure } from '../server-origin.js';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { MerchantPage, NONCE } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';

const SCRIPT = '/packages/widget/dist/pay-checkout.js';

/** Policies that do not stop a request or a navigation: only the element can. */
const POLICIES: Readonly<Record<string, string | undefined>> = {
  'no policy': undefined,
  'a strict policy': `default-src 'none'; connect-src *; script-src 'nonce-${NONCE}' http:`,
  'a policy with a nonce': `script-src 'nonce-${NONCE}'`,
  'Trusted Types': [
    `script-src 'nonce-${NONCE}'`,
    `require-trusted-types-for 'script'; trusted-types lit-html pay-checkout-sdk`,
  ].join('; '),
};

/** What someone may write into a page as `server`, with a server of theirs. */
const SERVERS: Readonly<Record<string, (theirs: TestServer) => string>> = {
  'another origin': ({ url }) => url,
  'a file of the page’s own origin': ({ here }) => `${here}/avatar.txt?`,
  'a path of the page’s own origin': ({ here }) => new URL(here).pathname,
  'a script': () => 'javascript:parent.canarySang=true//',
  data: () => 'data:application/json,{}',
  'no address': () => 'https://no such host',
};

describe('third-party markup does not choose the session server', () => {
  let server: TestServer;
  let theirs: TestServer;
  beforeEach(async () => {
    server = await new TestServer().start();
    theirs = await new TestServer().start();
  });

  for (const [under, policy] of Object.entries(POLICIES)) {
    for (const [what, addressOf] of Object.entries(SERVERS)) {
      it(`${what}, under ${under}: nothing is requested, run or opened, and a code says so`, async () => {
        for (const mode of ['inline', 'redirect']) {
          const attributes = { server: addressOf(theirs), mode, nonce: '' };
          const [harness, page] = await MerchantPage.place(server, {
            attributes,
            ...(policy && { policy }),
          });
          const error = harness.nextEvent('pay-error');
          await harness.during('problem', () => harness.press());
          expect(await error).to.include({ code: 'server_refused', retryable: false });
          expect(await theirs.seen('GET', /./)).to.deep.equal([]);
          expect(await server.seen('GET', /\/v1\//)).to.deep.equal([]);
          expect(page.page.document.querySelectorAll('script[src*="sdk.js"]')).to.have.length(0);
          expect(page.page.location.pathname).to.match(/^\/pages\//);
          page.close();
        }
        expect((globalThis as { canarySang?: boolean }).canarySang).to.equal(undefined);
      });
    }
  }

  it('a tag that follows a checkout asks no such server either', async () => {
    history.replaceState(null, '', `?checkout=${server.checkout}`);
    const harness = await PayCheckoutHarness.place(server, {
      server: null,
      serverAttribute: theirs.url,
    });
    await harness.reaches('problem');
    expect(harness.notice).to.contain('server_refused');
    expect(await theirs.polls()).to.deep.equal([]);
    history.replaceState(null, '', location.pathname);
  });

  it('a <base> that comes after a script with a relative address does not move its server', async () => {
    const after = `<script defer nonce="${NONCE}" src="${SCRIPT}"></script><base href="${theirs.url}/">`;
    const page = await MerchantPage.open(server, { isWithoutScript: true, after });
    expect(page.element.serverUrl).to.equal(location.origin);
    page.close();
  });

  it('a script that does not know its own address takes none from another tag', async () => {
    const after = `<script type="text/plain" src="${theirs.url}/pay-checkout.js" data-server="${theirs.url}"></script>
      <script type="module" src="${SCRIPT}"></script>`;
    const [harness, page] = await MerchantPage.place(server, { isWithoutScript: true, after });
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('server_refused');
    page.close();
  });
});

describe('the session server is', () => {
  let server: TestServer;
  let other: TestServer;
  beforeEach(async () => {
    server = await new TestServer().start();
    other = await new TestServer().start();
  });
  afterEach(() => configure({ server: '' }));

  it('where the script came from, and the attribute may say so', async () => {
    for (const written of ['', server.url, `${server.url}/`]) {
      const [harness, page] = await MerchantPage.place(server, { attributes: { server: written } });
      await harness.during('ready', () => harness.press());
      expect(harness.element.serverUrl).to.equal(server.url);
      page.close();
    }
  });

  it('the one in data-server of a classic script, and the attribute chooses between the two', async () => {
    const after = `<script src="${server.url}${SCRIPT}" data-server="${other.url}"></script>`;
    const page = await MerchantPage.open(server, { isWithoutScript: true, after });
    expect(page.element.serverUrl).to.equal(other.url);
    page.element.setAttribute('server', server.url);
    expect(page.element.serverUrl).to.equal(server.url);
    page.close();
  });

  it('the one that configure() names, for tags that are there already too', async () => {
    const harness = await PayCheckoutHarness.place(server, { server: null });
    configure({ server: server.url });
    await harness.during('ready', () => harness.press());
    expect(await server.opens()).to.have.length(1);
  });

  it('the property of the tag first, but never with a path, a query or another scheme', async () => {
    const { element } = await PayCheckoutHarness.place(server);
    configure({ server: other.url });
    expect(element.serverUrl).to.equal(server.url);
    for (const wrong of [
      `${server.url}/up/`,
      `${server.url}?x`,
      'javascript:1',
      'pay.example',
      '/',
    ]) {
      element.server = wrong;
      expect(element.serverUrl, wrong).to.equal('');
    }
    element.server = null;
    expect(element.serverUrl).to.equal(other.url);
  });

  it('another one when the tag says so in time: a refused tag goes on with it', async () => {
    const attributes = { server: other.url };
    const [harness, page] = await MerchantPage.place(server, { attributes });
    await harness.during('problem', () => harness.press());
    await harness.during('ready', () => harness.element.removeAttribute('server'));
    expect(await other.opens()).to.have.length(0);
    page.close();
  });
});
