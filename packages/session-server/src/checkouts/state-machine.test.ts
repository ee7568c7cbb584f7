import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckoutState } from '../contract.js';
import { testCheckout } from '../testing/test-checkout.js';
import {
  advance,
  type Checkout,
  type CheckoutFact,
  eventsBetween,
  isCertain,
  isPaymentPending,
} from './state-machine.js';

const RULES = { expireAfterSeconds: 3600, settleWindowSeconds: 300 };
const EXPIRES_AT = 3_600_000;
const SETTLES_AT = 300_000;

const FACTS = {
  reopened: { type: 'reopened' },
  return: { type: 'came-back', kind: 'return' },
  cancel: { type: 'came-back', kind: 'cancel' },
  back: { type: 'came-back', kind: 'back' },
  'cancel hint': { type: 'cancel-hinted' },
  'submit hint': { type: 'submit-hinted' },
  payment: { type: 'payment-proved', transaction: 'tx-1' },
  refund: { type: 'refund-proved', refundedMinor: 999 },
  failure: { type: 'failure-proved' },
  attention: { type: 'attention-needed', code: 'amount_mismatch' },
  time: { type: 'time-passed' },
} as const satisfies Record<string, CheckoutFact>;
type FactName = keyof typeof FACTS;

/** What each fact makes of each state; a dot is "nothing changes", `*` is "changed, same state". */
const FACT_ORDER: readonly FactName[] = [
  'reopened',
  'return',
  'cancel',
  'back',
  'cancel hint',
  'submit hint',
  'payment',
  'refund',
  'failure',
  'attention',
  'time',
];
const MOVES: Readonly<Record<CheckoutState, string>> = {
  open: '* returned cancelled left cancelled * paid . failed * expired',
  returned: '. . . . . . paid . failed * unconfirmed',
  paid: '. . . . . . . * . * .',
  failed: 'open . . . . * paid . . * .',
  cancelled: 'open returned . . . * paid . failed * .',
  left: 'open returned . . . * paid . failed * .',
  expired: 'open returned . . . * paid . failed * .',
  unconfirmed: '. . . . . . paid . failed * .',
};

function inState(state: CheckoutState): Checkout {
  return testCheckout({
    state,
    ...(state === 'returned' ? { settleBy: SETTLES_AT } : {}),
    ...(state === 'paid' ? { paidBy: 'tx-1' } : {}),
  });
}

