import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { en } from '../labels/en.js';
import { accessibilityTree } from '../testing/accessibility-tree.js';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

describe('<pay-checkout> for everyone', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  it('its live regions are there from the first render', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const { renderRoot } = harness.element;
    const status = renderRoot.querySelector('[role="status"]');
    const alert = renderRoot.querySelector('[role="alert"]');
    await harness.during('ready', () => harness.element.start());
    await harness.during('paid', () => server.setState('paid'));
    expect(renderRoot.querySelector('[role="status"]')).to.equal(status);
    expect(renderRoot.querySelector('[role="alert"]')).to.equal(alert);
    expect(status?.getAttribute('aria-live')).to.equal(null);
  });

  it('moves the focus after the shopper pressed the button, and announces each text once', async () => {
    const harness = await PayCheckoutHarness.place(server);
    harness.button?.focus();
    await harness.during('ready', () => harness.press());
    expect(document.activeElement).to.equal(harness.form);
    await harness.during('paid', () => server.setState('paid'));
    const { shadowRoot } = harness.element;
    expect(shadowRoot?.activeElement?.textContent).to.contain('Payment received');
    const status = shadowRoot?.querySelector('[role="status"]');
    expect(status?.getAttribute('aria-live')).to.equal('off');
  });

  for (const [mode, role] of [
    ['inline', 'region'],
    ['overlay', 'dialog'],
  ] as const) {
    it(`the card of mode ${mode} is one ${role}, and nothing around it has a role or its name`, async () => {
      await PayCheckoutHarness.ready(server, { mode });
      const named = (await accessibilityTree()).filter(({ name }) => name === en.card);
      expect(named.map((one) => one.role)).to.deep.equal([role]);
      expect(named[0]?.parent?.role).to.equal('RootWebArea');
    });
  }

  it('does not move the focus of a shopper who pressed nothing', async () => {
    const harness = await PayCheckoutHarness.place(server);
    await harness.during('ready', () => harness.element.start());
    await harness.during('paid', () => server.setState('paid'));
    expect(document.activeElement).to.equal(document.body);
  });

  it('does not take the focus from the rest of the page', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const field = document.createElement('input');
    harness.element.after(field);
    await harness.during('opening', () => harness.press());
    field.focus();
    await harness.during('paid', async () => {
      await harness.arrives('ready');
      await server.setState('paid');
    });
    expect(document.activeElement).to.equal(field);
  });

  it('follows a dark page, and only a page that is dark', async () => {
    const harness = await PayCheckoutHarness.place(server);
    const surface = (): string => {
      const card = harness.element.renderRoot.querySelector('section') as Element;
      return getComputedStyle(card).backgroundColor;
    };
    await emulateMedia({ colorScheme: 'dark' });
    expect(surface()).to.equal('rgb(255, 255, 255)');
    document.documentElement.style.colorScheme = 'light dark';
    expect(surface()).to.equal('rgb(26, 29, 36)');
    document.documentElement.style.colorScheme = '';
    await emulateMedia({ colorScheme: 'light' });
  });

  it('rotates its spinner, slowly with reduced motion', async () => {
    await server.set({ holdOpen: true });
    const harness = await PayCheckoutHarness.place(server);
    await harness.during('opening', () => harness.press());
    const spinner = harness.element.renderRoot.querySelector('[part="spinner"]') as Element;
    expect(spinner.getAnimations()).to.have.length(1);
    await emulateMedia({ reducedMotion: 'reduce' });
    expect(getComputedStyle(spinner).animationDuration).to.equal('9s');
    await emulateMedia({ reducedMotion: 'no-preference' });
    expect(getComputedStyle(spinner).animationDuration).to.equal('0.9s');
    await server.set({ holdOpen: false });
  });

  it('draws the tick of a payment, and with reduced motion shows it at once', async () => {
    for (const [reducedMotion, animations] of [
      ['no-preference', 1],
      ['reduce', 0],
    ] as const) {
      await emulateMedia({ reducedMotion });
      server = await new TestServer().start();
      const harness = await PayCheckoutHarness.ready(server);
      await harness.during('paid', () => server.setState('paid'));
      const tick = harness.element.renderRoot.querySelector('[part="icon"]') as Element;
      expect(tick.getAnimations()).to.have.length(animations);
    }
    await emulateMedia({ reducedMotion: 'no-preference' });
  });

  it('its button is a native one, large enough for a thumb', async () => {
    const harness = await PayCheckoutHarness.place(server);
    expect(harness.button).to.be.instanceOf(HTMLButtonElement);
    expect(harness.button?.getBoundingClientRect().height).to.be.at.least(44);
  });

  it('has no style attribute and needs none', async () => {
    const harness = await PayCheckoutHarness.ready(server);
    expect(harness.element.renderRoot.querySelector('[style], style')).to.equal(null);
    expect(harness.form?.hasAttribute('style')).to.equal(false);
  });

  it('fits a screen of 320 pixels', async () => {
    const harness = await PayCheckoutHarness.place(server, { order: 'A'.repeat(64) });
    const home = harness.element.parentElement as HTMLElement;
    home.style.inlineSize = '288px';
    await harness.during('ready', () => harness.element.start());
    await harness.during('unconfirmed', () => server.setState('unconfirmed'));
    expect(home.scrollWidth).to.equal(288);
  });
});
