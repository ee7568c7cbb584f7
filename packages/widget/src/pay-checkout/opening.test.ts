import { expect } from '@open-wc/testing';
import { en } from '../labels/en.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import { until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const PREVIEW = { shop: 'Test Tea', amount: '42.50', currency: 'GBP', environment: 'sandbox' };

describe('<pay-checkout> while it opens', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await new TestServer().start({ preview: { status: 200, body: PREVIEW } });
  });

  const boxesOf = ({ element }: PayCheckoutHarness, selector: string): DOMRect[] =>
    [...element.renderRoot.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
  const fieldsOf = (harness: PayCheckoutHarness): DOMRect[] =>
    boxesOf(harness, '[role="status"] .blank');

  it('with autostart has the shape of a card form from its first frame', async () => {
    await server.set({ holdOpen: true });
    const harness = await PayCheckoutHarness.place(server, { autostart: true });
    const isFirst = harness.phase === 'idle';
    const [number, expiry, code] = fieldsOf(harness);
    expect(isFirst).to.equal(true);
    expect(number?.height).to.equal(48);
    expect(expiry?.top).to.equal(code?.top);
    expect(code?.right).to.equal(number?.right);
    expect(harness.announcement).to.equal(en.phases.opening);
    const height = harness.element.offsetHeight;
    await harness.reaches('opening');
    expect(harness.element.offsetHeight).to.equal(height);
    await server.set({ holdOpen: false });
  });

  it('moves neither amount, badge nor the form that comes in the place of that shape', async () => {
    const shown = Promise.withResolvers<void>();
    const adapter: SdkAdapter = {
      load: () => Promise.resolve(),
      open: ({ container }) => {
        container.append(Object.assign(document.createElement('canvas'), { height: 400 }));
        return shown.promise;
      },
    };
    const harness = await PayCheckoutHarness.place(server, { adapter });
    await until(() => boxesOf(harness, '[part="amount"]').length === 1);
    const fixed = () => boxesOf(harness, '[part="amount"], [part="badge"]').map(({ top }) => top);
    const beforePress = fixed();
    await harness.during('opening', () => harness.press());
    await until(() => harness.form?.querySelector('canvas') !== null && harness.form !== null);
    const [number] = fieldsOf(harness);
    const form = harness.form?.getBoundingClientRect();
    expect(form?.top).to.equal(number?.top);
    expect(form?.left).to.equal(number?.left);
    await harness.during('ready', () => shown.resolve());
    expect(harness.form?.getBoundingClientRect().top).to.equal(form?.top);
    expect(fieldsOf(harness)).to.have.length(0);
    expect(fixed()).to.deep.equal(beforePress);
  });

  it('in a window shows no place for a form', async () => {
    await server.set({ holdOpen: true });
    const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
    await harness.during('opening', () => harness.press());
    expect(fieldsOf(harness)).to.have.length(0);
    expect(harness.announcement).to.equal(en.inWindow);
    harness.element.close();
    await server.set({ holdOpen: false });
  });

  it('says nothing about money while an earlier payment may be pending', async () => {
    await server.set({ open: [{ status: 404, body: { code: 'opening_timeout' } }] });
    const harness = await PayCheckoutHarness.place(server);
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.equal(`${en.codes.opening_timeout} opening_timeout`);
  });

  it('does not claim to know about money when a window was opened, and no checkout was created', async () => {
    await server.set({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
    const harness = await PayCheckoutHarness.place(server, { mode: 'popup' });
    await harness.during('problem', () => harness.press());
    expect(harness.notice).to.equal(`${en.error} ${en.unknown} order_not_found`);
    harness.element.mode = 'inline';
    await harness.element.updateComplete;
  });
});
