import { expect } from '@open-wc/testing';
import type {
  CheckoutState,
  CheckoutStatus,
  NeedsReply,
  OpenCheckoutReply,
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
const reply: OpenCheckoutReply = {
  checkout: 'c-1',
  state: 'open',
  revision: 4,
  sessionId: 's-1',
  amount: '42.50',
  currency: 'GBP',
  environment: 'sandbox',
};

const asked: NeedsReply = {
  needs: ['avs'],
  amount: '42.50',
  currency: 'GBP',
  environment: 'sandbox',
};
const given = { houseNumber: '12', postcode: 'ZZ1 1ZZ' };

function status(state: CheckoutState, revision = 4): FlowEvent {
  const told: CheckoutStatus = {
    checkout: 'c-1',
    merchant: 'corner-shop',
    order: 'A1001',
    state,
    certain: false,
    revision,
    refund: 'none',
  };
  return { type: 'status', status: told };
}

function problem(remedy?: 'open' | 'renew' | 'draw' | 'follow'): FlowState {
  return { phase: 'problem', trouble: { code: 'x', remedy }, known, session };
}

const STATES = {
  idle: IDLE,
  'idle, known': { phase: 'idle', known },
  opening: { phase: 'opening' },
  address: { phase: 'address', known, address: { asked } },
  drawing: { phase: 'opening', known, session },
  ready: { phase: 'ready', known, session, declines: 0 },
  'in a window': { phase: 'ready', known, session, declines: 0, inWindow: true },
  sent: { phase: 'ready', known, session, declines: 0, isSent: true },
  'sent, and the form gone': { phase: 'confirming', known, isSent: true },
  redirecting: { phase: 'redirecting', url: 'https://pay.example/' },
  confirming: { phase: 'confirming', known },
  unseen: { phase: 'confirming', known: { ...known, revision: -1 } },
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
  leave: { type: 'leave', url: 'https://pay.example/' },
  follow: { type: 'follow', checkout: 'c-2', order: null },
  opened: { type: 'opened', reply, order: 'A1001', way: 'inline' },
  'opened, paid': {
    type: 'opened',
    reply: { ...reply, state: 'paid' },
    order: 'A1001',
    way: 'inline',
  },
  'opened, on another page': { type: 'opened', reply, order: 'A1001', way: 'redirect' },
  'opened, in a window': { type: 'opened', reply, order: 'A1001', way: 'popup' },
  asked: { type: 'asked', address: { asked } },
  given: { type: 'given', given },
  shown: { type: 'shown' },
  submitted: { type: 'submitted' },
  declined: { type: 'declined' },
  refused: { type: 'refused' },
  error: { type: 'error' },
  cancelled: { type: 'cancelled' },
  renamed: { type: 'renamed' },
  restored: { type: 'restored' },
  trouble: { type: 'trouble', trouble: { code: 'x' } },
  'status open': status('open'),
  'status returned': status('returned'),
  'status paid': status('paid'),
  'status failed': status('failed'),
  'status cancelled': status('cancelled'),
  'status left': status('left'),
  'status expired': status('expired'),
  'status unconfirmed': status('unconfirmed'),
} satisfies Record<string, FlowEvent>;
type EventName = keyof typeof EVENTS;

const TOLD: Partial<Record<EventName, Phase>> = {
  'status returned': 'confirming',
  'status paid': 'paid',
  'status failed': 'failed',
  'status cancelled': 'cancelled',
  'status left': 'left',
  'status expired': 'expired',
  'status unconfirmed': 'unconfirmed',
};
const BEGUN: Partial<Record<EventName, Phase>> = { start: 'opening', leave: 'redirecting' };
const PAYABLE = {
  ...BEGUN,
  ...TOLD,
  'status open': 'idle',
  reset: 'idle',
  renamed: 'idle',
} as const;

/** What is lawful, and where it leads; everything else leaves the very same state. */
const TABLE: Record<StateName, Partial<Record<EventName, Phase>>> = {
  idle: { ...BEGUN, follow: 'confirming' },
  'idle, known': PAYABLE,
  opening: {
    opened: 'opening',
    'opened, paid': 'paid',
    'opened, on another page': 'idle',
    'opened, in a window': 'ready',
    asked: 'address',
    leave: 'redirecting',
    error: 'problem',
    trouble: 'problem',
    close: 'idle',
    reset: 'idle',
    renamed: 'idle',
  },
  address: {
    ...TOLD,
    given: 'opening',
    'status open': 'address',
    close: 'idle',
    reset: 'idle',
    renamed: 'idle',
  },
  drawing: {
    ...TOLD,
    shown: 'ready',
    submitted: 'ready',
    'status open': 'opening',
    refused: 'problem',
    error: 'problem',
    trouble: 'problem',
    close: 'idle',
    reset: 'idle',
    renamed: 'idle',
  },
  ready: {
    ...TOLD,
    submitted: 'ready',
    declined: 'ready',
    'status open': 'ready',
    refused: 'problem',
    trouble: 'problem',
    close: 'idle',
    reset: 'idle',
    renamed: 'idle',
  },
  'in a window': {
    ...TOLD,
    submitted: 'ready',
    declined: 'ready',
    'status open': 'ready',
    refused: 'problem',
    trouble: 'problem',
    close: 'idle',
    reset: 'idle',
    renamed: 'idle',
  },
  sent: {
    ...TOLD,
    'status open': 'ready',
    'status expired': 'ready',
    declined: 'ready',
    refused: 'confirming',
    trouble: 'confirming',
    close: 'confirming',
    reset: 'idle',
    renamed: 'idle',
  },
  'sent, and the form gone': {
    ...TOLD,
    'status open': 'confirming',
    'status expired': 'confirming',
    trouble: 'problem',
    reset: 'idle',
    renamed: 'idle',
  },
  redirecting: { restored: 'opening', reset: 'idle', renamed: 'idle' },
  confirming: { ...TOLD, 'status open': 'idle', reset: 'idle', renamed: 'idle' },
  unseen: { ...TOLD, 'status open': 'idle', trouble: 'problem', reset: 'idle', renamed: 'idle' },
  paid: { reset: 'idle', renamed: 'idle' },
  failed: PAYABLE,
  cancelled: PAYABLE,
  left: PAYABLE,
  expired: PAYABLE,
  unconfirmed: {
    ...TOLD,
    'status open': 'idle',
    retry: 'unconfirmed',
    reset: 'idle',
    renamed: 'idle',
  },
  problem: {
    ...BEGUN,
    ...TOLD,
    retry: 'opening',
    'status open': 'problem',
    close: 'idle',
    reset: 'idle',
    renamed: 'idle',
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

  it('nobody is offered to pay again while a payment may be on its way', () => {
    for (const name of ['confirming', 'unconfirmed', 'paid', 'opening', 'ready'] as const) {
      expect(transition(STATES[name], { type: 'start' }), name).to.equal(STATES[name]);
    }
  });

  it('an opened checkout that needs nothing now shows its outcome and no form', () => {
    for (const state of ['paid', 'returned', 'unconfirmed'] as const) {
      const event: FlowEvent = {
        type: 'opened',
        reply: { ...reply, state },
        order: 'A1001',
        way: 'inline',
      };
      const after = transition(STATES.opening, event);
      expect(after.phase).to.equal(state === 'returned' ? 'confirming' : state);
      expect(after).not.to.have.property('session');
    }
  });

  it('an opened checkout without a session is a problem with a name', () => {
    const { sessionId: _, ...bare } = reply;
    const event: FlowEvent = { type: 'opened', reply: bare, order: null, way: 'inline' };
    expect(transition(STATES.opening, event)).to.deep.include({
      phase: 'problem',
      trouble: { code: 'session_missing' },
    });
  });

  it('retry repeats what failed, and nothing when nothing can help', () => {
    const retry: FlowEvent = { type: 'retry' };
    const asking = { phase: 'opening', known, address: undefined, session: undefined };
    expect(transition(problem('open'), retry)).to.deep.equal({ ...asking, renew: undefined });
    const drawing = { ...asking, session, renew: undefined };
    expect(transition(problem('draw'), retry)).to.deep.equal(drawing);
    expect(transition(problem('follow'), retry)).to.deep.equal({ phase: 'confirming', known });
    expect(transition(problem('renew'), retry)).to.deep.equal({ ...asking, renew: 's-1' });
    const hopeless = problem();
    expect(transition(hopeless, retry)).to.equal(hopeless);
  });

  it('checking again ends with the next answer, whatever it is', () => {
    const checking = transition(STATES.unconfirmed, { type: 'retry' });
    expect(checking).to.have.property('checking', true);
    expect(transition(checking, { type: 'retry' })).to.equal(checking);
    expect(transition(checking, status('unconfirmed', 3))).not.to.have.property('checking');
    expect(transition(checking, status('paid')).phase).to.equal('paid');
    const noAnswer: FlowEvent = { type: 'trouble', trouble: { code: 'server_unreachable' } };
    expect(transition(checking, noAnswer)).to.deep.equal(STATES.unconfirmed);
  });

  it('a card that was sent is remembered until a decline, through a form that comes again', () => {
    const sent = transition(STATES.ready, { type: 'submitted' });
    expect(sent).to.have.property('isSent', true);
    expect(transition(sent, { type: 'submitted' })).to.equal(sent);
    expect(transition(sent, status('expired'))).to.deep.include({ phase: 'ready', isSent: true });
    const declined = transition(sent, { type: 'declined' });
    expect(transition(declined, { type: 'refused' }).phase).to.equal('problem');
  });

  it('a card that was sent, and of which nothing is found, is asked about in the same session', () => {
    const gone = transition(STATES.sent, { type: 'refused' });
    const unknown = { code: 'outcome_unknown', remedy: 'open' } as const;
    const troubled = transition(gone, { type: 'trouble', trouble: unknown });
    expect(troubled).to.deep.include({ phase: 'problem', trouble: unknown });
    expect(transition(troubled, status('expired')).phase).to.equal('problem');
    const asking = transition(troubled, { type: 'retry' });
    expect(asking.phase).to.equal('opening');
    expect(asking).to.have.property('renew', undefined);
  });

  it('what a shopper typed goes with the next opening, and no further', () => {
    const asking = transition(STATES.opening, { type: 'asked', address: { asked } });
    const sending = transition(asking, { type: 'given', given });
    expect(sending).to.deep.include({ phase: 'opening', address: { asked, given } });
    const opened = transition(sending, { type: 'opened', reply, order: 'A1001', way: 'inline' });
    expect(JSON.stringify(opened)).not.to.contain('ZZ1');
    const refused = { asked, given, refused: ['avs.postcode'] };
    const refusedAgain = transition(sending, { type: 'asked', address: refused });
    expect(refusedAgain).to.deep.include({ phase: 'address', address: refused });
    const cutOff = { code: 'server_unreachable', remedy: 'open' } as const;
    const troubled = transition(sending, { type: 'trouble', trouble: cutOff });
    const again = transition(troubled, { type: 'retry' });
    expect(again).to.deep.equal({ ...sending, session: undefined, renew: undefined });
  });

  it('Back from where an SDK took the page asks the server before anything is offered', () => {
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
