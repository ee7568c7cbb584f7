import { expect } from '@open-wc/testing';
import { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { WorldClient } from '../testing/world-client.js';

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
  let world: WorldClient;
  beforeEach(async () => (world = await new WorldClient().begin()));
  afterEach(() => Object.defineProperty(prototype, 'states', own));

  for (const [what, states] of Object.entries(STATES)) {
    it(`${what}: pays`, async () => {
      Object.defineProperty(prototype, 'states', { configurable: true, get: () => states });
      const harness = await PayCheckoutHarness.place(world);
      await harness.during('ready', () => harness.press());
      await harness.during('paid', () => world.tell('paid'));
      expect(harness.announcement).to.contain('Payment received');
      expect(harness.element.matches(':state(paid)')).to.equal(false);
    });
  }
});
