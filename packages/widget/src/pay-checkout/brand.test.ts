import { expect } from '@open-wc/testing';
import { until } from '../testing/until.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

const PREVIEW = { shop: 'Test Tea', amount: '42.50', currency: 'GBP', environment: 'sandbox' };
const RED = 'rgb(200, 0, 0)';

/** Where each token is seen before Pay is pressed, and with an address to enter. */
const TOKENS: readonly (readonly [
  token: string,
  part: string,
  property: string,
  value: string,
  seen?: string,
])[] = [
  ['accent', 'button', 'background-color', RED],
  ['on-accent', 'button', 'color', RED],
  ['surface', 'card', 'background-color', RED],
  ['text', 'card', 'color', RED],
  ['muted', 'input', 'border-top-color', RED],
  ['border', 'card', 'border-top-color', RED],
  ['test', 'badge', 'color', RED],
  ['font', 'button', 'font-family', 'monospace'],
  ['font', 'amount', 'font-family', 'monospace'],
  ['radius', 'card', 'border-top-left-radius', '4px'],
  ['radius', 'input', 'border-top-left-radius', '4px', '2px'],
  ['gap', 'header', 'margin-top', '30px'],
  ['control-height', 'button', 'height', '60px'],
  ['control-height', 'input', 'height', '60px'],
];

describe('<pay-checkout> in the shop’s brand', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await new TestServer().start({ preview: { status: 200, body: PREVIEW } });
  });

  const partOf = ({ element }: PayCheckoutHarness, name: string): HTMLElement =>
    element.renderRoot.querySelector(`[part="${name}"]`) as HTMLElement;
  const placePriced = async (): Promise<PayCheckoutHarness> => {
    const harness = await PayCheckoutHarness.place(server);
    await until(() => partOf(harness, 'amount') !== null);
    return harness;
  };

  it('is no wider than 560 pixels, or than the shop says', async () => {
    const { element } = await placePriced();
    const holder = element.parentElement as HTMLElement;
    holder.style.inlineSize = '1264px';
    const widths = ['', '900px', 'none'].map((most) => {
      element.style.setProperty('--pay-checkout-max-width', most);
      return element.getBoundingClientRect().width;
    });
    expect(widths).to.deep.equal([560, 900, 1264]);
  });

  it('shows the end of a payment in its colour, and larger than a decline next to the form', async () => {
    const harness = await placePriced();
    harness.element.style.setProperty('--pay-checkout-good', RED);
    harness.element.style.setProperty('--pay-checkout-bad', RED);
    await harness.during('ready', () => harness.press());
    server.sdk.calls[0]?.onDecline?.();
    await harness.element.updateComplete;
    const look = (part: string): unknown => {
      const { backgroundColor, textAlign } = getComputedStyle(partOf(harness, part));
      const icon = getComputedStyle(partOf(harness, 'icon'));
      return [backgroundColor.slice(0, 6), textAlign, icon.width, icon.backgroundColor];
    };
    expect(look('notice')).to.deep.equal(['color(', 'start', '28px', RED]);
    await harness.during('paid', () => server.setState('paid'));
    expect(look('message')).to.deep.equal(['color(', 'center', '56px', RED]);
  });

  it('centres the end of a payment on a page from right to left, and says what happens next', async () => {
    const harness = await placePriced();
    // English words stand in for those of this language, laid out as the page is.
    Object.assign(harness.element, { dir: 'rtl', locale: 'he' });
    await harness.during('ready', () => harness.press());
    await harness.during('paid', () => server.setState('paid'));
    const next = partOf(harness, 'message').querySelector('small') as HTMLElement;
    expect(harness.next).to.equal('The shop will now take care of your order.');
    expect(getComputedStyle(next).textAlign).to.equal('center');
  });

  it('follows every token', async () => {
    const harness = await placePriced();
    const needs = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    await server.set({ open: [{ status: 200, body: needs }] });
    await harness.during('address', () => harness.press());
    for (const [token, part, property, value, seen = value] of TOKENS) {
      const read = (): string => getComputedStyle(partOf(harness, part)).getPropertyValue(property);
      const before = read();
      harness.element.style.setProperty(`--pay-checkout-${token}`, value);
      expect(before, token).not.to.equal(seen);
      expect(read(), `${token} of ${part}`).to.equal(seen);
      harness.element.style.removeProperty(`--pay-checkout-${token}`);
    }
  });

  it('has the colours of success and failure that the shop chose', async () => {
    const harness = await placePriced();
    harness.element.style.setProperty('--pay-checkout-good', RED);
    harness.element.style.setProperty('--pay-checkout-bad', 'rgb(0, 0, 200)');
    const colour = (): string => getComputedStyle(partOf(harness, 'icon')).backgroundColor;
    await harness.during('ready', () => harness.press());
    await harness.during('failed', () => server.setState('failed'));
    expect(colour()).to.equal('rgb(0, 0, 200)');
    await harness.during('paid', () => server.setState('paid', 3));
    expect(colour()).to.equal(RED);
  });

  it('shows the shop’s own logo and name next to the amount, and moves nothing', async () => {
    const harness = await placePriced();
    const { element } = harness;
    const before = element.offsetHeight;
    const logo = document.createElement('canvas');
    Object.assign(logo, { slot: 'logo', width: 900, height: 600 });
    const name = document.createElement('b');
    Object.assign(name, { slot: 'name', textContent: 'The Tea Room' });
    element.append(logo, name);
    expect(logo.getBoundingClientRect().height).to.be.within(20, 40);
    expect(logo.getBoundingClientRect().right).to.be.below(name.getBoundingClientRect().left);
    expect(name.checkVisibility()).to.equal(true);
    expect(element.offsetHeight).to.equal(before);
    await harness.during('ready', () => harness.press());
    expect(name.checkVisibility() && logo.checkVisibility()).to.equal(true);
  });
});
