/** The ledger of what must not be lost: what was acknowledged, what is stored, and what must be true at the end. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Arrival } from './drill-shop.ts';
import { type Ending, PAID } from './scenarios.ts';
import type { Shopper } from './shopper.ts';

const NUMBERS = ['amountMinor', 'isVoid', 'orderId', 'count'];

type Rows = Record<string, unknown>[];
/** Runs a statement in a database. */
export type Query = (sql: string) => Rows | Promise<Rows>;

/** What the database of a session server holds at a moment. */
export interface StoredFacts {
  /** Those that were put. */
  readonly orders: readonly { order: string; amountMinor: number; isVoid: number }[];
  readonly checkouts: readonly {
    id: string;
    order: string;
    state: string;
    refund: string;
    attention: string;
  }[];
  readonly attempts: readonly {
    orderId: number;
    checkout: string;
    status: string;
    sessionId: string | null;
  }[];
  readonly events: readonly { id: string; checkout: string; type: string; status: string }[];
  readonly transactions: readonly { id: string; checkout: string }[];
  /**
   * How many webhooks of different bodies are stored, by the `order_id` that they came for; null for
   * those that came to an endpoint.
   */
  readonly webhooks: ReadonlyMap<number | null, number>;
}

/** Reads a copy, so that the next process finds the file just as the dead one left it. */
export async function readDataFile(path: string): Promise<StoredFacts> {
  const folder = mkdtempSync(`${path}.copy-`);
  try {
    const copy = join(folder, 'copy.sqlite');
    if (existsSync(path)) cpSync(path, copy);
    if (existsSync(`${path}-wal`)) cpSync(`${path}-wal`, `${copy}-wal`);
    const database = new DatabaseSync(copy);
    try {
      const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'counters'").all();
      return await readFacts((sql) => (tables.length === 0 ? [] : database.prepare(sql).all()));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function readFacts(all: Query): Promise<StoredFacts> {
  const read = async <T>(sql: string): Promise<T[]> =>
    (await all(sql)).map((row) => ({ ...row, ...numbersOf(row) }) as T);
  return {
    orders: await read(
      `SELECT order_name AS "order", amount_minor AS "amountMinor", is_void AS "isVoid"
       FROM orders WHERE order_version IS NOT NULL`,
    ),
    checkouts: await read(
      'SELECT id, order_name AS "order", state, refund, attention FROM checkouts',
    ),
    attempts: await read(
      `SELECT order_id AS "orderId", checkout, status, session_id AS "sessionId" FROM attempts`,
    ),
    events: await read('SELECT id, checkout, type, status FROM outbox_events'),
    transactions: await read(
      'SELECT id, checkout FROM matched_transactions WHERE proves_price = 1',
    ),
    webhooks: new Map(
      (
        await read<{ orderId: number | null; count: number }>(
          `SELECT CASE WHEN receiver = CAST(order_id AS TEXT) THEN order_id END AS "orderId",
             count(DISTINCT digest) AS count FROM webhooks GROUP BY 1`,
        )
      ).map(({ orderId, count }) => [orderId, count]),
    ),
  };
}

/** PostgreSQL's driver gives the whole numbers of a BIGINT as texts. */
function numbersOf(row: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    NUMBERS.filter((name) => typeof row[name] === 'string').map((name) => [
      name,
      Number(row[name]),
    ]),
  );
}

type VisitedShopper = Pick<Shopper, 'order' | 'shown' | 'reported'>;

/** One shopper's part of a round. */
export interface Visit {
  readonly shopper: VisitedShopper;
  readonly scenario: Ending;
}

const ONE_PRICE = [{ state: 'paid', sessions: 1 }];

/** What a page or the provider was answered, so that it must be in the file from then on. */
export type Acknowledged = Pick<
  Shopper,
  'order' | 'put' | 'shown' | 'acknowledged' | 'webhooks' | 'reported'
>;

/** What was answered with 2xx and is not in the data file: each line is a loss. */
export function findForgotten(
  facts: StoredFacts,
  shoppers: readonly Acknowledged[],
  acknowledgedWebhooks: ReadonlySet<number>,
): string[] {
  const lost: string[] = shoppers.flatMap((shopper) =>
    forgottenOf(facts, shopper).map((what) => `${shopper.order}: ${what}`),
  );
  for (const orderId of acknowledgedWebhooks) {
    if (!facts.webhooks.has(orderId)) lost.push(`order_id ${String(orderId)}: a webhook is gone`);
  }
  return lost;
}

function forgottenOf(
  facts: StoredFacts,
  { order, put, shown, acknowledged, webhooks, reported }: Acknowledged,
): string[] {
  const lost: string[] = [];
  const stored = facts.orders.find((found) => found.order === order);
  const isStored = [put.acknowledged, put.pending].some(
    (one) => one?.amountMinor === stored?.amountMinor && one?.isVoid === (stored?.isVoid === 1),
  );
  if (put.acknowledged && !isStored) lost.push('what the shop put is gone');
  const stateOf = (checkout: string): string | undefined =>
    facts.checkouts.find(({ id }) => id === checkout)?.state;
  for (const [checkout, sessions] of shown) {
    if (stateOf(checkout) === undefined) lost.push('its checkout is gone');
    for (const session of sessions) {
      const isKept = facts.attempts.some(
        (attempt) => attempt.sessionId === session && attempt.checkout === checkout,
      );
      if (!isKept) lost.push('a session that was shown is gone');
    }
  }
  for (const checkout of acknowledged.return) {
    if (stateOf(checkout) === 'open') lost.push('a return is gone');
  }
  for (const checkout of acknowledged.cancel) {
    const isStored = facts.events.some(
      (event) => event.checkout === checkout && event.type === 'checkout.cancelled',
    );
    if (!isStored) lost.push('a cancel is gone');
  }
  for (const [orderId, count] of webhooks) {
    const kept = facts.webhooks.get(orderId) ?? 0;
    if (kept < count) lost.push(`${String(count - kept)} of ${String(count)} webhooks are gone`);
  }
  for (const [checkout, states] of reported) {
    if (states.includes('paid') && stateOf(checkout) !== 'paid') {
      lost.push('a paid state that was shown is gone');
    }
  }
  return lost;
}

/** What is wrong when everything is over: each line is a loss. */
export function findLosses(
  facts: StoredFacts,
  visits: readonly Visit[],
  arrivals: readonly Arrival[],
): string[] {
  const factsOf = splitByOrder(facts);
  const arrivalsByOrder = Map.groupBy(arrivals, ({ order }) => order);
  return visits.flatMap(({ shopper, scenario }) => {
    const stored = factsOf(shopper.order);
    const ours = arrivalsByOrder.get(shopper.order) ?? [];
    const problems = [
      ...checkStored(stored, shopper, scenario),
      ...checkDelivered(stored, shopper, scenario, ours),
    ];
    return problems.map((problem) => `${shopper.order}: ${problem}`);
  });
}

/** What the shop is sent of an order whose payment is found only after its settle window. */
const LATE_EVENTS = ['checkout.unconfirmed', 'checkout.attention', 'checkout.paid'];

/**
 * What is wrong when everything is over, and which orders were only late: their shop was sent
 * `checkout.unconfirmed` before `checkout.paid`, and all else is as it must be.
 */
export function findLostAndLate(
  facts: StoredFacts,
  visits: readonly Visit[],
  arrivals: readonly Arrival[],
): { readonly lost: string[]; readonly late: string[] } {
  const isOf = ({ shopper }: Visit, losses: readonly string[]): boolean =>
    losses.some((loss) => loss.startsWith(`${shopper.order}: `));
  const losses = findLosses(facts, visits, arrivals);
  const suspects = visits.filter((visit) => isOf(visit, losses));
  const asLate = suspects.map(({ shopper, scenario }) => ({
    shopper,
    scenario: { ...scenario, eventTypes: LATE_EVENTS },
  }));
  const lossesAsLate = findLosses(facts, asLate, arrivals);
  const late = suspects.filter((visit) => !isOf(visit, lossesAsLate));
  return {
    lost: losses.filter((loss) => !late.some((visit) => isOf(visit, [loss]))),
    late: late.map(({ shopper }) => shopper.order),
  };
}

type OrderFacts = Pick<StoredFacts, 'checkouts' | 'attempts' | 'events' | 'transactions'>;

/** Thousands of orders are checked: none of them reads what belongs to the others. */
function splitByOrder(facts: StoredFacts): (order: string) => OrderFacts {
  const checkouts = Map.groupBy(facts.checkouts, ({ order }) => order);
  const byCheckout = <T extends { checkout: string }>(rows: readonly T[]) => {
    const groups = Map.groupBy(rows, ({ checkout }) => checkout);
    return (ids: readonly { id: string }[]): T[] => ids.flatMap(({ id }) => groups.get(id) ?? []);
  };
  const attempts = byCheckout(facts.attempts);
  const events = byCheckout(facts.events);
  const transactions = byCheckout(facts.transactions);
  return (order) => {
    const ours = checkouts.get(order) ?? [];
    return {
      checkouts: ours,
      attempts: attempts(ours),
      events: events(ours),
      transactions: transactions(ours),
    };
  };
}

/** Of each price that was opened, oldest first. */
function checkStored(
  facts: OrderFacts,
  { shown, reported }: VisitedShopper,
  { attention = [], prices = ONE_PRICE, transactions = 1, refund = 'none' }: Ending,
): string[] {
  const { checkouts, attempts } = facts;
  const opened = [...shown.keys()].map((id) => checkouts.find((checkout) => checkout.id === id));
  const paid = opened.find((checkout) => checkout?.state === 'paid');
  const afterPaid = [...reported.values()].flatMap((states) =>
    states.includes('paid') ? states.slice(states.indexOf('paid')) : [],
  );
  return [
    expect('checkouts', checkouts.length, prices.length),
    expect(
      'states of its prices',
      opened.map((checkout) => checkout?.state).join(),
      prices.map(({ state }) => state).join(),
    ),
    expect('attention', paid?.attention, JSON.stringify(attention)),
    expect('refund', paid?.refund, refund),
    expect(
      'sessions that the page was shown, of each price',
      [...shown.values()].map(({ size }) => size).join(),
      prices.map(({ sessions }) => sessions).join(),
    ),
    ...checkSessions(
      attempts,
      [...shown.values()].flatMap((sessions) => [...sessions]),
    ),
    expect('attempts left in the middle', countOf(attempts, 'sending'), 0),
    expect('transactions counted', facts.transactions.length, transactions),
    expect('states shown after paid', afterPaid.filter((state) => state !== 'paid').length, 0),
  ].flat();
}

/** The one that was shown last may be paid; each other one that was shown was superseded, and is watched. */
function checkSessions(
  attempts: StoredFacts['attempts'],
  shown: readonly string[],
): readonly string[][] {
  const last = shown.at(-1) ?? '';
  const statusOf = (session: string): string | undefined =>
    attempts.find(({ sessionId }) => sessionId === session)?.status;
  const others = shown.filter((session) => session !== last);
  const active = attempts.filter(({ status }) => status === 'active');
  return [
    expect('the session that may be paid', active.map(({ sessionId }) => sessionId).join(), last),
    expect(
      'sessions shown before it that did not give way',
      others.filter((session) => statusOf(session) !== 'superseded').length,
      0,
    ),
  ];
}

function countOf(attempts: StoredFacts['attempts'], wanted: string): number {
  return attempts.filter(({ status }) => status === wanted).length;
}

function checkDelivered(
  facts: OrderFacts,
  { shown }: VisitedShopper,
  { eventTypes = PAID, mayRepeat = [] }: Ending,
  arrivals: readonly Arrival[],
): string[] {
  const checkouts = [...shown.keys()];
  const stored = facts.events;
  const first = new Map<string, Arrival>();
  for (const arrival of arrivals) if (!first.has(arrival.id)) first.set(arrival.id, arrival);
  const types = [...first.values()]
    .toSorted(
      (a, b) =>
        checkouts.indexOf(a.checkout) - checkouts.indexOf(b.checkout) || a.sequence - b.sequence,
    )
    .map(({ type }) => type)
    .filter((type, at, all) => !mayRepeat.includes(type) || type !== all[at - 1]);
  const changed = arrivals.filter(({ id, body }) => first.get(id)?.body !== body);
  const marks = [...first.values()].filter(
    ({ type, certain }) => type === 'checkout.paid' && certain,
  );
  return [
    expect('events that the shop has', types.join(), eventTypes.join()),
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
