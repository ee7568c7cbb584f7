import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { findViolations } from '../testing/axe.js';
import { en } from '../labels/en.js';
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

  const LINES = [
    { name: 'Darjeeling <b>, 100 g', quantity: 2, amount: '45.00' },
    { name: 'Voucher', quantity: 1, amount: '-2.50' },
  ];
  const itemsOf = ({ element }: PayCheckoutHarness): HTMLDetailsElement | null =>
    element.renderRoot.querySelector('details');

  it('unfolds what the order consists of, which moves nothing before that', async () => {
    await server.set({
      holdPreview: true,
      preview: { status: 200, body: { ...PREVIEW, lineItems: LINES } },
      open: [{ status: 200, body: server.openReply({ lineItems: LINES }) }],
    });
    const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
    await until(() => headerOf(harness) === 'Test');
    const height = harness.element.offsetHeight;
    await server.set({ holdPreview: false });
    await until(() => itemsOf(harness) !== null);
    expect([itemsOf(harness)?.open, harness.element.offsetHeight]).to.deep.equal([false, height]);
    itemsOf(harness)?.querySelector('summary')?.click();
    const lines = [...(itemsOf(harness)?.querySelectorAll('p') ?? [])];
    expect(lines.map(({ innerText }) => innerText.replace(/\s+/g, ' '))).to.deep.equal([
      '2 × Darjeeling <b>, 100 g £45.00',
      'Voucher -£2.50',
    ]);
    expect(harness.element.offsetHeight).to.be.above(height + 30);
    expect(await findViolations(harness.element)).to.deep.equal([]);
    await harness.during('ready', () => harness.press());
    expect(itemsOf(harness)?.open).to.equal(true);
  });

  it('has the triangle before the amount from right to left, too', async () => {
    await server.set({
      hasLanguages: true,
      preview: { status: 200, body: { ...PREVIEW, lineItems: LINES } },
    });
    const harness = await PayCheckoutHarness.place(server, { locale: 'ar' });
    await until(() => itemsOf(harness)?.closest('section')?.dir === 'rtl');
    const summary = itemsOf(harness)?.querySelector('summary') as HTMLElement;
    const [amount] = summary.children;
    const { right = 0 } = amount?.getBoundingClientRect() ?? {};
    expect(summary.getBoundingClientRect().right - right).to.be.above(8);
  });

  it('has what the order consists of unfolded on a wide page that opens the form itself', async () => {
    const body = server.openReply({ lineItems: LINES });
    for (const [width, isOpen] of [
      [390, false],
      [1120, true],
    ] as const) {
      await setViewport({ width, height: 900 });
      await server.set({ open: [{ status: 200, body }] });
      const harness = await PayCheckoutHarness.place(server, { autostart: true });
      await until(() => itemsOf(harness) !== null);
      expect(itemsOf(harness)?.open, String(width)).to.equal(isOpen);
    }
  });

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

  const known = (changes: object) => ({
    status: 200,
    body: { ...PREVIEW, checkout: server.checkout, state: 'open', revision: 3, ...changes },
  });

  for (const [what, changes, phase, words, button] of [
    ['is paid', { state: 'paid' }, 'paid', en.phases.paid, undefined],
    ['is refunded', { state: 'paid', refund: 'full' }, 'paid', en.refunded, undefined],
    [
      'was paid, and is checked',
      { state: 'returned' },
      'confirming',
      en.phases.confirming,
      undefined,
    ],
    [
      'is unconfirmed',
      { state: 'unconfirmed' },
      'unconfirmed',
      en.phases.unconfirmed,
      'Check again',
    ],
    ['has a submitted card', { submitted: true }, 'confirming', en.phases.confirming, undefined],
    ['is open', {}, 'idle', '', 'Pay'],
    ['was cancelled', { state: 'cancelled' }, 'idle', '', 'Pay'],
    ['has expired', { state: 'expired' }, 'idle', '', 'Pay'],
    ['has failed', { state: 'failed' }, 'idle', '', 'Pay'],
  ] as const) {
    it(`of an order that ${what} shows so without a press, with its amount`, async () => {
      await server.set({ preview: known(changes), status: null });
      const harness = await PayCheckoutHarness.place(server, { locale: 'en-GB' });
      await comes(harness);
      await harness.reaches(phase);
      expect(harness.announcement).to.equal(words);
      expect(harness.button?.textContent?.trim()).to.equal(button);
      expect(harness.count('pay-paid')).to.equal(phase === 'paid' ? 1 : 0);
      expect(harness.count('pay-cancel') + harness.count('pay-failed')).to.equal(0);
      expect(await server.opens()).to.have.length(0);
    });
  }

  it('of an order with a checkout is followed: what another page does is seen here', async () => {
    await server.set({ preview: known({}), status: { ...server.status({ revision: 3 }) } });
    const harness = await PayCheckoutHarness.place(server);
    await comes(harness);
    await harness.during('confirming', () =>
      server.set({ status: { ...server.status({ submitted: true, revision: 4 }) } }),
    );
    await harness.during('paid', () => server.setState('paid', 5));
  });

  it('is asked for again when the page is shown again: another one may have paid in the meantime', async () => {
    const harness = await PayCheckoutHarness.place(server);
    await comes(harness);
    expect(harness.phase).to.equal('idle');
    await server.set({ preview: known({ submitted: true }), status: null });
    await harness.during('confirming', () =>
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true })),
    );
    expect(await server.previews()).to.have.length(2);
  });

  it('of an order that cannot be paid says so at once, and whether anything was paid', async () => {
    for (const unpaid of [true, undefined]) {
      const body = { code: 'order_void', unpaid };
      await server.set({ preview: { status: 409, body } });
      const harness = await PayCheckoutHarness.place(server);
      await harness.reaches('problem');
      const ofMoney = unpaid ? en.unpaid : en.unknown;
      expect(harness.notice).to.equal(`${en.codes.order_void} ${ofMoney} order_void`);
      expect(harness.button).to.equal(null);
      harness.element.remove();
    }
  });

  it('with an expired token starts again with a new one, and opens nothing', async () => {
    const body = { code: 'order_token_expired' };
    await server.set({ preview: { status: 401, body } });
    const harness = await PayCheckoutHarness.place(server);
    await harness.reaches('problem');
    await server.set({ preview: { status: 200, body: PREVIEW } });
    harness.element.orderToken = 'A1001.2100000000.c2lnbmF0dXJl';
    await comes(harness);
    expect(harness.phase).to.equal('idle');
    expect(await server.opens()).to.have.length(0);
  });

  it('that shows a payment learns of its refund when the page is shown again', async () => {
    const paid = server.status({ state: 'paid', certain: true, revision: 3 });
    await server.set({ preview: known({ state: 'paid' }), status: { ...paid } });
    const harness = await PayCheckoutHarness.place(server);
    await harness.reaches('paid');
    await server.set({ status: { ...paid, refund: 'full', revision: 4 } });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    await until(() => harness.announcement === en.refunded);
    expect(harness.phase).to.equal('paid');
    expect(harness.count('pay-paid')).to.equal(1);
  });
});
