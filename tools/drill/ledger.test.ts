import { describe, expect, it } from 'vitest';
import {
  type Acknowledged,
  DeliveredWatch,
  findForgotten,
  findLosses,
  type StoredFacts,
  type Visit,
} from './ledger.ts';

import type { Arrival } from './drill-shop.ts';

/** What is known of a round, to be changed by what a test lets go wrong. */
interface Known {
  facts: {
    orders: { order: string; amountMinor: number; isVoid: number }[];
    checkouts: { id: string; order: string; state: string; refund: string; attention: string }[];
    attempts: { orderId: number; checkout: string; status: string; sessionId: string | null }[];
    events: { id: string; checkout: string; type: string; status: string }[];
    transactions: { id: string; checkout: string }[];
    webhooks: Map<number | null, number>;
  };
  shopper: Acknowledged;
  ending: Visit['scenario'];
  arrivals: Arrival[];
  /** By the provider, of each `order_id`. */
  webhooks: Set<number>;
}

const arrival = (changes: Partial<Arrival> = {}): Arrival => ({
  ...{ id: 'e1', type: 'checkout.paid', order: 'D1', checkout: 'new', sequence: 1 },
  ...{ certain: true, body: 'text' },
  ...changes,
});

/** An order whose price changed, and whose session was renewed at the new one: nothing is lost. */
function goodRound(): Known {
  return {
    facts: {
      orders: [{ order: 'D1', amountMinor: 777, isVoid: 0 }],
      checkouts: [
        { id: 'old', order: 'D1', state: 'open', refund: 'none', attention: '[]' },
        { id: 'new', order: 'D1', state: 'paid', refund: 'none', attention: '[]' },
      ],
      attempts: [
        { orderId: 1, checkout: 'old', status: 'superseded', sessionId: 's1' },
        { orderId: 2, checkout: 'new', status: 'superseded', sessionId: 's2' },
        { orderId: 3, checkout: 'new', status: 'unknown', sessionId: null },
        { orderId: 4, checkout: 'new', status: 'active', sessionId: 's4' },
      ],
      events: [
        { id: 'e0', checkout: 'old', type: 'checkout.cancelled', status: 'delivered' },
        { id: 'e1', checkout: 'new', type: 'checkout.paid', status: 'delivered' },
      ],
      transactions: [{ id: 't1', checkout: 'new' }],
      webhooks: new Map([
        [4, 2],
        [null, 1],
      ]),
    },
    shopper: {
      order: 'D1',
      put: { acknowledged: { amountMinor: 777, isVoid: false } },
      shown: new Map([
        ['old', new Set(['s1'])],
        ['new', new Set(['s2', 's4'])],
      ]),
      acknowledged: { return: new Set(['new']), cancel: new Set(['old']) },
      webhooks: new Map([
        [4, 2],
        [null, 1],
      ]),
      reported: new Map([['new', ['open', 'returned', 'paid', 'paid']]]),
    },
    ending: {
      eventTypes: ['checkout.cancelled', 'checkout.paid'],
      prices: [
        { state: 'open', sessions: 1 },
        { state: 'paid', sessions: 2 },
      ],
    },
    arrivals: [
      arrival({ id: 'e0', type: 'checkout.cancelled', checkout: 'old', certain: false }),
      arrival(),
      arrival(),
    ],
    webhooks: new Set([4]),
  };
}

function attemptOf(known: Known, orderId: number): Known['facts']['attempts'][number] {
  const found = known.facts.attempts.find((attempt) => attempt.orderId === orderId);
  if (!found) throw new Error('no such attempt');
  return found;
}

const remove = <T>(list: T[], is: (one: T) => boolean): void => {
  list.splice(list.findIndex(is), 1);
};

type Loss = readonly [what: string, lose: (known: Known) => unknown, line: string];

