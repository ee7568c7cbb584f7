import { expect } from '@open-wc/testing';
import type {
  CheckoutState,
  CheckoutStatus,
  NeedsReply,
  CreateCheckoutReply,
  SdkDescription,
} from '@pay-checkout/session-server/contract';
import {
  IDLE,
  transition,
  type FlowEvent,
  type FlowState,
  type KnownCheckout,
} from './checkout-flow.js';
import type { Phase } from './phases.js';

const known: KnownCheckout = { checkout: 'c-1', revision: 3, order: 'A1001' };
const session = { sessionId: 's-1' };
const reply: CreateCheckoutReply = {
  checkout: 'c-1',
  state: 'open',
  revision: 4,
  sessionId: 's-1',
  amount: '42.50',
  currency: 'GBP',
  environment: 'sandbox',
};

const request: NeedsReply = {
  needs: ['avs'],
  amount: '42.50',
  currency: 'GBP',
  environment: 'sandbox',
};
const input = { houseNumber: '12', postcode: 'ZZ1 1ZZ' };

function status(
  state: CheckoutState,
  more: number | Pick<CheckoutStatus, 'submitted' | 'supersededBy'> = {},
): FlowEvent {
  const update: CheckoutStatus = {
    checkout: 'c-1',
    merchant: 'corner-shop',
    order: 'A1001',
    state,
    certain: false,
    revision: typeof more === 'number' ? more : 4,
    refund: 'none',
    ...(typeof more === 'object' && more),
  };
  return { type: 'status', status: update };
}

function problem(recovery?: 'open' | 'renew' | 'mount' | 'follow'): FlowState {
  return { phase: 'problem', error: { code: 'x', recovery }, known, session };
}

const STATES = {
  idle: IDLE,
  'idle, known': { phase: 'idle', known },
  opening: { phase: 'opening' },
  address: { phase: 'address', known, address: { request } },
  mounting: { phase: 'opening', known, session },
  ready: { phase: 'ready', known, session, declines: 0 },
  'in a window': { phase: 'ready', known, session, declines: 0, inWindow: true },
  submitted: { phase: 'ready', known, session, declines: 0, isSubmitted: true },
  'submitted, and the form gone': { phase: 'confirming', known, isSubmitted: true },
  redirecting: { phase: 'redirecting', url: 'https://pay.example/' },
  confirming: { phase: 'confirming', known },
  'only the id': { phase: 'confirming', known: { ...known, revision: -1 } },
  paid: { phase: 'paid', known },
  failed: { phase: 'failed', known },
  cancelled: { phase: 'cancelled', known },
  left: { phase: 'left', known },
  expired: { phase: 'expired', known },
  unconfirmed: { phase: 'unconfirmed', known },
  problem: problem('open'),
} satisfies Record<string, FlowState>;
type StateName = keyof typeof STATES;

const EVENTS = {
  start: { type: 'start' },
  retry: { type: 'retry' },
  close: { type: 'close' },
  reset: { type: 'reset' },
  redirect: { type: 'redirect', url: 'https://pay.example/' },
  follow: { type: 'follow', checkout: 'c-2', order: null },
  created: { type: 'created', reply, order: 'A1001', presentation: 'inline' },
  'created, paid': {
    type: 'created',
    reply: { ...reply, state: 'paid' },
    order: 'A1001',
    presentation: 'inline',
  },
  'created, on another page': { type: 'created', reply, order: 'A1001', presentation: 'redirect' },
  'created, in a window': { type: 'created', reply, order: 'A1001', presentation: 'popup' },
  'address-required': { type: 'address-required', address: { request } },
  'address-entered': { type: 'address-entered', input },
  shown: { type: 'shown' },
  submitted: { type: 'submitted' },
  declined: { type: 'declined' },
  refused: { type: 'refused' },
  error: { type: 'error' },
  cancelled: { type: 'cancelled' },
  'order-changed': { type: 'order-changed' },
  restored: { type: 'restored' },
  failure: { type: 'failure', error: { code: 'x' } },
  'status open': status('open'),
  'status returned': status('returned'),
  'status paid': status('paid'),
  'status failed': status('failed'),
  'status cancelled': status('cancelled'),
  'status left': status('left'),
  'status expired': status('expired'),
  'status unconfirmed': status('unconfirmed'),
  'status submitted': status('open', { submitted: true }),
  'status superseded': status('open', { supersededBy: 'c-2' }),
  'status paid, superseded': status('paid', { supersededBy: 'c-2' }),
  known: { type: 'known', known, state: 'open' },
  'known, paid': { type: 'known', known, state: 'paid' },
  'known, submitted': { type: 'known', known: { ...known, submitted: true }, state: 'open' },
  unpayable: { type: 'unpayable', error: { code: 'order_void' } },
  'created, submitted': {
    type: 'created',
    reply: { ...reply, submitted: true },
    order: 'A1001',
    presentation: 'inline',
  },
  resume: { type: 'resume' },
  expired: { type: 'expired' },
} satisfies Record<string, FlowEvent>;
type EventName = keyof typeof EVENTS;

