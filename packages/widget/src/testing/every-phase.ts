import type { OutcomePhase, Phase } from '../flow/phases.js';
import { en } from '../labels/en.js';
import type { PayCheckoutHarness } from '../pay-checkout/pay-checkout.harness.js';
import { until } from './until.js';
import type { SdkSeen } from './test-server.js';

type Reach = (harness: PayCheckoutHarness) => Promise<void>;

/** The phases that say the outcome of the payment. */
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
    await harness.during(phase, () => harness.server.setState(state));
  };
}

/** The SDK in the page of the element. */
function sdkOf({ element, server }: PayCheckoutHarness): SdkSeen {
  const globals = element.ownerDocument.defaultView as unknown as Record<string, SdkSeen>;
  return globals[server.sdkDescription.global] as SdkSeen;
}

/** How a shopper gets to each phase, from the pay button. */
const REACH = {
  idle: () => Promise.resolve(),
  opening: async (harness) => {
    await harness.server.set({ holdOpen: true });
    await harness.during('opening', () => harness.press());
  },
  address: async (harness) => {
    const body = { needs: ['avs'], amount: '42.50', currency: 'GBP', environment: 'sandbox' };
    await harness.server.set({ open: [{ status: 200, body }] });
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
    await harness.server.set({ open: [{ status: 404, body: { code: 'order_not_found' } }] });
    await harness.during('problem', () => harness.press());
  },
} satisfies Record<Phase, Reach>;

/** To a payment page that never comes: leaving would take the page of the tests along. */
export async function redirectNowhere(harness: PayCheckoutHarness): Promise<void> {
  await harness.server.set({ keepsPage: true });
  harness.element.mode = 'redirect';
  await harness.during('redirecting', () => harness.press());
}

/** Every phase of the element, with the way there. */
export const EVERY_PHASE = Object.entries(REACH) as [Phase, Reach][];

/** What more there is to see within a phase, with the way there; each name begins with the phase. */
export const WITHIN_PHASES: readonly [string, Reach][] = [
  [
    'idle with shop and amount',
    async (harness) => {
      const body = { shop: 'Test Tea', amount: '42.50', currency: 'GBP', environment: 'sandbox' };
      await harness.server.set({ preview: { status: 200, body } });
      harness.element.order = 'A1002';
      await until(() => harness.element.renderRoot.querySelector('[part="amount"]') !== null);
    },
  ],
  [
    'opening in an overlay',
    (harness) => {
      harness.element.mode = 'overlay';
      return REACH.opening(harness);
    },
  ],
  [
    'address in an overlay',
    (harness) => {
      harness.element.mode = 'overlay';
      return REACH.address(harness);
    },
  ],
  [
    'ready with the lines of the order',
    async (harness) => {
      const body = harness.server.openReply({
        lineItems: [
          { name: 'Darjeeling, first flush, 100 g', quantity: 2, amount: '45.00' },
          { name: 'Voucher', quantity: 1, amount: '-2.50' },
        ],
      });
      await harness.server.set({ open: [{ status: 200, body }] });
      await REACH.ready(harness);
      harness.element.renderRoot.querySelector('summary')?.click();
    },
  ],
  [
    'ready in an overlay',
    (harness) => {
      harness.element.mode = 'overlay';
      return REACH.ready(harness);
    },
  ],
  [
    'ready in a window',
    (harness) => {
      harness.element.mode = 'popup';
      return REACH.ready(harness);
    },
  ],
  [
    'ready after a decline',
    async (harness) => {
      await REACH.ready(harness);
      sdkOf(harness).calls[0]?.onDecline?.();
      await until(() => harness.notice === en.declined);
    },
  ],
  [
    'ready after a card was submitted',
    async (harness) => {
      await REACH.ready(harness);
      sdkOf(harness).calls[0]?.onSubmit?.();
      await until(() => harness.announcement === en.submitted);
    },
  ],
  [
    'ready with a form that replaces an expired one',
    async (harness) => {
      await REACH.ready(harness);
      const body = harness.server.openReply({ sessionId: 'session-2', revision: 2 });
      await harness.server.set({ open: [{ status: 200, body }] });
      await harness.during('ready', () => sdkOf(harness).calls[0]?.onExpire?.());
    },
  ],
  [
    'confirming after a card was submitted',
    async (harness) => {
      const body = harness.server.openReply({ submitted: true });
      await harness.server.set({ open: [{ status: 200, body }] });
      await harness.during('confirming', () => harness.press());
    },
  ],
  [
    'idle after a submitted card that paid nothing',
    async (harness) => {
      const body = harness.server.openReply({ submitted: true });
      await harness.server.set({ open: [{ status: 200, body }] });
      await harness.during('confirming', () => harness.press());
      await harness.during('idle', () => harness.server.setState('open'));
    },
  ],
  [
    'ready with an SDK that shows nothing',
    async (harness) => {
      harness.element.adapter = { load: () => Promise.resolve(), open: () => Promise.resolve() };
      await REACH.ready(harness);
      await until(() => harness.element.isFormEmpty === true);
    },
  ],
  [
    'paid, and refunded',
    async (harness) => {
      await REACH.ready(harness);
      const refunded = harness.server.status({ state: 'paid', revision: 2, refund: 'full' });
      await harness.during('paid', () => harness.server.set({ status: { ...refunded } }));
    },
  ],
  [
    'address with fields that were refused',
    async (harness) => {
      await REACH.address(harness);
      const errors = [{ field: 'avs.houseNumber' }, { field: 'avs.postcode' }];
      const body = { code: 'invalid_request', errors };
      await harness.server.set({ open: [{ status: 400, body }] });
      for (const input of harness.element.renderRoot.querySelectorAll('input')) input.value = '?';
      await harness.during('address', () => harness.press());
    },
  ],
  [
    'unconfirmed while it asks again',
    async (harness) => {
      await REACH.unconfirmed(harness);
      await harness.server.set({ holdStatus: true });
      harness.press();
      await until(() => harness.announcement === en.checking);
    },
  ],
  [
    'problem that no retry solves',
    async (harness) => {
      await harness.server.set({ open: [{ status: 409, body: { code: 'order_void' } }] });
      await harness.during('problem', () => harness.press());
    },
  ],
];
