import type { OutcomePhase, Phase } from '../flow/phases.js';
import type { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';

type Reach = (harness: PayCheckoutHarness) => Promise<void>;

/** The phases that say what became of the payment. */
export const OUTCOMES: readonly OutcomePhase[] = [
  'paid',
  'failed',
  'cancelled',
  'left',
  'expired',
  'unconfirmed',
];

function throughReady(phase: 'confirming' | OutcomePhase): Reach {
  return async (harness) => {
    await harness.during('ready', () => harness.press());
    const state = phase === 'confirming' ? 'returned' : phase;
    await harness.during(phase, () => harness.world.tell(state));
  };
}

/** How a shopper gets to each phase, from the pay button. */
const REACH = {
  idle: () => Promise.resolve(),
  opening: async (harness) => {
    await harness.world.write({ holdOpen: true });
    await harness.during('opening', () => harness.press());
  },
  address: async (harness) => {
    const body = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    await harness.world.write({ open: [{ status: 200, body }] });
    await harness.during('address', () => harness.press());
  },
  ready: (harness) => harness.during('ready', () => harness.press()),
  redirecting: async (harness) => {
    harness.element.mode = 'redirect';
    await harness.during('redirecting', () => harness.press());
    // What the browser does while the next page does not answer yet: this one stays.
    harness.element.ownerDocument.defaultView?.stop();
  },
  confirming: throughReady('confirming'),
  ...(Object.fromEntries(OUTCOMES.map((phase) => [phase, throughReady(phase)])) as Record<
    OutcomePhase,
    Reach
  >),
  problem: async (harness) => {
    await harness.world.write({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
    await harness.during('problem', () => harness.press());
  },
} satisfies Record<Phase, Reach>;

/** Every phase of the element, with the way there. */
export const EVERY_PHASE = Object.entries(REACH) as [Phase, Reach][];
