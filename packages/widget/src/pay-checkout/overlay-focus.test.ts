import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { TestServer } from '../testing/test-server.js';
import { PayCheckoutHarness } from './pay-checkout.harness.js';

/** The last file that presses keys: once the focus has been in Firefox's own buttons, later keys go there too. */
describe('<pay-checkout> in an overlay', () => {
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));

  for (const isBackwards of [false, true]) {
    const key = isBackwards ? 'Shift and Tab' : 'Tab';
    it(`${key} in the overlay leads to the way out, and never to the page below`, async () => {
      const harness = await PayCheckoutHarness.place(server, { mode: 'overlay' });
      harness.button?.focus();
      await harness.during('ready', () => sendKeys({ press: 'Enter' }));
      const { element } = harness;
      element.before(document.createElement('input'));
      element.after(document.createElement('input'));
      const reached: (Element | null)[] = [];
      let rounds = 0;
      if (isBackwards) await sendKeys({ down: 'Shift' });
      while (rounds < 2 && reached.length < 20) {
        await sendKeys({ press: 'Tab' });
        reached.push(document.activeElement);
        if (element.shadowRoot?.activeElement?.matches('[part="close"]')) rounds += 1;
      }
      if (isBackwards) await sendKeys({ up: 'Shift' });
      // The body has it while it is in the browser's own buttons.
      const isAbove = (one: Element | null): boolean =>
        one === document.body || element.contains(one);
      expect(reached.filter((one) => !isAbove(one))).to.deep.equal([]);
      expect(reached.includes(harness.form?.querySelector('button') ?? null)).to.equal(true);
      expect(rounds).to.equal(2);
    });
  }
});
