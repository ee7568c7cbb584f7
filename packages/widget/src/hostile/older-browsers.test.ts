import { expect } from '@open-wc/testing';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { TestServer } from '../testing/test-server.js';

/** What older browsers have in the place of an element's custom states. */
const STATES: Readonly<Record<string, unknown>> = {
  'no custom states': undefined,
  'custom states that must begin with dashes': {
    clear: () => undefined,
    add: () => {
      throw new DOMException('no dashed identifier', 'SyntaxError');
    },
  },
};

describe('a browser that is older than the :state() of CSS', () => {
  const { prototype } = ElementInternals;
  const own = Object.getOwnPropertyDescriptor(prototype, 'states') as PropertyDescriptor;
  let server: TestServer;
  beforeEach(async () => (server = await new TestServer().start()));
  afterEach(() => Object.defineProperty(prototype, 'states', own));

  for (const [what, states] of Object.entries(STATES)) {
    it(`${what}: pays`, async () => {
      Object.defineProperty(prototype, 'states', { configurable: true, get: () => states });
      const harness = await PayCheckoutHarness.place(server);
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => server.setState('paid'));
      expect(harness.announcement).to.contain('Payment received');
      expect(harness.element.matches(':state(paid)')).to.equal(false);
    });
  }
});
