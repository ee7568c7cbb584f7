import type { StoredFacts } from './data-file.ts';
import type { Arrival } from './drill-shop.ts';
import type { Shopper } from './shopper.ts';
import type { Story } from './stories.ts';

/** One shopper's part of a round. */
export interface Visit {
  readonly shopper: Shopper;
  readonly story: Story;
}

/** What was answered with 2xx and is not in the data file: each line is a loss. */
export function findForgotten(
  facts: StoredFacts,
  shoppers: readonly Shopper[],
  acknowledgedWebhooks: ReadonlySet<number>,
): string[] {
  const lost: string[] = [];
  for (const { order, checkout, sessions, acknowledged, told } of shoppers) {
    const state = facts.checkouts.find(({ id }) => id === checkout)?.state;
    if (checkout !== '' && state === undefined) lost.push(`${order}: its checkout is gone`);
    for (const session of sessions) {
      if (facts.attempts.some((attempt) => attempt.sessionId === session)) continue;
      lost.push(`${order}: a session that was shown is gone`);
    }
    if (acknowledged.has('return') && state === 'open') lost.push(`${order}: a return is gone`);
    const isCancelTold = facts.events.some(
      (event) => event.checkout === checkout && event.type === 'checkout.cancelled',
    );
    if (acknowledged.has('cancel') && !isCancelTold) lost.push(`${order}: a cancel is gone`);
    const isStrayKept = facts.deliveries.has(null);
    if (acknowledged.has('stray webhook') && !isStrayKept) lost.push('a stray webhook is gone');
    if (told.includes('paid') && state !== 'paid')
      lost.push(`${order}: paid was told, and is gone`);
  }
  for (const orderId of acknowledgedWebhooks) {
    if (!facts.deliveries.has(orderId)) lost.push(`order_id ${String(orderId)}: a webhook is gone`);
  }
  return lost;
}

/** What is wrong when everything is over: each line is a loss. */
export function findLosses(
  facts: StoredFacts,
  visits: readonly Visit[],
  arrivals: Arrival[],
): string[] {
  return visits.flatMap(({ shopper, story }) => {
    const ours = arrivals.filter(({ order }) => order === shopper.order);
    const problems = [
      ...judgeStored(facts, shopper, story),
      ...judgeTold(facts, shopper, story, ours),
    ];
    return problems.map((problem) => `${shopper.order}: ${problem}`);
  });
}

function judgeStored(
  facts: StoredFacts,
  { order, sessions, told }: Shopper,
  story: Story,
): string[] {
  const checkouts = facts.checkouts.filter((checkout) => checkout.order === order);
  const ids = checkouts.map(({ id }) => id);
  const exposed = facts.attempts.filter(
    ({ checkout, status }) => ids.includes(checkout) && status === 'exposed',
  );
  const sending = facts.attempts.filter(
    ({ checkout, status }) => ids.includes(checkout) && status === 'sending',
  );
  const counted = facts.transactions.filter(({ checkout }) => ids.includes(checkout));
  const attention = checkouts.map((checkout) => checkout.attention).join();
  const firstPaid = told.indexOf('paid');
  return [
    expect('checkouts', checkouts.length, 1),
    expect('state', checkouts[0]?.state, 'paid'),
    expect('attention', attention, JSON.stringify(story.attention ?? [])),
    expect('exposed sessions', exposed.length, 1),
    expect('attempts left in the middle', sending.length, 0),
    expect('sessions that the page was shown', sessions.size, 1),
    expect('the session shown is the one exposed', sessions.has(exposed[0]?.sessionId ?? ''), true),
    expect('transactions counted', counted.length, 1),
    expect(
      'states told after paid',
      told.slice(firstPaid).filter((state) => firstPaid >= 0 && state !== 'paid').length,
      0,
    ),
  ].flat();
}

function judgeTold(
  facts: StoredFacts,
  { checkout }: Shopper,
  story: Story,
  arrivals: readonly Arrival[],
): string[] {
  const stored = facts.events.filter((event) => event.checkout === checkout);
  const first = new Map(arrivals.map((arrival) => [arrival.id, arrival]));
  const types = [...first.values()]
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(({ type }) => type);
  const changed = arrivals.filter(({ id, body }) => first.get(id)?.body !== body);
  const marks = [...first.values()].filter(
    ({ type, certain }) => type === 'checkout.paid' && certain,
  );
  return [
    expect('events that the shop has', types.join(), story.tells.join()),
    expect('event ids of ours', stored.length, first.size),
    expect('events not delivered', stored.filter((e) => e.status !== 'delivered').length, 0),
    expect('repeats with another text', changed.length, 0),
    expect('times that the shop marked the order paid', marks.length, 1),
  ].flat();
}

function expect(what: string, found: unknown, wanted: unknown): string[] {
  return found === wanted ? [] : [`${what}: ${String(found)}, not ${String(wanted)}`];
}

/** Events that were sent again although a process before had stored that they were delivered. */
export class DeliveredWatch {
  readonly #arrivalsWhenStored = new Map<string, number>();

  note(facts: StoredFacts, arrivals: readonly Arrival[]): void {
    for (const { id, status } of facts.events) {
      if (status !== 'delivered' || this.#arrivalsWhenStored.has(id)) continue;
      this.#arrivalsWhenStored.set(id, count(arrivals, id));
    }
  }

  findRepeats(arrivals: readonly Arrival[]): string[] {
    return [...this.#arrivalsWhenStored]
      .filter(([id, before]) => count(arrivals, id) > before)
      .map(([id]) => `event ${id}: sent again after it was delivered`);
  }
}

function count(arrivals: readonly Arrival[], id: string): number {
  return arrivals.filter((arrival) => arrival.id === id).length;
}
