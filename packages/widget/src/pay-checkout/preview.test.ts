import { expect } from '@open-wc/testing';
import { until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const PREVIEW = { shop: 'Test Tea', amount: '42.50', currency: 'GBP', environment: 'sandbox' };

describe('the price before the payment', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await new TestServer().start({ preview: { status: 200, body: PREVIEW } });
  });

  const headerOf = ({ element }: PayCheckoutHarness): string =>
    element.renderRoot.querySelector('header')?.textContent?.replace(/\s+/g, ' ').trim() ?? '';

  const comes = (harness: PayCheckoutHarness): Promise<void> =>
    until(() => headerOf(harness).includes('£'));

  it('is there with the shop’s name before Pay is pressed, and nothing is created', async () => {
    const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
    await comes(harness);
    expect(headerOf(harness)).to.equal('Test Tea £42.50 Test');
    expect(harness.phase).to.equal('idle');
    const [asked] = await server.previews();
    expect(asked?.body).to.deep.equal({
      merchant: 'corner-shop',
      order: 'A1001',
      orderToken: 'A1001.2000000000.c2lnbmF0dXJl',
      preview: true,
    });
    expect(await server.opens()).to.have.length(0);
    expect(await server.seen('OPTIONS', /\/v1\/checkouts$/)).to.have.length(0);
  });

  for (const [what, status, words] of [
    ['comes', 200, 'Test Tea £42.50 Test'],
    ['is refused', 429, 'Test'],
  ] as const) {
    it(`moves nothing when it ${what}`, async () => {
      await server.set({ holdPreview: true, preview: { status, body: PREVIEW } });
      const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
      await until(() => headerOf(harness) === 'Test');
      const blank = (): Element | null => harness.element.renderRoot.querySelector('.blank');
      expect(blank()?.clientHeight).to.be.above(10);
      const top = (): number => harness.button?.getBoundingClientRect().top ?? NaN;
      const before = [harness.element.offsetHeight, top(), harness.badge?.offsetTop];
      await server.set({ holdPreview: false });
      await until(() => blank() === null);
      expect(headerOf(harness)).to.equal(words);
      const { element, badge } = harness;
      expect(before).to.deep.equal([element.offsetHeight, top(), badge?.offsetTop]);
    });
  }

  for (const [what, script] of [
    ['is refused', { preview: { status: 429, body: { code: 'too_many_requests' } } }],
    ['is not understood', { preview: { status: 200, body: 'nonsense' } }],
    ['never comes', { holdPreview: true }],
  ] as const) {
    it(`that ${what} keeps no one from paying`, async () => {
      await server.set(script);
      const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
      await until(async () => (await server.previews()).length === 1);
      await harness.during('ready', () => harness.press());
      expect(headerOf(harness)).to.contain('£42.50');
      expect(harness.events).not.to.include('pay-error');
    });
  }

  it('is of the order that the tag names now, and of no attribute', async () => {
    const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
    await comes(harness);
    harness.element.setAttribute('amount', '0.01');
    await server.set({ holdPreview: true });
    harness.element.order = 'A1002';
    await harness.element.updateComplete;
    expect(headerOf(harness)).not.to.contain('£');
    // The badge may have come with the price, before the configuration.
    await until(() => headerOf(harness) === 'Test');
    const body = { ...PREVIEW, amount: '7.00' };
    await server.set({ holdPreview: false, preview: { status: 200, body } });
    await comes(harness);
    expect(headerOf(harness)).to.equal('Test Tea £7.00 Test');
  });

  it('gives way to the price that the checkout was created at', async () => {
    const reply = server.openReply({ amount: '50.00' });
    await server.set({ open: [{ status: 200, body: reply }] });
    const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
    await comes(harness);
    await harness.during('ready', () => harness.press());
    expect(headerOf(harness)).to.equal('Test Tea £50.00 Test');
  });
});