describe('a checkout', () => {
  const rows = Object.entries(MOVES).flatMap(([state, moves]) =>
    moves.split(/\s+/).map((move, index) => {
      const fact = FACT_ORDER[index] ?? 'time';
      return [state as CheckoutState, fact, move] as const;
    }),
  );

  it.each(rows)('%s, %s: %s', (state, factName, move) => {
    const before = inState(state);
    const after = advance(before, FACTS[factName], EXPIRES_AT, RULES);
    if (move === '.') {
      expect(after).toBe(before);
      return;
    }
    expect(after.state).toBe(move === '*' ? state : move);
    expect(after.revision).toBe(before.revision + 1);
  });

  it('expires and settles at the moment that its times say, not before', () => {
    const open = testCheckout();
    expect(advance(open, FACTS.time, EXPIRES_AT - 1, RULES)).toBe(open);
    const returned = advance(open, FACTS.return, 1000, RULES);
    expect(returned.settleBy).toBe(1000 + SETTLES_AT);
    expect(advance(returned, FACTS.time, 1000 + SETTLES_AT - 1, RULES)).toBe(returned);
    expect(advance(returned, FACTS.time, 1000 + SETTLES_AT, RULES)).toMatchObject({
      state: 'unconfirmed',
      attention: ['unconfirmed'],
      settleBy: undefined,
    });
  });

  it('gets its whole time again when it is opened again', () => {
    const again = advance(testCheckout({ state: 'expired' }), FACTS.reopened, 5_000_000, RULES);
    expect(again).toMatchObject({ state: 'open', expiresAt: 5_000_000 + EXPIRES_AT });
  });

  it.each(['reopened', 'submit hint'] as const)(
    'gets its whole time again while it is open, %s, when less than half of it is left',
    (fact) => {
      const open = testCheckout();
      const half = EXPIRES_AT / 2;
      expect(advance(open, FACTS[fact], half, RULES).expiresAt).toBe(EXPIRES_AT);
      const longer = advance(open, FACTS[fact], half + 1, RULES);
      expect(longer).toMatchObject({ state: 'open', expiresAt: half + 1 + EXPIRES_AT });
      expect(advance(longer, FACTS.time, EXPIRES_AT, RULES)).toBe(longer);
    },
  );

  it.each(['cancelled', 'left', 'expired', 'failed'] as const)(
    'that is %s and then paid asks for attention',
    (state) => {
      const paid = advance(inState(state), FACTS.payment, 0, RULES);
      expect(paid).toMatchObject({ state: 'paid', paidBy: 'tx-1', attention: ['late_payment'] });
    },
  );

  it.each([
    ['payment', 'paid', 'checkout.paid'],
    ['failure', 'failed', 'checkout.failed'],
  ] as const)(
    'that is unconfirmed no longer asks for attention once there is evidence of %s',
    (fact, state, event) => {
      const late = testCheckout({
        state: 'unconfirmed',
        attention: ['amount_mismatch', 'unconfirmed'],
      });
      const after = advance(late, FACTS[fact], 0, RULES);
      expect(after).toMatchObject({ state, attention: ['amount_mismatch'] });
      expect(eventsBetween(late, after)).toEqual([event]);
      const needed = { type: 'attention-needed', code: 'price_changed' } as const;
      expect(eventsBetween(late, advance(after, needed, 0, RULES))).toEqual([
        event,
        'checkout.attention',
      ]);
    },
  );

  it('keeps its first payment, and reports each other one', () => {
    const other = { type: 'payment-proved', transaction: 'tx-2' } as const;
    const paid = advance(inState('paid'), other, 0, RULES);
    expect(paid).toMatchObject({ paidBy: 'tx-1', attention: [] });
    const reported = { type: 'attention-needed', code: 'paid_twice' } as const;
    const twice = advance(paid, reported, 0, RULES);
    const thrice = advance(twice, reported, 0, RULES);
    expect(thrice.attention).toEqual(['paid_twice', 'paid_twice']);
    expect(eventsBetween(twice, thrice)).toEqual(['checkout.attention']);
  });

  it('keeps the facts of its payment, and adds those that are shown later', () => {
    const proof = { type: 'payment-proved', transaction: 'tx-1' } as const;
    const paid = advance(testCheckout(), { ...proof, payment: { fee: '0.20' } }, 0, RULES);
    expect(paid.payment).toEqual({ fee: '0.20' });
    const payment = { method: 'New Card', fee: '0.99' };
    const more = advance(paid, { ...proof, payment }, 0, RULES);
    expect(more.payment).toEqual({ method: 'New Card', fee: '0.20' });
    expect(eventsBetween(paid, more)).toEqual([]);
    expect(advance(more, { ...proof, payment }, 0, RULES)).toBe(more);
  });

  it('is refunded as far as the newest evidence says', () => {
    const partly = advance(
      inState('paid'),
      { type: 'refund-proved', refundedMinor: 400 },
      0,
      RULES,
    );
    const fully = advance(partly, FACTS.refund, 0, RULES);
    expect([partly.refund, fully.refund]).toEqual(['partial', 'full']);
    const none = advance(fully, { type: 'refund-proved', refundedMinor: 0 }, 0, RULES);
    expect(none).toMatchObject({ state: 'paid', refund: 'none' });
    expect(advance(none, { type: 'refund-proved', refundedMinor: 0 }, 0, RULES)).toBe(none);
  });
});

describe('what is said of a state', () => {
  it.each([
    ['open', false, false],
    ['returned', false, true],
    ['paid', true, false],
    ['failed', true, false],
    ['cancelled', false, false],
    ['left', false, false],
    ['expired', false, false],
    ['unconfirmed', false, true],
  ] as const)('%s: certain %s, money may be moving %s', (state, certain, moving) => {
    expect(isCertain(state)).toBe(certain);
    expect(isPaymentPending({ state })).toBe(moving);
  });
});

describe('a submitted payment', () => {
  const submitted = (state: CheckoutState) => ({ ...inState(state), submittedAt: 1000 });

  it.each(['open', 'cancelled', 'left', 'expired', 'failed'] as const)(
    'may be moving, also when the checkout is %s',
    (state) => {
      const after = advance(inState(state), FACTS['submit hint'], 1000, RULES);
      expect(after.submittedAt).toBe(1000);
      expect(isPaymentPending(after)).toBe(true);
    },
  );

  it.each(['cancel', 'back', 'cancel hint'] as const)('is not taken back by a %s', (fact) => {
    const open = submitted('open');
    expect(advance(open, FACTS[fact], 2000, RULES)).toBe(open);
  });

  it.each(['payment', 'failure'] as const)('is answered by a %s', (fact) => {
    expect(advance(submitted('open'), FACTS[fact], 2000, RULES).submittedAt).toBeUndefined();
  });

  it('ends once, and moves no state', () => {
    const ended = advance(submitted('open'), { type: 'submission-ended' }, 2000, RULES);
    expect(ended).toMatchObject({ state: 'open', submittedAt: undefined, revision: 2 });
    expect(advance(ended, { type: 'submission-ended' }, 3000, RULES)).toBe(ended);
  });
});

