import { expect } from '@open-wc/testing';
import { MerchantPage } from '../testing/merchant-page.js';
import { TestServer } from '../testing/test-server.js';

const CANARY = `"'><img src=x onerror="parent.canarySang=true"><script>parent.canarySang=true</script>`;

/** What a canary would have done. */
interface WithCanary {
  canarySang?: boolean;
}

/** Elements that only a canary could have created. */
function hatched(page: MerchantPage): readonly string[] {
  const roots: ParentNode[] = [page.element, page.element.renderRoot];
  const found = roots.flatMap((root) => [...root.querySelectorAll('img, script, [onerror]')]);
  return found.map((one) => one.outerHTML);
}

describe('nothing of an order or a provider becomes markup', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));
  afterEach(() => expect((globalThis as WithCanary).canarySang).to.equal(undefined));

  it('neither the order, amount, currency, checkout, session nor environment', async () => {
    const changes = {
      checkout: CANARY,
      sessionId: CANARY,
      amount: CANARY,
      currency: CANARY,
      environment: CANARY as 'sandbox',
    };
    const status = { ...server.status({ checkout: CANARY, order: CANARY }) };
    await server.set({
      open: [{ status: 200, body: server.openReply(changes) }],
      status,
    });
    const attributes = { order: CANARY, locale: 'en' };
    const [harness, page] = await MerchantPage.place(server, { attributes });
    await harness.during('ready', () => harness.press());
    expect(harness.reference).to.contain('<img');
    expect(harness.element.renderRoot.textContent).to.contain(`${CANARY} ${CANARY}`);
    expect(hatched(page)).to.deep.equal([]);
    await harness.during('paid', () =>
      server.set({ status: { ...status, state: 'paid', revision: 2 } }),
    );
    expect(hatched(page)).to.deep.equal([]);
    page.close();
  });

  it('nor the amount', async () => {
    const body = server.openReply({ amount: CANARY, currency: CANARY });
    await server.set({ open: [{ status: 200, body }] });
    const [harness, page] = await MerchantPage.place(server);
    await harness.during('ready', () => harness.press());
    expect(harness.element.renderRoot.textContent).to.contain(CANARY);
    expect(hatched(page)).to.deep.equal([]);
    page.close();
  });

  it('neither the code nor the request of a refusal', async () => {
    const body = { code: CANARY, requestId: CANARY, detail: CANARY, title: CANARY };
    await server.set({ open: [{ status: 409, body }] });
    const [harness, page] = await MerchantPage.place(server);
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain(`${CANARY} · ${CANARY}`);
    expect(hatched(page)).to.deep.equal([]);
    page.close();
  });

  it('neither what the SDK throws, nor its described address', async () => {
    const sdk = { ...server.sdkDescription, url: CANARY };
    await server.set({
      config: { status: 200, body: { merchant: CANARY, environment: 'sandbox', sdk } },
      open: [{ status: 200, body: server.openReply({ sdk }) }],
    });
    const [harness, page] = await MerchantPage.place(server);
    const refusing = { configure: () => Promise.reject(new Error(CANARY)) };
    Object.assign(page.page, { [sdk.global]: refusing });
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.contain('sdk_configure_failed');
    expect(hatched(page)).to.deep.equal([]);
    page.close();
  });

  it('neither what a shopper typed, nor the fields that a server requires', async () => {
    const reply = { ...server.openReply(), needs: ['avs'], fields: ['houseNumber', 'postcode'] };
    const refusal = {
      code: 'request_invalid',
      errors: [{ field: 'avs.postcode', message: CANARY }],
    };
    await server.set({
      open: [
        { status: 200, body: reply },
        { status: 400, body: refusal },
      ],
    });
    const [harness, page] = await MerchantPage.place(server);
    await harness.during('address', () => harness.press());
    for (const input of harness.element.renderRoot.querySelectorAll('input')) {
      input.value = CANARY.slice(0, 30);
    }
    await harness.during('address', () => harness.press());
    expect(hatched(page)).to.deep.equal([]);
    page.close();
  });

  it('a redirect link is never a script', async () => {
    const attributes = { mode: 'redirect', order: `javascript:${CANARY}`, merchant: CANARY };
    const [harness, page] = await MerchantPage.place(server, { attributes });
    await harness.during('redirecting', () => harness.press());
    page.page.stop();
    const link = harness.element.renderRoot.querySelector('a');
    expect(link?.protocol).to.equal('http:');
    expect(link?.origin).to.equal(server.url);
    expect(hatched(page)).to.deep.equal([]);
    page.close();
  });
});
