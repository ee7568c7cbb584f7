import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { en } from '../labels/en.js';
import { TestServer } from '../testing/test-server.js';
import { until } from '../testing/until.js';
import type { PayCheckout } from './pay-checkout.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout> with the keyboard alone', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  const press = (key: string): Promise<void> => sendKeys({ press: key });

  /** An element after a field of the page, which has the focus. */
  async function place(changes: Partial<PayCheckout> = {}): Promise<PayCheckoutHarness> {
    const harness = await PayCheckoutHarness.place(server, changes);
    const field = document.createElement('input');
    harness.element.before(field);
    field.focus();
    return harness;
  }

  /** The words of what has the focus, inside the element or in the form. */
  function focused({ element }: PayCheckoutHarness): string {
    const { activeElement } = element.shadowRoot ?? {};
    const one = activeElement ?? document.activeElement;
    return (one?.ariaLabel ?? one?.textContent ?? '').replace(/\s+/g, ' ').trim();
  }

  async function payByEnter(harness: PayCheckoutHarness): Promise<void> {
    await press('Tab');
    expect(focused(harness)).to.equal(en.buttons.pay);
    await harness.during('ready', () => press('Enter'));
    expect(document.activeElement).to.equal(harness.form);
  }

  it('pays: Tab, Enter, and on into the form; the outcome has the focus', async () => {
    const harness = await place();
    await payByEnter(harness);
    await press('Tab');
    expect(focused(harness)).to.equal('Card number');
    await harness.during('paid', () => server.setState('paid'));
    expect(focused(harness)).to.contain(en.phases.paid);
  });

  it('pays with another card after a decline, from where it is in the form', async () => {
    const harness = await place();
    await payByEnter(harness);
    await press('Tab');
    server.sdk.calls[0]?.onDecline?.();
    await until(() => harness.notice === en.declined);
    expect(focused(harness)).to.equal('Card number');
    await harness.during('paid', () => server.setState('paid'));
    expect(focused(harness)).to.contain(en.phases.paid);
  });

  it('tries again after a problem: the next Tab is on the button', async () => {
    const first = { status: 500, body: { code: 'internal_error' } };
    await server.set({ open: [first, { status: 200, body: server.openReply() }] });
    const harness = await place();
    await press('Tab');
    await harness.during('problem', () => press('Enter'));
    expect(focused(harness)).to.contain(en.error);
    for (let presses = 0; presses < 4 && focused(harness) !== en.buttons.retry; presses += 1)
      await press('Tab');
    expect(focused(harness)).to.equal(en.buttons.retry);
    await harness.during('ready', () => press('Enter'));
    expect(document.activeElement).to.equal(harness.form);
  });

  it('pays again after a cancel', async () => {
    const harness = await place();
    await payByEnter(harness);
    await harness.during('cancelled', () => server.setState('cancelled'));
    await press('Tab');
    expect(focused(harness)).to.equal(en.buttons.pay);
    await harness.during('ready', () => press('Enter'));
  });

  it('enters the address from its first field on, and Enter sends it; a refused field has the focus', async () => {
    const needs = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    const refusal = { code: 'invalid_request', errors: [{ field: 'avs.postcode' }] };
    const open = [
      { status: 200, body: needs },
      { status: 400, body: refusal },
      { status: 200, body: server.openReply() },
    ];
    await server.set({ open });
    const harness = await place();
    await press('Tab');
    await harness.during('address', () => press('Enter'));
    const field = (): string =>
      (harness.element.shadowRoot?.activeElement as HTMLInputElement | null)?.name ?? '';
    expect(field()).to.equal('houseNumber');
    await sendKeys({ type: '14' });
    await press('Tab');
    expect(field()).to.equal('postcode');
    await sendKeys({ type: '?' });
    await harness.during('address', () => press('Enter'));
    expect(field()).to.equal('postcode');
    await sendKeys({ type: 'ZZ1 1ZZ' });
    await harness.during('ready', () => press('Enter'));
    const body = (await server.opens()).at(-1)?.body as { avs: object } | undefined;
    expect(body?.avs).to.deep.equal({ houseNumber: '14', postcode: '?ZZ1 1ZZ' });
  });

  it('leaves the overlay by Enter on its close button, and is where it came from', async () => {
    const harness = await place({ mode: 'overlay' });
    await payByEnter(harness);
    for (let presses = 0; presses < 6 && focused(harness) !== en.close; presses += 1)
      await press('Tab');
    expect(focused(harness)).to.equal(en.close);
    await harness.during('idle', () => press('Enter'));
    expect(focused(harness)).to.equal(en.buttons.pay);
  });

  it('reaches the way to the payment page', async () => {
    await server.set({ keepsPage: true });
    const harness = await place({ mode: 'redirect' });
    await press('Tab');
    await harness.during('redirecting', () => press('Enter'));
    await press('Tab');
    expect(focused(harness)).to.equal(en.buttons.continue);
  });

  it('reaches what is offered for a form that does not show', async () => {
    const adapter = { load: () => Promise.resolve(), open: () => Promise.resolve() };
    const harness = await place({ adapter });
    await payByEnter(harness);
    await until(() => harness.button !== null);
    await press('Tab');
    expect(focused(harness)).to.equal(en.buttons.again);
    await press('Tab');
    expect(focused(harness)).to.equal(en.buttons.cancel);
    await harness.during('idle', () => press('Enter'));
    expect(focused(harness)).to.equal(en.buttons.pay);
  });

  // Last: the window has the keyboard from then on.
  it('opens the payment window by Enter, and reaches the way back to it', async () => {
    const harness = await place({ mode: 'popup' });
    await press('Tab');
    await harness.during('ready', () => press('Enter'));
    expect(focused(harness)).to.contain(en.inWindow);
    expect(harness.button?.textContent?.trim()).to.equal(en.buttons.continue);
    harness.element.close();
  });
});