const FORGOTTEN: readonly Loss[] = [
  [
    'an order that the shop put',
    ({ facts }) => remove(facts.orders, ({ order }) => order === 'D1'),
    'D1: what the shop put is gone',
  ],
  [
    'the price that the shop put last',
    ({ facts }) => (facts.orders[0]!.amountMinor = 666),
    'D1: what the shop put is gone',
  ],
  [
    'that the shop made an order void',
    ({ shopper }) => (shopper.put.acknowledged = { amountMinor: 777, isVoid: true }),
    'D1: what the shop put is gone',
  ],
  [
    'a checkout that a page was given',
    ({ facts }) => remove(facts.checkouts, ({ id }) => id === 'old'),
    'D1: its checkout is gone',
  ],
  [
    'a session that a page was given',
    ({ facts }) => remove(facts.attempts, ({ orderId }) => orderId === 2),
    'D1: a session that was shown is gone',
  ],
  [
    'to which checkout a session belongs',
    (known) => (attemptOf(known, 1).checkout = 'new'),
    'D1: a session that was shown is gone',
  ],
  [
    'a return',
    ({ facts, shopper }) => {
      facts.checkouts[1]!.state = 'open';
      shopper.reported.clear();
    },
    'D1: a return is gone',
  ],
  [
    'a cancel',
    ({ facts }) => remove(facts.events, ({ id }) => id === 'e0'),
    'D1: a cancel is gone',
  ],
  [
    'one of the webhooks of a session',
    ({ facts }) => facts.webhooks.set(4, 1),
    'D1: 1 of 2 webhooks are gone',
  ],
  [
    'a webhook that names no order',
    ({ facts }) => facts.webhooks.delete(null),
    'D1: 1 of 1 webhooks are gone',
  ],
  [
    'that a page was shown a payment',
    ({ facts }) => (facts.checkouts[1]!.state = 'returned'),
    'D1: a paid state that was shown is gone',
  ],
  ['a webhook of the provider', ({ webhooks }) => webhooks.add(2), 'order_id 2: a webhook is gone'],
];