const REPORTED: Partial<Record<EventName, Phase>> = {
  'status returned': 'confirming',
  'status paid': 'paid',
  'status failed': 'failed',
  'status cancelled': 'cancelled',
  'status left': 'left',
  'status expired': 'expired',
  'status unconfirmed': 'unconfirmed',
  'status submitted': 'confirming',
  'status superseded': 'confirming',
  'status paid, superseded': 'paid',
};
const PREVIEWED = {
  known: 'idle',
  'known, paid': 'paid',
  'known, submitted': 'confirming',
  unpayable: 'problem',
} as const;
const STARTED: Partial<Record<EventName, Phase>> = { start: 'opening', redirect: 'redirecting' };
const PAYABLE = {
  ...STARTED,
  ...REPORTED,
  'status open': 'idle',
  reset: 'idle',
  'order-changed': 'idle',
} as const;

/** What is lawful, and where it leads; everything else leaves the very same state. */
const TABLE: Record<StateName, Partial<Record<EventName, Phase>>> = {
  idle: { ...STARTED, ...PREVIEWED, follow: 'confirming' },
  'idle, known': { ...PAYABLE, ...PREVIEWED },
  opening: {
    created: 'opening',
    'created, submitted': 'confirming',
    'created, paid': 'paid',
    'created, on another page': 'idle',
    'created, in a window': 'ready',
    'address-required': 'address',
    redirect: 'redirecting',
    error: 'problem',
    failure: 'problem',
    close: 'idle',
    reset: 'idle',
    'order-changed': 'idle',
  },
  address: {
    ...REPORTED,
    'address-entered': 'opening',
    'status open': 'address',
    close: 'idle',
    reset: 'idle',
    'order-changed': 'idle',
  },
  mounting: {
    ...REPORTED,
    expired: 'opening',
    shown: 'ready',
    submitted: 'ready',
    'status open': 'opening',
    refused: 'problem',
    error: 'problem',
    failure: 'problem',
    close: 'idle',
    reset: 'idle',
    'order-changed': 'idle',
  },
  ready: {
    ...REPORTED,
    expired: 'opening',
    submitted: 'ready',
    declined: 'ready',
    'status open': 'ready',
    refused: 'problem',
    failure: 'problem',
    close: 'idle',
    reset: 'idle',
    'order-changed': 'idle',
  },
  'in a window': {
    ...REPORTED,
    expired: 'opening',
    'status submitted': 'ready',
    submitted: 'ready',
    declined: 'ready',
    'status open': 'ready',
    refused: 'problem',
    failure: 'problem',
    close: 'idle',
    reset: 'idle',
    'order-changed': 'idle',
  },
  submitted: {
    ...REPORTED,
    expired: 'opening',
    'status submitted': 'ready',
    'status superseded': 'ready',
    'status open': 'ready',
    'status expired': 'ready',
    declined: 'ready',
    refused: 'confirming',
    failure: 'confirming',
    close: 'confirming',
    reset: 'idle',
    'order-changed': 'idle',
  },
  'submitted, and the form gone': {
    ...REPORTED,
    resume: 'opening',
    redirect: 'redirecting',
    'status open': 'confirming',
    'status expired': 'confirming',
    reset: 'idle',
    'order-changed': 'idle',
  },
  redirecting: { restored: 'opening', reset: 'idle', 'order-changed': 'idle' },
  confirming: { ...REPORTED, 'status open': 'idle', reset: 'idle', 'order-changed': 'idle' },
  'only the id': {
    ...REPORTED,
    'status open': 'idle',
    failure: 'problem',
    reset: 'idle',
    'order-changed': 'idle',
  },
  paid: {
    'status paid': 'paid',
    'status paid, superseded': 'paid',
    reset: 'idle',
    'order-changed': 'idle',
  },
  failed: PAYABLE,
  cancelled: PAYABLE,
  left: PAYABLE,
  expired: PAYABLE,
  unconfirmed: {
    ...REPORTED,
    'status open': 'idle',
    retry: 'unconfirmed',
    reset: 'idle',
    'order-changed': 'idle',
  },
  problem: {
    ...STARTED,
    ...REPORTED,
    retry: 'opening',
    'status open': 'problem',
    close: 'idle',
    reset: 'idle',
    'order-changed': 'idle',
  },
};

