import { expect, describe, it } from 'vitest';
import { hasSession } from '../checkouts/attempt-repository.js';
import type { AttemptRequest } from '../checkouts/attempt-repository.js';
import { createLogger } from '../logger.js';
import { readFeed } from '../merchant-api/feed.js';
import { RunLoops } from '../run-loop.js';
import type { Reader } from '../store/database.js';
import { type Sql, sql } from '../store/sql.js';
import { DAY_MS, type StoreFixture } from '../testing/store-fixture.js';
import { TEST_ENCRYPTION } from '../testing/test-merchant.js';
import { eraseOrder, exportOrder } from './order-data.js';
import { readRemovedMonths } from './removal.js';
import { startRetention } from './retention.js';

const PUT = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };

/** What becomes of orders that no one needs any more. */
export function describeRemoval(fixture: StoreFixture): void {
  const keyOf = (order: string) => ({ merchant: 'teashop', order });
  const inTransaction: typeof fixture.store.database.transaction = (...args) =>
    fixture.store.database.transaction(...args);
  const stored = (order: string) => exportOrder(fixture.store.database, keyOf(order));
  const feed = (after?: string, limit = 100) =>
    readFeed(fixture.store.database, 'teashop', { after, limit }, TEST_ENCRYPTION);

  async function openOrder(order: string, changes: Partial<AttemptRequest> = {}) {
    return fixture.activate({ order, ...changes }, `session of ${order}`);
  }

  async function payOrder(order: string): Promise<number> {
    const { attempt } = await openOrder(order);
    await fixture.pay(attempt.orderId, { transaction: `tx of ${order}` });
    return attempt.orderId;
  }

  /** Time passes: open checkouts expire, every event is delivered, nothing is polled or compared any more. */
  async function settle(): Promise<void> {
    fixture.now += DAY_MS;
    await fixture.store.applyTime(100);
    await fixture.store.placeEvents();
    await fixture.eventTypes();
    await inTransaction('test', async (tx) => {
      await tx.run(sql`UPDATE attempts SET next_poll_at = NULL`);
      await tx.run(sql`UPDATE checkouts SET price_check_at = NULL`);
    });
  }

  const erase = (order: string) =>
    inTransaction('test', (tx) => eraseOrder(tx, keyOf(order), fixture.now));

  /** Removes what is `days` old, as the retention does. */
  async function removeAfter(days: number, allAfter = 10_000) {
    const step = (age: number) => ({ before: fixture.now - age * DAY_MS, limit: 50 });
    const history = await fixture.store.removeHistory(step(days));
    return { history, orders: await fixture.store.removeOrders(step(allAfter)) };
  }

  /** Old orders, settled and erased, and a newer one. */
  async function grow(...orders: string[]): Promise<void> {
    await settle();
    fixture.now += 100 * DAY_MS;
    await openOrder('newest');
    for (const order of orders) expect(await erase(order)).toBe('erased');
  }

  describe('the rows of an old order', () => {
    it('are removed, but for what keeps it from being paid twice', async () => {
      await payOrder('A1001');
      await grow('A1001');
      const before = await stored('A1001');
      expect(await removeAfter(90)).toEqual({ history: 1, orders: 0 });
      expect(await stored('A1001')).toEqual({
        ...before,
        ...{ attempts: [], outbox_events: [], order_log: [] },
        orders: [{ ...before.orders[0], removed_at: fixture.now }],
      });
      expect(await fixture.begin({ order: 'A1001' })).toMatchObject({
        kind: 'settled',
        checkout: { state: 'paid' },
      });
      expect(await fixture.begin({ order: 'A1001', orderVersion: 'another' })).toMatchObject({
        kind: 'settled',
        checkout: { state: 'paid' },
      });
    });

    it('leave the ids of its transactions: none of them pays another order', async () => {
      await payOrder('A1001');
      await grow('A1001');
      await removeAfter(90);
      const { attempt } = await openOrder('A1002');
      await fixture.pay(attempt.orderId, { transaction: 'tx of A1001' });
      expect(await fixture.begin({ order: 'A1002' })).toMatchObject({ kind: 'existing' });
    });

    it('leave the price that was put: a pay link still works, and no one says that nothing was paid', async () => {
      await fixture.store.putOrder(keyOf('A1001'), PUT);
      await openOrder('A1001', { isStored: true, orderVersion: PUT.version });
      await grow('A1001');
      expect(await removeAfter(90)).toEqual({ history: 1, orders: 0 });
      const { checkouts, attempts } = await stored('A1001');
      expect([checkouts, attempts]).toEqual([[], []]);
      expect(await hasSession(fixture.store.database, 'teashop', 'A1001')).toBe(true);
      const opened = await openOrder('A1001', { isStored: true, orderVersion: PUT.version });
      expect(opened.kind).toBe('send');
    });

    it('are all removed where its shop is asked for the price, and it was never paid', async () => {
      await openOrder('A1001');
      await grow('A1001');
      expect(await removeAfter(90)).toEqual({ history: 1, orders: 0 });
      expect(Object.values(await stored('A1001')).flat()).toEqual([]);
      expect(await readRemovedMonths(fixture.store.database, 'teashop')).toMatchObject([
        { month: '2026-01', paid: 0, unpaid: 1, amount: '0.00' },
      ]);
    });

    it('are removed again after it was put and opened once more', async () => {
      await fixture.store.putOrder(keyOf('A1001'), PUT);
      await grow('A1001');
      await removeAfter(90);
      await fixture.store.putOrder(keyOf('A1001'), { ...PUT, version: 'version-2' });
      const { attempt } = await openOrder('A1001', { orderVersion: 'version-2', isStored: true });
      await fixture.pay(attempt.orderId);
      await settle();
      expect(await removeAfter(0)).toEqual({ history: 0, orders: 0 });
      await fixture.activate({ order: 'newer' }, 'session of newer');
      fixture.now += DAY_MS;
      await erase('A1001');
      expect(await removeAfter(0)).toEqual({ history: 1, orders: 0 });
      const { attempts, checkouts } = await stored('A1001');
      expect([attempts, checkouts]).toMatchObject([[], [{ state: 'paid' }]]);
    });

    it.each([
      ['it is polled for', sql`UPDATE attempts SET next_poll_at = 1`],
      ['an event of it is due', sql`UPDATE outbox_events SET due_at = 1, status = 'pending'`],
      ['an event of it is in no feed', sql`UPDATE outbox_events SET position = NULL`],
      ['a person must see it', sql`UPDATE checkouts SET attention = '["price_changed"]'`],
      ['its price is to be compared', sql`UPDATE checkouts SET price_check_at = 1`],
      ['it was put again since', sql`UPDATE orders SET renewed_at = 1e15`],
      ['it changed since', sql`UPDATE orders SET updated_at = 1e15`],
      ['it is not erased', sql`UPDATE orders SET erased_at = NULL`],
    ])('stay while %s', async (_, change) => {
      await payOrder('A1001');
      await grow('A1001');
      await inTransaction('test', async (tx) => {
        await tx.run(change);
      });
      expect(await removeAfter(90)).toEqual({ history: 0, orders: 0 });
    });

    it('stay of the newest order: no number is given out again', async () => {
      await payOrder('A1001');
      await settle();
      fixture.now += 500 * DAY_MS;
      await erase('A1001');
      expect(await removeAfter(90, 400)).toEqual({ history: 0, orders: 0 });
    });

    it('are looked for among the newer ones no more: an order_id of them raises no alarm', async () => {
      const orderId = await payOrder('A1001');
      await grow('A1001');
      await removeAfter(90);
      expect((await fixture.store.findOrderIdRange())?.first).toBeGreaterThan(orderId);
    });
  });

  describe('the retention', () => {
    it('removes rows step by step, and tries once in an hour what cannot be erased yet', async () => {
      const orders = Array.from({ length: 25 }, (_, index) => `A${String(1000 + index)}`);
      for (const order of orders) await fixture.store.putOrder(keyOf(order), PUT);
      await openOrder('open');
      fixture.now += 100 * DAY_MS;
      await openOrder('newest');
      const { database, begun } = fixture.store;
      const clock = { now: () => fixture.now };
      const logger = createLogger('silent');
      const loops = new RunLoops({ database, clock, logger, tickMs: 100 });
      const retention = startRetention({
        ...{ loops, database, clock, logger },
        ...{ eraseDays: 30, removeDays: 90 },
      });
      const removed = sql`SELECT count(*) AS orders FROM orders WHERE removed_at IS NOT NULL`;
      await expect.poll(() => database.get(removed)).toEqual({ orders: orders.length });
      await retention.close();
      const times = (name: string) => begun.filter((one) => one === name).length;
      expect(times('retention:erase')).toBe(orders.length + 1);
      expect(times('retention:remove-history')).toBeGreaterThanOrEqual(3);
    });
  });

  describe('the orders that are gone for good', () => {
    it('leave a sum for each month and currency, however many steps it took', async () => {
      const paid = [await payOrder('A1001'), await payOrder('A1002')];
      await fixture.pay(paid[0] ?? 0, {
        ...{ transaction: 'refund', isRefundRow: true, refundedMinor: 400 },
      });
      await fixture.store.putOrder(keyOf('A1003'), PUT);
      fixture.now += 40 * DAY_MS;
      await payOrder('A1004');
      const orders = ['A1001', 'A1002', 'A1003', 'A1004'];
      await grow(...orders);
      fixture.now += 400 * DAY_MS;
      expect(await removeAfter(90, 400)).toEqual({ history: 4, orders: 4 });
      expect(await Promise.all(orders.map((order) => stored(order)))).toSatisfy(
        (all: Awaited<ReturnType<typeof stored>>[]) =>
          all.flatMap((one) => Object.values(one).flat()).length === 0,
      );
      const months = () => readRemovedMonths(fixture.store.database, 'teashop');
      const january = { month: '2026-01', currency: 'GBP', paid: 2, unpaid: 1 };
      expect(await months()).toEqual([
        { month: '2026-02', currency: 'GBP', paid: 1, unpaid: 0, amount: '9.99', refunded: '0.00' },
        { ...january, amount: '19.98', refunded: '4.00' },
      ]);
      expect(await readRemovedMonths(fixture.store.database, undefined)).toEqual(await months());
      expect(await readRemovedMonths(fixture.store.database, 'another')).toEqual([]);
      expect(await removeAfter(90, 400)).toEqual({ history: 0, orders: 0 });
    });

    it('were not put or paid for 400 days', async () => {
      await payOrder('A1001');
      await grow('A1001');
      fixture.now += 200 * DAY_MS;
      expect(await removeAfter(90, 400)).toEqual({ history: 1, orders: 0 });
      fixture.now += 200 * DAY_MS;
      expect(await removeAfter(90, 400)).toEqual({ history: 0, orders: 1 });
    });
  });

  describe('a feed from which events were removed', () => {
    it('refuses a cursor that they were behind, and goes on for all others', async () => {
      await payOrder('A1001');
      await payOrder('A1002');
      await settle();
      const all = await feed();
      const [first, second] = all.events;
      await grow('A1001', 'A1002');
      await removeAfter(90);
      await expect(feed(first?.cursor)).rejects.toMatchObject({
        status: 410,
        code: 'events_removed',
      });
      expect(await feed(second?.cursor)).toMatchObject({ events: [], hasMore: false });
      expect(await feed()).toMatchObject({ events: [], hasMore: false });
    });

    it('is read page by page from its beginning, though some events among the removed ones stay', async () => {
      for (const order of ['A1001', 'A1002', 'A1003', 'A1004']) await payOrder(order);
      await grow('A1002', 'A1004');
      expect((await feed()).events).toHaveLength(4);
      await removeAfter(90);
      const first = await feed(undefined, 1);
      const second = await feed(first.cursor, 1);
      const third = await feed(second.cursor, 1);
      const orders = [first, second, third].flatMap(({ events }) =>
        events.map(({ data }) => (data as { order: string }).order),
      );
      expect(orders).toEqual(['A1001', 'A1003']);
      await erase('A1003');
      await removeAfter(90);
      await expect(feed(first.cursor)).rejects.toMatchObject({ code: 'events_removed' });
    });

    it('has no silent gap when events are removed while it is read', async () => {
      for (const order of ['A1001', 'A1002']) await payOrder(order);
      await grow('A1001', 'A1002');
      const { database } = fixture.store;
      let isRemoved = false;
      const removeAfterFirst = async <T>(query: Sql, answer: Promise<T>): Promise<T> => {
        const found = await answer;
        if (!isRemoved && /outbox_events|removed_events/.test(query.parts.join(''))) {
          isRemoved = true;
          expect(await removeAfter(90)).toEqual({ history: 2, orders: 0 });
        }
        return found;
      };
      const reader: Reader = {
        get: (query) => removeAfterFirst(query, database.get(query)),
        all: (query) => removeAfterFirst(query, database.all(query)),
      };
      const start = await feed(undefined, 1);
      const rest = await readFeed(
        reader,
        'teashop',
        { after: start.cursor, limit: 100 },
        TEST_ENCRYPTION,
      );
      expect(isRemoved).toBe(true);
      expect(rest.events.map(({ data }) => (data as { order: string }).order)).toEqual(['A1002']);
    });

    it('gives out no place again, also when every event is gone', async () => {
      await payOrder('A1001');
      await settle();
      const { cursor } = await feed();
      await grow('A1001');
      await removeAfter(90);
      await payOrder('A1002');
      await settle();
      const next = await feed(cursor);
      expect(next.events.map(({ data }) => (data as { order: string }).order)).toContain('A1002');
      expect(await feed(next.cursor)).toMatchObject({ events: [] });
    });
  });
}