const WRONG: readonly Loss[] = [
  [
    'a checkout too many',
    ({ facts }) => facts.checkouts.push({ ...facts.checkouts[0]!, id: 'twin' }),
    'D1: checkouts: 3, not 2',
  ],
  [
    'an unknown payment',
    ({ facts }) => (facts.checkouts[1]!.state = 'returned'),
    'D1: states of its prices: open,returned, not open,paid',
  ],
  [
    'a payment at the wrong price',
    ({ facts }) => facts.checkouts.forEach((one) => (one.state = 'paid')),
    'D1: states of its prices: paid,paid, not open,paid',
  ],
  [
    'a false alarm',
    ({ facts }) => (facts.checkouts[1]!.attention = '["paid_twice"]'),
    'D1: attention: ["paid_twice"], not []',
  ],
  [
    'an alarm that is missing',
    (known) => (known.ending = { ...known.ending, attention: ['price_changed'] }),
    'D1: attention: [], not ["price_changed"]',
  ],
  [
    'an alarm that is sent twice',
    (known) => {
      known.ending = { ...known.ending, attention: ['paid_twice'] };
      known.facts.checkouts[1]!.attention = '["paid_twice","paid_twice"]';
    },
    'D1: attention: ["paid_twice","paid_twice"], not ["paid_twice"]',
  ],
  [
    'an unknown refund',
    (known) => (known.ending = { ...known.ending, refund: 'full' }),
    'D1: refund: none, not full',
  ],
  [
    'a second session shown at a price',
    ({ facts, shopper }) => {
      shopper.shown.get('old')?.add('s3');
      facts.attempts.push({ ...facts.attempts[0]!, orderId: 5, sessionId: 's3' });
    },
    'D1: sessions that the page was shown, of each price: 2,2, not 1,2',
  ],
  [
    'a session that may be paid next to the one that is shown',
    (known) => (attemptOf(known, 2).status = 'active'),
    'D1: the session that may be paid: s2,s4, not s4',
  ],
  [
    'a session that no page was shown, in the place of the one that is',
    (known) => {
      attemptOf(known, 4).status = 'superseded';
      Object.assign(attemptOf(known, 3), { status: 'active', sessionId: 's3' });
    },
    'D1: the session that may be paid: s3, not s4',
  ],
  [
    'a session that was shown, and is watched no more',
    (known) => (attemptOf(known, 1).status = 'refused'),
    'D1: sessions shown before it that did not give way: 1, not 0',
  ],
  [
    'an attempt that is left in the middle of sending',
    (known) => (attemptOf(known, 3).status = 'sending'),
    'D1: attempts left in the middle: 1, not 0',
  ],
  [
    'a payment that is counted twice',
    ({ facts }) => facts.transactions.push({ id: 't2', checkout: 'old' }),
    'D1: transactions counted: 2, not 1',
  ],
  [
    'a payment that a page is shown, and later not',
    ({ shopper }) => shopper.reported.get('new')?.push('open'),
    'D1: states shown after paid: 1, not 0',
  ],
  [
    'an event that the shop has not got',
    ({ arrivals }) => arrivals.splice(1),
    'D1: events that the shop has: checkout.cancelled, not checkout.cancelled,checkout.paid',
  ],
  [
    'a second id for one outcome',
    ({ arrivals, facts }) => {
      arrivals.push(arrival({ id: 'e2', sequence: 2 }));
      facts.events.push({ ...facts.events[1]!, id: 'e2' });
    },
    'D1: times that the shop marked the order paid: 2, not 1',
  ],
  [
    'an event that only the shop knows',
    ({ facts }) => remove(facts.events, ({ id }) => id === 'e1'),
    'D1: event ids of ours: 1, not 2',
  ],
  [
    'an event that is not known to be delivered',
    ({ facts }) => (facts.events[1]!.status = 'sending'),
    'D1: events not delivered: 1, not 0',
  ],
  [
    'an event that comes again with another text',
    ({ arrivals }) => (arrivals[2] = arrival({ body: 'another text' })),
    'D1: repeats with another text: 1, not 0',
  ],
  [
    'a payment that is sent as a hint only',
    ({ arrivals }) => arrivals.splice(1, 2, arrival({ certain: false })),
    'D1: times that the shop marked the order paid: 0, not 1',
  ],
];

const forgotten = ({ facts, shopper, webhooks }: Known): string[] =>
  findForgotten(facts, [shopper], webhooks);
const losses = ({ facts, shopper, ending, arrivals }: Known): string[] =>
  findLosses(facts, [{ shopper, scenario: ending }], arrivals);

describe('the drill', () => {
  it('finds nothing where nothing is lost', () => {
    expect(forgotten(goodRound())).toEqual([]);
    expect(losses(goodRound())).toEqual([]);
  });

  it.each(FORGOTTEN)('finds that the file has forgotten %s', (_what, lose, line) => {
    const known = goodRound();
    lose(known);
    expect(forgotten(known)).toContain(line);
  });

  it.each(WRONG)('finds %s', (_what, lose, line) => {
    const known = goodRound();
    lose(known);
    expect(losses(known)).toContain(line);
  });

  it('checks each order by what is its own', () => {
    const known = goodRound();
    known.arrivals.push(arrival({ id: 'e9', order: 'D2', checkout: 'other' }));
    known.facts.checkouts.push({ ...known.facts.checkouts[0]!, id: 'other', order: 'D2' });
    expect(losses(known)).toEqual([]);
  });

  it('finds an event that is sent again after it was stored that it is delivered', () => {
    const watch = new DeliveredWatch();
    const { facts, arrivals }: { facts: StoredFacts; arrivals: Arrival[] } = goodRound();
    watch.note(facts, arrivals);
    expect(watch.findRepeats(arrivals)).toEqual([]);
    arrivals.push(arrival());
    watch.note(facts, arrivals);
    expect(watch.findRepeats(arrivals)).toEqual(['event e1: sent again after it was delivered']);
  });
});
