import type {
  CheckoutState,
  CheckoutStatus,
  NeedsReply,
  CreateCheckoutReply,
} from '@pay-checkout/session-server/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  IDLE,
  sessionOf,
  transition,
  type FlowEvent,
  type FlowState,
} from '../src/flow/checkout-flow.ts';
import { FlowEvents } from '../src/flow/flow-events.ts';
import { BUTTONS, isCertain, isOutcome, OUTCOME_EVENTS } from '../src/flow/phases.ts';

const RUNS = { numRuns: 3000 };
const CHECKOUTS = ['c-1', 'c-2'] as const;
const STATES: readonly CheckoutState[] = [
  'open',
  'returned',
  'paid',
  'failed',
  'cancelled',
  'left',
  'expired',
  'unconfirmed',
];
/** States in which money may be moving, or has moved. */
const PENDING_OR_PAID: readonly CheckoutState[] = ['returned', 'unconfirmed', 'paid'];

const ADDRESS_REQUEST: NeedsReply = {
  needs: ['avs'],
  amount: '42.50',
  currency: 'GBP',
  environment: 'sandbox',
};

/** The server's replies to polls: late, repeated or out of order. */
const statuses = fc
  .record({
    checkout: fc.constantFrom(...CHECKOUTS),
    state: fc.constantFrom(...STATES),
    revision: fc.integer({ min: 1, max: 12 }),
  })
  .map((fields): FlowEvent => {
    const rest = {
      merchant: 'corner-shop',
      order: 'A1001',
      certain: false,
      refund: 'none',
    } as const;
    return { type: 'status', status: { ...fields, ...rest } satisfies CheckoutStatus };
  });

const createReplies = fc
  .record({
    checkout: fc.constantFrom(...CHECKOUTS),
    state: fc.constantFrom(...STATES),
    revision: fc.integer({ min: 1, max: 12 }),
    hasSession: fc.boolean(),
    presentation: fc.constantFrom('inline', 'popup', 'redirect'),
  })
  .map(({ hasSession, presentation, ...fields }): FlowEvent => {
    const reply: CreateCheckoutReply = {
      ...fields,
      amount: '42.50',
      currency: 'GBP',
      environment: 'sandbox',
      ...(hasSession && { sessionId: 's-1' }),
    };
    return { type: 'created', reply, order: 'A1001', presentation };
  });

/** Clicks, messages, the SDK, the browser's Back, and timeouts, which end in an error. */
const pageEvents = fc.constantFrom<FlowEvent>(
  { type: 'start' },
  { type: 'address-required', address: { request: ADDRESS_REQUEST } },
  { type: 'address-entered', input: { houseNumber: '12', postcode: 'ZZ1 1ZZ' } },
  { type: 'retry' },
  { type: 'close' },
  { type: 'reset' },
  { type: 'shown' },
  { type: 'submitted' },
  { type: 'declined' },
  { type: 'refused' },
  { type: 'error' },
  { type: 'restored' },
  { type: 'redirect', url: 'https://pay.example/' },
  { type: 'follow', checkout: 'c-1', order: null },
  { type: 'failure', error: { code: 'server_unreachable', recovery: 'open' } },
  { type: 'failure', error: { code: 'sdk_timeout', recovery: 'mount' } },
  { type: 'resume' },
  { type: 'expired' },
  { type: 'unpayable', error: { code: 'order_void' } },
  { type: 'failure', error: { code: 'session_refused', recovery: 'renew' } },
  { type: 'failure', error: { code: 'checkout_not_found', recovery: 'follow' } },
);

const scenarios = fc.array(fc.oneof(statuses, createReplies, pageEvents), { maxLength: 40 });

/** Scenarios in which a card is sent first. */
const OPEN: CreateCheckoutReply = {
  checkout: 'c-1',
  state: 'open',
  revision: 1,
  sessionId: 's-1',
  amount: '42.50',
  currency: 'GBP',
  environment: 'sandbox',
};
const scenariosAfterSubmit = scenarios.map((scenario): FlowEvent[] => [
  { type: 'start' },
  { type: 'created', reply: OPEN, order: 'A1001', presentation: 'inline' },
  { type: 'submitted' },
  ...scenario,
]);

/** Plays a scenario, and shows each step to `onStep`. */
function play(
  scenario: readonly FlowEvent[],
  onStep: (before: FlowState, event: FlowEvent, after: FlowState) => void,
): void {
  let state = IDLE;
  for (const event of scenario) {
    const after = transition(state, event);
    onStep(state, event, after);
    state = after;
  }
}

/** What the server last reported of the checkout that the flow is about, if it reported so by this event. */
function stateIn(event: FlowEvent): CheckoutState | undefined {
  if (event.type === 'status') return event.status.state;
  return event.type === 'created' ? event.reply.state : undefined;
}