describe('the flow of a checkout', () => {
  for (const [name, state] of Object.entries(STATES) as [StateName, FlowState][]) {
    it(`${name}: what is lawful leads on, what is not changes nothing`, () => {
      for (const [type, event] of Object.entries(EVENTS) as [EventName, FlowEvent][]) {
        const after = transition(state, event);
        const expected = TABLE[name][type];
        if (expected === undefined) expect(after, `${name} × ${type}`).to.equal(state);
        else {
          expect(after, `${name} × ${type}`).not.to.equal(state);
          expect(after.phase, `${name} × ${type}`).to.equal(expected);
        }
      }
    });
  }

  it('paid is never left for another word of the server', () => {
    expect(transition(STATES.paid, status('failed', 99))).to.equal(STATES.paid);
  });

  it('an answer about an older revision, or another checkout, changes nothing', () => {
    expect(transition(STATES.ready, status('cancelled', 3))).to.equal(STATES.ready);
    expect(transition(STATES.ready, status('paid', 2))).to.equal(STATES.ready);
    const other: FlowState = { ...STATES.ready, known: { ...known, checkout: 'c-9' } };
    expect(transition(other, status('paid'))).to.equal(other);
  });

  it('never offers to pay again while a payment may be in progress', () => {
    for (const name of ['confirming', 'unconfirmed', 'paid', 'opening', 'ready'] as const) {
      expect(transition(STATES[name], { type: 'start' }), name).to.equal(STATES[name]);
    }
  });

  it('an opened checkout that needs nothing now shows its outcome and no form', () => {
    for (const state of ['paid', 'returned', 'unconfirmed'] as const) {
      const event: FlowEvent = {
        type: 'created',
        reply: { ...reply, state },
        order: 'A1001',
        presentation: 'inline',
      };
      const after = transition(STATES.opening, event);
      expect(after.phase).to.equal(state === 'returned' ? 'confirming' : state);
      expect(after).not.to.have.property('session');
    }
  });

  it('an opened checkout without a session is a problem with a name', () => {
    const { sessionId: _, ...bare } = reply;
    const event: FlowEvent = { type: 'created', reply: bare, order: null, presentation: 'inline' };
    expect(transition(STATES.opening, event)).to.deep.include({
      phase: 'problem',
      error: { code: 'session_missing' },
    });
  });

  it('an error without a request of its own names the request that created the checkout', () => {
    const ready = transition(STATES.opening, {
      type: 'created',
      reply: { ...reply, requestId: 'r-1' },
      order: 'A1001',
      presentation: 'inline',
    });
    const refused = transition(ready, { type: 'refused' });
    expect(refused).to.have.nested.property('error.requestId', 'r-1');
    const own = { code: 'sdk_load_failed', requestId: 'r-2' };
    const failed = transition(ready, { type: 'failure', error: own });
    expect(failed).to.have.nested.property('error.requestId', 'r-2');
  });

  it('retry repeats what failed, and nothing when nothing can help', () => {
    const retry: FlowEvent = { type: 'retry' };
    const asking = { phase: 'opening', known, address: undefined, isSubmitted: undefined };
    expect(transition(problem('open'), retry)).to.deep.equal(asking);
    expect(transition(problem('mount'), retry)).to.deep.equal({ ...asking, session });
    expect(transition(problem('follow'), retry)).to.deep.equal({ phase: 'confirming', known });
    const hopeless = problem();
    expect(transition(hopeless, retry)).to.equal(hopeless);
  });

  it('a form that failed is tried again in its own session once; a refused session is renewed', () => {
    const retry: FlowEvent = { type: 'retry' };
    const again = transition(transition(STATES.mounting, { type: 'error' }), retry);
    expect(again).to.deep.include({ session: { ...session, hasFailed: true } });
    const failed = transition(again, { type: 'error' });
    expect(transition(failed, retry)).to.deep.include({ phase: 'opening', renew: 's-1' });
    const refused = transition(STATES.mounting, { type: 'refused' });
    expect(transition(refused, retry)).to.deep.include({ phase: 'opening', renew: 's-1' });
  });

  it('checking again ends with the next answer, whatever it is', () => {
    const checking = transition(STATES.unconfirmed, { type: 'retry' });
    expect(checking).to.have.property('checking', true);
    expect(transition(checking, { type: 'retry' })).to.equal(checking);
    expect(transition(checking, status('unconfirmed', 3))).not.to.have.property('checking');
    expect(transition(checking, status('paid')).phase).to.equal('paid');
    const noAnswer: FlowEvent = { type: 'failure', error: { code: 'server_unreachable' } };
    expect(transition(checking, noAnswer)).to.deep.equal(STATES.unconfirmed);
  });

  it('a card that was sent is remembered until a decline, through a form that comes again', () => {
    const sent = transition(STATES.ready, { type: 'submitted' });
    expect(sent).to.have.property('isSubmitted', true);
    expect(transition(sent, { type: 'submitted' })).to.equal(sent);
    expect(transition(sent, status('expired'))).to.deep.include({
      phase: 'ready',
      isSubmitted: true,
    });
    const declined = transition(sent, { type: 'declined' });
    expect(transition(declined, { type: 'refused' }).phase).to.equal('problem');
  });

  it('a submitted card whose form is gone comes back only when the shopper asks for its form', () => {
    const gone = STATES['submitted, and the form gone'];
    const submitted = EVENTS['created, submitted'];
    const asking = transition(gone, { type: 'resume' });
    expect(transition(asking, submitted)).to.deep.include({
      phase: 'opening',
      session: { ...session, sdk: undefined },
      isSubmitted: true,
    });
    expect(transition(STATES.opening, submitted)).to.deep.include({
      phase: 'confirming',
      isSubmitted: true,
    });
    const { sessionId: _, ...refused } = submitted.reply;
    expect(transition(asking, { ...submitted, reply: refused }).phase).to.equal('confirming');
  });

  it('a submission that ended without a payment is said to, and the form of another one stays', () => {
    const heard = { ...known, submitted: true } as const;
    const ended = status('open');
    const gone: FlowState = { phase: 'confirming', known: heard, isSubmitted: true };
    expect(transition(gone, ended)).to.deep.include({ phase: 'idle', notFound: true });
    const form: FlowState = { ...STATES.submitted, known: heard };
    expect(transition(form, ended)).to.deep.include({ phase: 'ready', isSubmitted: false });
  });

  it('what the server says of a card that was declined says nothing of the next one', () => {
    const heard: FlowState = { ...STATES.submitted, known: { ...known, submitted: true } };
    const next = transition(transition(heard, { type: 'declined' }), { type: 'submitted' });
    const late = transition(next, status('open'));
    expect(late).to.deep.include({ phase: 'ready', isSubmitted: true });
    expect(transition(late, { type: 'refused' })).to.have.property('phase', 'confirming');
  });

  it('an expired session is replaced by another, and nothing more is said of its card', () => {
    const asking = transition(STATES.submitted, { type: 'expired' });
    expect(asking).to.deep.equal({ phase: 'opening', known, renew: 's-1', isRenewed: true });
    const opened = transition(asking, EVENTS.created);
    expect(transition(opened, { type: 'shown' })).to.deep.include({
      phase: 'ready',
      isRenewed: true,
      isSubmitted: undefined,
    });
  });

  it('a checkout that was superseded is left for the one that took its place', () => {
    expect(transition(STATES.ready, EVENTS['status superseded'])).to.deep.equal({
      phase: 'confirming',
      known: { checkout: 'c-2', revision: -1, order: 'A1001' },
    });
  });

  it('what a shopper typed goes with the next checkout request, and no further', () => {
    const asking = transition(STATES.opening, { type: 'address-required', address: { request } });
    const sending = transition(asking, { type: 'address-entered', input });
    expect(sending).to.deep.include({ phase: 'opening', address: { request, input } });
    const opened = transition(sending, {
      type: 'created',
      reply,
      order: 'A1001',
      presentation: 'inline',
    });
    expect(JSON.stringify(opened)).not.to.contain('ZZ1');
    const refused = { request, input, rejected: ['avs.postcode'] };
    const refusedAgain = transition(sending, { type: 'address-required', address: refused });
    expect(refusedAgain).to.deep.include({ phase: 'address', address: refused });
    const cutOff = { code: 'server_unreachable', recovery: 'open' } as const;
    const failed = transition(sending, { type: 'failure', error: cutOff });
    const again = transition(failed, { type: 'retry' });
    expect(again).to.deep.equal({ ...sending, isSubmitted: undefined });
  });

  it('Back from where an SDK navigated to polls the server before it offers to pay', () => {
    const sdk = { navigates: true } as SdkDescription;
    const leaving = { ...session, sdk };
    const away: FlowState = { ...STATES.ready, session: leaving };
    expect(transition(away, { type: 'restored' })).to.deep.equal({ phase: 'opening', known });
    const gone: FlowState = { phase: 'opening', known, session: leaving };
    expect(transition(gone, { type: 'restored' })).to.deep.equal({ phase: 'opening', known });
  });

  it('a decline stays until the next card is sent', () => {
    const declined = transition(STATES.ready, { type: 'declined' });
    expect(declined).to.have.property('declines', 1);
    expect(transition(declined, { type: 'declined' })).to.have.property('declines', 2);
    expect(transition(declined, { type: 'submitted' })).to.have.property('declines', 0);
  });
});