describe('the events of a change', () => {
  it.each([
    ['open', FACTS.payment, ['checkout.paid']],
    ['expired', FACTS.payment, ['checkout.paid', 'checkout.attention']],
    ['open', FACTS.failure, ['checkout.failed']],
    ['open', FACTS.cancel, ['checkout.cancelled']],
    ['open', FACTS.back, ['checkout.left']],
    ['open', FACTS.return, []],
    ['open', FACTS.time, ['checkout.expired']],
    ['returned', FACTS.time, ['checkout.unconfirmed', 'checkout.attention']],
    ['cancelled', FACTS.reopened, []],
    ['paid', FACTS.refund, ['checkout.refunded']],
    ['paid', FACTS.attention, ['checkout.attention']],
    ['paid', FACTS.payment, []],
  ] as const)('%s, %j: %j', (state, fact, events) => {
    const before = inState(state);
    expect(eventsBetween(before, advance(before, fact, EXPIRES_AT, RULES))).toEqual(events);
  });
});

describe('any sequence of facts', () => {
  const hint = fc.constantFrom<CheckoutFact>(
    FACTS.reopened,
    FACTS.return,
    FACTS.cancel,
    FACTS.back,
    FACTS['cancel hint'],
    FACTS['submit hint'],
    FACTS.attention,
    FACTS.refund,
    FACTS.time,
  );
  const anyFact = fc.oneof(
    hint,
    fc.constantFrom<CheckoutFact>(
      FACTS.payment,
      FACTS.failure,
      { type: 'payment-proved', transaction: 'tx-2' },
      { type: 'refund-proved', refundedMinor: 400 },
    ),
  );
  const step = (fact: fc.Arbitrary<CheckoutFact>) =>
    fc.array(fc.tuple(fact, fc.integer({ min: 0, max: 4_000_000 })), { maxLength: 30 });

  it('counts one revision for each change, and changes nothing else silently', () => {
    fc.assert(
      fc.property(step(anyFact), (steps) => {
        let checkout = testCheckout();
        let now = 0;
        for (const [fact, pause] of steps) {
          now += pause;
          const next = advance(checkout, fact, now, RULES);
          if (next === checkout) continue;
          expect(next.revision).toBe(checkout.revision + 1);
          expect({ ...next, revision: 0 }).not.toEqual({ ...checkout, revision: 0 });
          checkout = next;
        }
      }),
    );
  });

  it('never leaves paid, nor forgets who paid', () => {
    fc.assert(
      fc.property(step(anyFact), (steps) => {
        let checkout = advance(testCheckout(), FACTS.payment, 0, RULES);
        for (const [fact, now] of steps) {
          checkout = advance(checkout, fact, now, RULES);
          expect([checkout.state, checkout.paidBy]).toEqual(['paid', 'tx-1']);
        }
      }),
    );
  });

  it('is never certain without evidence', () => {
    fc.assert(
      fc.property(step(hint), (steps) => {
        let checkout = testCheckout();
        for (const [fact, now] of steps) {
          checkout = advance(checkout, fact, now, RULES);
          expect(isCertain(checkout.state)).toBe(false);
          expect(checkout.paidBy).toBeUndefined();
          expect(checkout.refund).toBe('none');
        }
      }),
    );
  });

  it('comes to paid when evidence is in it anywhere, however often and late', () => {
    fc.assert(
      fc.property(step(anyFact), step(anyFact), (before, after) => {
        const facts = [...before, [FACTS.payment, 0] as const, ...after];
        const end = facts.reduce(
          (checkout, [fact, now]) => advance(checkout, fact, now, RULES),
          testCheckout(),
        );
        expect(end.state).toBe('paid');
      }),
    );
  });

  it('has a time to settle by exactly while it is returned', () => {
    fc.assert(
      fc.property(step(anyFact), (steps) => {
        let checkout = testCheckout();
        for (const [fact, now] of steps) {
          checkout = advance(checkout, fact, now, RULES);
          expect(checkout.settleBy !== undefined).toBe(checkout.state === 'returned');
        }
      }),
    );
  });
});