describe('whatever happens, in whatever order', () => {
  it('never offers to pay, or starts a payment, while money may be moving', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        let isPendingOrPaid = false;
        play(scenario, (before, event, after) => {
          if (after === before) return;
          // FlowError that is lawful here is a wrong id in the address: nothing of ours may be moving.
          if (event.type === 'reset' || after.phase === 'problem') isPendingOrPaid = false;
          const reported = stateIn(event);
          if (reported) isPendingOrPaid = PENDING_OR_PAID.includes(reported);
          if (event.type === 'follow') isPendingOrPaid = true;
          if (!isPendingOrPaid) return;
          expect(['confirming', 'unconfirmed', 'paid']).toContain(after.phase);
          expect(['pay', 'continue', 'retry']).not.toContain(BUTTONS[after.phase]);
          expect(sessionOf(after)).toBeUndefined();
        });
      }),
      RUNS,
    );
  });

  it('never offers to pay when the server has just said that a card was submitted', () => {
    const submitted = fc
      .record({
        state: fc.constantFrom('open', 'cancelled', 'left', 'expired', 'failed' as const),
        revision: fc.integer({ min: 50, max: 60 }),
      })
      .map((fields): FlowEvent => {
        const rest = { merchant: 'corner-shop', order: 'A1001', refund: 'none' } as const;
        const status = { checkout: 'c-1', certain: false, submitted: true, ...fields, ...rest };
        return { type: 'status', status: status as CheckoutStatus };
      });
    fc.assert(
      fc.property(scenarios, submitted, (scenario, told) => {
        let isNews = false;
        play([...scenario, told], (before, event, after) => {
          isNews = event === told && after !== before;
          if (!isNews) return;
          expect(['pay', 'retry']).not.toContain(BUTTONS[after.phase]);
          expect(after.isSubmitted || (after.phase === 'opening' && !after.session)).toBe(true);
        });
      }),
      RUNS,
    );
  });

  it('never pays in another session, or cancels, after a card was submitted', () => {
    fc.assert(
      fc.property(scenariosAfterSubmit, (scenario) => {
        let isSubmitted = false;
        let allowed = ['ready', 'confirming'];
        play(scenario, (before, event, after) => {
          if (after === before) return;
          const reported = stateIn(event);
          // An open or expired checkout says nothing about the card; a reply to a request does.
          const isResult =
            reported && !(event.type === 'status' && ['open', 'expired'].includes(reported));
          if (isResult || event.type === 'declined' || event.type === 'reset') isSubmitted = false;
          if (event.type === 'submitted') {
            isSubmitted = true;
            allowed = ['ready', 'confirming'];
          }
          // The shopper asked for the form again, or the SDK says that its session is over.
          if (['resume', 'redirect', 'expired'].includes(event.type)) isSubmitted = false;
          if (before.phase === 'problem' && event.type !== 'status') allowed = [];
          if (!isSubmitted) return;
          expect('renew' in after && after.renew).toBeFalsy();
          if (allowed.length > 0) expect(allowed).toContain(after.phase);
        });
      }),
      RUNS,
    );
  });

  it('error of this page never hides that the server is confirming a payment', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        play(scenario, (before, event, after) => {
          const isSeen = before.phase === 'confirming' && before.known.revision >= 0;
          const isReported = isSeen && !before.isSubmitted;
          if (event.type !== 'failure' || !(isReported || isOutcome(before.phase))) return;
          // A shopper who checked again sees that there was no answer.
          if ('checking' in before)
            expect(after).toEqual({ phase: 'unconfirmed', known: before.known });
          else expect(after).toBe(before);
        });
      }),
      RUNS,
    );
  });

  it('a certain outcome comes only from the server’s own state', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        play(scenario, (before, event, after) => {
          if (after.phase === before.phase || !isOutcome(after.phase)) return;
          expect(stateIn(event)).toBe(after.phase);
          if (isCertain(after.phase)) expect(['paid', 'failed']).toContain(stateIn(event));
        });
      }),
      RUNS,
    );
  });

  it('no clock, no click and no message of a page makes a payment failed', () => {
    fc.assert(
      fc.property(fc.array(pageEvents, { maxLength: 40 }), (scenario) => {
        play(scenario, (_before, _event, after) => expect(after.phase).not.toBe('failed'));
      }),
      RUNS,
    );
  });

  it('an older revision never wins, and paid is left for no word of the server', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        play(scenario, (before, event, after) => {
          if (event.type !== 'status') return;
          const seen = before.known;
          const isNews =
            seen?.checkout === event.status.checkout && event.status.revision > seen.revision;
          if (!isNews || before.phase === 'paid') expect(after.phase).toBe(before.phase);
          expect(after.known?.revision ?? 0).toBeGreaterThanOrEqual(seen?.revision ?? 0);
        });
      }),
      RUNS,
    );
  });

  it('each outcome of a checkout is sent once, and paid once for good', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const page = new EventTarget();
        const sent: string[] = [];
        for (const type of Object.values(OUTCOME_EVENTS)) {
          page.addEventListener(type, (event) => {
            const { checkout } = event as Event & { readonly checkout: string };
            sent.push(type === 'pay-paid' ? `${type} ${checkout}` : `${type} ${checkout} ${seen}`);
          });
        }
        const events = new FlowEvents(page);
        let seen = 0;
        play(scenario, (before, _event, after) => {
          if (after === before) return;
          seen = after.known?.revision ?? 0;
          events.publish(before, after, 'inline');
        });
        expect(new Set(sent).size).toBe(sent.length);
      }),
      RUNS,
    );
  });
});
