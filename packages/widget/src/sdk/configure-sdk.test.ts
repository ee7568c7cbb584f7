import { expect } from '@open-wc/testing';
import type { SdkDescription } from '@pay-checkout/session-server/contract';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { MerchantPage, NONCE } from '../testing/merchant-page.js';
import { until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';

/** What a policy with a nonce asks of every script that is not of the page's own origin. */
const POLICY = `script-src 'self' 'nonce-${NONCE}'`;
const ELEMENT = '/packages/widget/src/pay-checkout/pay-checkout.ts';

describe('the script of the client SDK', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  /** The SDK from another origin than the page, as in production. */
  async function describeElsewhere(changes: Partial<SdkDescription> = {}): Promise<string> {
    const url = server.sdkDescription.url.replace('//localhost', '//127.0.0.1');
    const sdk = { ...server.sdkDescription, ...changes, url };
    const config = { merchant: 'corner-shop', environment: 'sandbox', sdk };
    await server.set({
      config: { status: 200, body: config },
      open: [{ status: 200, body: server.openReply({ sdk }) }],
    });
    return url;
  }

  function tagsOf(url: string): HTMLScriptElement[] {
    return [...document.scripts].filter(({ src }) => src === url);
  }

  describe('that `integrity` describes', () => {
    /** Of the SDK, or of one that has been tampered with. */
    async function hashOf(more = ''): Promise<string> {
      const script = await (await fetch(server.sdkDescription.url)).text();
      const bytes = new TextEncoder().encode(script + more);
      const hash = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
      return `sha384-${btoa(String.fromCharCode(...hash))}`;
    }

    it('comes from another origin, and mounts its form', async () => {
      await server.set({ sharesSdk: true });
      const url = await describeElsewhere({ integrity: await hashOf() });
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('ready', () => harness.press());
      expect(harness.form?.textContent).to.equal('Card number');
      expect(tagsOf(url).map(({ crossOrigin }) => crossOrigin)).to.deep.equal(['anonymous']);
    });

    it('is not run when its hash differs: a problem with a message, and no form', async () => {
      await server.set({ sharesSdk: true });
      await describeElsewhere({ integrity: await hashOf('alert(1)') });
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('sdk_integrity');
      expect(server.sdk).to.equal(undefined);
    });
  });

  describe('under a policy that only a nonce opens', () => {
    /** A page whose own script, and whose tag, have these nonces. */
    async function place(own: string, ofTag: string): Promise<[PayCheckoutHarness, MerchantPage]> {
      const after = `<script type="module" nonce="${own}" src="${ELEMENT}"></script>`;
      const attributes = { nonce: ofTag };
      const parts = { policy: POLICY, isWithoutScript: true, after, attributes };
      const [harness, page] = await MerchantPage.place(server, parts);
      harness.element.server = server.url;
      return [harness, page];
    }

    it('is let in by the nonce of the tag, where the script has none to lend', async () => {
      await describeElsewhere();
      const [harness, page] = await place('', NONCE);
      await harness.during('ready', () => harness.press());
      expect(page.sdk.calls).to.have.length(1);
      expect(page.complaints).to.deep.equal([]);
      page.close();
    });

    it('is let in by the nonce of the tag, when the script has another one', async () => {
      await describeElsewhere();
      const [harness, page] = await place('c3RhbGU', NONCE);
      await harness.during('ready', () => harness.press());
      expect(page.complaints).to.deep.equal([]);
      page.close();
    });

    it('is blocked where neither has it', async () => {
      await describeElsewhere();
      const [harness, page] = await place('', '');
      await harness.during('problem', () => harness.press());
      expect(harness.notice).to.contain('sdk_blocked_csp');
      page.close();
    });
  });

  it('loads once for twenty tags, and each of them mounts its form', async () => {
    await server.set({ sdk: 'silent' });
    const numbers = [...Array(20).keys()];
    const harnesses = await Promise.all(
      numbers.map((number) => PayCheckoutHarness.place(server, { order: `A${number}` })),
    );
    const ready = harnesses.map((harness) => harness.during('ready', () => harness.press()));
    await until(async () => (await server.opens()).length === 20);
    await server.set({ sdk: 'fine' });
    await Promise.all(ready);
    expect(tagsOf(server.sdkDescription.url)).to.have.length(1);
    expect(await server.seen('GET', /sdk\.js$/)).to.have.length(1);
    expect(await server.seen('GET', /checkout-config$/)).to.have.length(1);
    expect(harnesses.map(({ form }) => form?.textContent)).to.deep.equal(
      numbers.map(() => 'Card number'),
    );
  });
});
