import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenStore, StoreUnderTest, TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import type { Transaction } from '../store/database.js';
import {
  bringEventsForward,
  claimEvents,
  type EventClaim,
  insertEvent,
  type OutboxEvent,
} from './repository.js';

const CLAIM: EventClaim = { limit: 10, perMerchant: 3, leaseSeconds: 30 };
const DAY_MS = 86_400_000;

/** What every store promises about events on their way to the shops. */
export function describeOutboxRepository(name: string, open: OpenStore): void {
  describe(`events of ${name}`, () => {
    let now: number;
    let underTest: StoreUnderTest;
    let store: TestStore;
    let harness: StoreHarness;
    beforeEach(async () => {
      now = Date.parse('2026-01-01T00:00:00.000Z');
      underTest = await open({ clock: { now: () => now }, rules: TEST_RULES });
      store = underTest.store;
      harness = new StoreHarness(store);
    });
    afterEach(() => underTest.remove());

    /** As many cancelled orders of a merchant, each with one event to deliver. */
    async function cancelOrders(merchant: string, count: number, name = 'A'): Promise<void> {
      for (let number = 0; number < count; number += 1) {
        now += 1;
        const { checkout } = await harness.activate({
          merchant,
          order: `${name}${String(number)}`,
        });
        await store.apply(checkout.id, { type: 'cancel-hinted' });
      }
    }

    /** Each event that is due is sent once and not taken; a second later all are due again, in their order. */
    async function refuseAll(): Promise<void> {
      const events = await store.claimEvents({ limit: 1000, perMerchant: 1000, leaseSeconds: 30 });
      for (const { id } of events) {
        // Of events that are due in the same millisecond, a store may claim any first.
        now += 1;
        await store.markFailed(id, 1);
      }
      now += 1000;
    }

    /** The orders whose events are claimed, in this order. */
    async function ordersOf(changes: Partial<EventClaim>): Promise<string[]> {
      const events = await store.claimEvents({ ...CLAIM, ...changes });
      return events.map(({ body }) => (JSON.parse(body) as { data: { order: string } }).data.order);
    }

    async function claimed(changes: Partial<EventClaim> = {}): Promise<string[]> {
      return (await store.claimEvents({ ...CLAIM, ...changes })).map(({ merchant }) => merchant);
    }

    /** Gives up the one event that is due. */
    async function giveUp(): Promise<string> {
      const [event] = await store.claimEvents({ ...CLAIM, limit: 1 });
      await store.markFailed(event?.id ?? '', undefined);
      return event?.id ?? '';
    }

    it('go to every merchant in turn, however many one of them has', async () => {
      await cancelOrders('busy', 20);
      now += 1000;
      await cancelOrders('quiet', 1);
      expect(await claimed({ limit: 2 })).toEqual(['busy', 'quiet']);
    });

    it('of one merchant are in progress a few at a time', async () => {
      await cancelOrders('busy', 5);
      expect(await claimed()).toHaveLength(3);
      expect(await claimed()).toEqual([]);
    });

    it('of one merchant go on when one of them is settled', async () => {
      await cancelOrders('busy', 5);
      const [first] = await store.claimEvents(CLAIM);
      await store.markFailed(first?.id ?? '', 5);
      expect(await claimed()).toHaveLength(1);
    });

    it('that are brought forward are due now, but those of another merchant, and that try does not count', async () => {
      await cancelOrders('back', 2);
      await cancelOrders('other', 1);
      for (const pauseSeconds of [120, 3600]) {
        const events = await store.claimEvents(CLAIM);
        expect(events).toHaveLength(3);
        for (const { id } of events) await store.markFailed(id, pauseSeconds);
        if (pauseSeconds === 120) now += 120_000;
      }
      await cancelOrders('back', 1, 'soon');
      const [soon] = await store.claimEvents(CLAIM);
      await store.markFailed(soon?.id ?? '', 5);
      await store.database.transaction('test', (tx) => bringEventsForward(tx, 'back', now));
      const events = await store.claimEvents(CLAIM);
      expect(events.map(({ merchant, tries }) => [merchant, tries])).toEqual([
        ['back', 1],
        ['back', 1],
      ]);
    });

    it('are claimed by as many statements for many merchants as for one, and by one when none is due', async () => {
      const countStatements = (): Promise<number> =>
        store.database.transaction('test', async (tx) => {
          let statements = 0;
          const counting: Transaction = {
            ...tx,
            get: (query) => ((statements += 1), tx.get(query)),
            all: (query) => ((statements += 1), tx.all(query)),
            run: (query) => ((statements += 1), tx.run(query)),
            afterCommit: (effect) => {
              tx.afterCommit(effect);
            },
          };
          await claimEvents(counting, { ...CLAIM, limit: 100 }, now);
          return statements;
        });
      await cancelOrders('one', 2);
      const ofOne = await countStatements();
      for (const merchant of ['two', 'three', 'four']) await cancelOrders(merchant, 2);
      expect(await countStatements()).toBe(ofOne);
      expect(await countStatements()).toBe(1);
    });

    it('that are left behind by a claim are reported, and no others', async () => {
      const claim = async (changes: Partial<EventClaim> = {}) =>
        store.database.transaction('test', (tx) => claimEvents(tx, { ...CLAIM, ...changes }, now));
      expect(await claim()).toEqual({ events: [], hasMore: false });
      await cancelOrders('busy', 4);
      expect(await claim()).toMatchObject({ events: { length: 3 }, hasMore: true });
      expect(await claim({ perMerchant: 4 })).toMatchObject({
        events: { length: 1 },
        hasMore: false,
      });
      const { checkout, attempt } = await harness.activate({ merchant: 'quiet' });
      await store.apply(checkout.id, { type: 'cancel-hinted' });
      await harness.pay(attempt.orderId);
      expect(await claim()).toMatchObject({ events: { length: 1 }, hasMore: true });
    });

    it('are not claimed again by the one sender of a data file that holds them, nor counted twice', async () => {
      const claim = async (held: readonly OutboxEvent[]) =>
        store.database.transaction('test', (tx) => claimEvents(tx, { ...CLAIM, held }, now));
      await cancelOrders('busy', 5);
      const { checkout, attempt } = await harness.activate();
      await store.apply(checkout.id, { type: 'cancel-hinted' });
      await harness.pay(attempt.orderId);
      const first = await claim([]);
      expect(first).toMatchObject({ events: { length: 4 }, hasMore: true });
      expect(await claim(first.events)).toEqual({ events: [], hasMore: true });
      const cancelled = first.events.find(({ merchant }) => merchant === 'teashop');
      const others = first.events.filter((event) => event !== cancelled);
      await store.markDelivered(cancelled?.id ?? '');
      expect((await claim(others)).events).toMatchObject([{ type: 'checkout.paid' }]);
      // The process died.
      await store.markFailed(others[0]?.id ?? '', 60);
      expect((await claim([])).events).toHaveLength(4);
    });

    it('go one at a time to a merchant whose shop does not answer', async () => {
      await cancelOrders('silent', 3);
      await cancelOrders('well', 2);
      const answeringMerchants = new Set(['well']);
      expect(await claimed({ answeringMerchants })).toEqual(['silent', 'well', 'well']);
      expect(await claimed({ answeringMerchants })).toEqual([]);
    });

    it('go to merchants whose shop does not answer only as far as there is room', async () => {
      await cancelOrders('gone', 1);
      await cancelOrders('silent', 1);
      now += 1000;
      await cancelOrders('well', 2);
      const claim = { answeringMerchants: new Set(['well']), retryingLimit: 1 };
      expect(await claimed(claim)).toEqual(['gone', 'well', 'well']);
      expect(await claimed({ ...claim, retryingLimit: 0 })).toEqual([]);
      expect(await claimed(claim)).toEqual(['silent']);
    });

    it('that were not taken before share that room', async () => {
      await cancelOrders('well', 3);
      await refuseAll();
      await cancelOrders('well', 1, 'new');
      const claim = { answeringMerchants: new Set(['well']), retryingLimit: 1, perMerchant: 10 };
      expect(await ordersOf(claim)).toEqual(['A0', 'new0']);
    });

    it('that were never sent go before all others to a shop that does not answer', async () => {
      await cancelOrders('silent', 3);
      await refuseAll();
      await cancelOrders('silent', 1, 'older');
      now += 1000;
      await cancelOrders('silent', 1, 'newer');
      const claim = { answeringMerchants: new Set<string>() };
      expect(await ordersOf(claim)).toEqual(['newer0']);
      now += CLAIM.leaseSeconds * 1000 - 1;
      expect(await ordersOf(claim)).toEqual([]);
    });

    it('that were not taken leave the last place of their merchant to one that was never sent', async () => {
      await cancelOrders('teashop', 120);
      await refuseAll();
      expect(await ordersOf({ perMerchant: 5 })).toEqual(['A0', 'A1', 'A2', 'A3']);
      expect(await ordersOf({ perMerchant: 5 })).toEqual([]);
      await cancelOrders('teashop', 2, 'new');
      expect(await ordersOf({ perMerchant: 5 })).toEqual(['new1']);
      expect(await ordersOf({ perMerchant: 5 })).toEqual([]);
    });

    it('go out oldest first, and the newest one on the last place', async () => {
      await cancelOrders('teashop', 4);
      expect(await ordersOf({ perMerchant: 3 })).toEqual(['A0', 'A1', 'A3']);
      expect(await ordersOf({ perMerchant: 5 })).toEqual(['A2']);
    });

    it('of one checkout go out one at a time, in their order', async () => {
      const { checkout, attempt } = await harness.activate();
      await store.apply(checkout.id, { type: 'cancel-hinted' });
      await harness.pay(attempt.orderId);
      const [first, ...others] = await store.claimEvents(CLAIM);
      expect([first?.type, others]).toEqual(['checkout.cancelled', []]);
      expect(await store.claimEvents(CLAIM)).toEqual([]);
      await store.markDelivered(first?.id ?? '');
      expect(await store.claimEvents(CLAIM)).toMatchObject([{ type: 'checkout.paid' }]);
    });

    it('do not wait for an older one of their checkout that is not taken', async () => {
      const { checkout, attempt } = await harness.activate();
      await store.apply(checkout.id, { type: 'cancel-hinted' });
      await harness.pay(attempt.orderId);
      const [first] = await store.claimEvents(CLAIM);
      await store.markFailed(first?.id ?? '', 600);
      expect(await store.claimEvents(CLAIM)).toMatchObject([{ type: 'checkout.paid' }]);
    });

    it('that wait for a sender to be free do not say that something is due now', async () => {
      await cancelOrders('busy', 5);
      await store.claimEvents(CLAIM);
      expect(await store.nextEventAt()).toBe(now + CLAIM.leaseSeconds * 1000);
    });

    it('that were given up are found, by merchant and oldest first', async () => {
      await cancelOrders('teashop', 1);
      const older = await giveUp();
      now += 1000;
      await cancelOrders('bookshop', 1);
      const newer = await giveUp();
      expect((await store.findDeadLetters({}, 10)).map(({ id }) => id)).toEqual([older, newer]);
      expect(await store.findDeadLetters({ merchant: 'bookshop' }, 10)).toMatchObject([
        { id: newer, merchant: 'bookshop', order: 'A0', type: 'checkout.cancelled', sequence: 1 },
      ]);
      expect(await store.findDeadLetters({}, 1)).toHaveLength(1);
    });

    it('that were given up are sent again on request, with the same id and all tries', async () => {
      await cancelOrders('teashop', 1);
      const [before] = await store.claimEvents(CLAIM);
      await store.markFailed(before?.id ?? '', 0);
      await giveUp();
      now += DAY_MS;
      expect(await store.claimEvents(CLAIM)).toEqual([]);
      expect(await store.redeliverEvents({ ids: ['msg_unknown'] })).toBe(0);
      expect(await store.redeliverEvents({ merchant: 'unknown' })).toBe(0);
      expect(await store.redeliverEvents({ ids: [before?.id ?? ''] })).toBe(1);
      expect(await store.claimEvents(CLAIM)).toEqual([before]);
      expect(await store.findDeadLetters({}, 10)).toEqual([]);
    });

    it('that wait for their next try are sent at once on request, too', async () => {
      await cancelOrders('teashop', 3);
      await cancelOrders('bookshop', 1);
      const [taken, ...others] = await store.claimEvents({ ...CLAIM, perMerchant: 10 });
      await store.markDelivered(taken?.id ?? '');
      for (const { id } of others) await store.markFailed(id, 3600);
      await cancelOrders('teashop', 1, 'sending');
      await store.claimEvents(CLAIM);
      expect(await store.redeliverEvents({ merchant: 'teashop' })).toBe(0);
      expect(await store.redeliverEvents({ merchant: 'teashop', waiting: true })).toBe(2);
      // They are due in the same millisecond: a store may claim either first.
      const again = await store.claimEvents({ ...CLAIM, perMerchant: 10 });
      expect(again).toHaveLength(2);
      expect(again).toEqual(
        expect.arrayContaining(others.filter(({ merchant }) => merchant === 'teashop')),
      );
    });

    it('that were acknowledged are sent again only when they are named', async () => {
      await cancelOrders('teashop', 1);
      const [event] = await store.claimEvents(CLAIM);
      await store.markDelivered(event?.id ?? '');
      expect(await store.redeliverEvents({})).toBe(0);
      expect(await store.redeliverEvents({ merchant: 'teashop', waiting: true })).toBe(0);
      now += DAY_MS;
      expect(await store.claimEvents(CLAIM)).toEqual([]);
      expect(await store.redeliverEvents({ ids: [event?.id ?? ''] })).toBe(1);
      expect(await store.claimEvents(CLAIM)).toEqual([event]);
    });

    it('are not taken from the sender that has them by one that was away for longer than its lease', async () => {
      await cancelOrders('teashop', 1);
      const leaseMs = CLAIM.leaseSeconds * 1000;
      const [event] = await store.claimEvents(CLAIM);
      const ended = now + leaseMs;
      now = ended;
      expect(await store.claimEvents(CLAIM)).toEqual([event]);
      await store.markFailed(event?.id ?? '', 10, ended);
      expect(await store.nextEventAt()).toBe(now + leaseMs);
      await store.markFailed(event?.id ?? '', 10, now + leaseMs);
      expect(await store.nextEventAt()).toBe(now + 10_000);
    });

    it('have a place each in the feed of their merchant, in the order in which they were placed', async () => {
      await cancelOrders('teashop', 2);
      await cancelOrders('bookshop', 1);
      expect(await store.placeEvents()).toBe(3);
      now -= 1000;
      await cancelOrders('teashop', 1, 'late');
      expect((await store.findFeed('teashop', 0)).events).toHaveLength(2);
      await Promise.all([store.placeEvents(), store.placeEvents()]);
      expect(await store.placeEvents()).toBe(0);
      const ordersIn = async (merchant: string, after: number) => {
        const { events } = await store.findFeed(merchant, after);
        return events.map(({ position, body }) => [
          position,
          (JSON.parse(body) as { data: { order: string } }).data.order,
        ]);
      };
      expect(await ordersIn('teashop', 0)).toEqual([
        [1, 'A0'],
        [2, 'A1'],
        [3, 'late0'],
      ]);
      expect(await ordersIn('teashop', 2)).toEqual([[3, 'late0']]);
      expect(await ordersIn('bookshop', 0)).toEqual([[1, 'A0']]);
    });

    it('are each seen once by who follows the feed, while other transactions store and place them', async () => {
      const { checkout } = await harness.activate();
      const seen: string[] = [];
      let isWriting = true;
      const write = async (from: number): Promise<void> => {
        for (let sequence = from; sequence < from + 40; sequence += 1) {
          const event = { id: `msg_${String(sequence)}`, checkout: checkout.id, sequence };
          await store.database.transaction('test', (tx) =>
            // What is stored first may say that it was created last.
            tx.run(
              insertEvent(
                { ...event, merchant: 'teashop', type: 'checkout.left', body: '{}' },
                100 - sequence,
              ),
            ),
          );
          await store.placeEvents();
        }
      };
      const follow = async (): Promise<void> => {
        let after = 0;
        for (let wasWriting = true; wasWriting;) {
          wasWriting = isWriting;
          const { events } = await store.findFeed('teashop', after);
          seen.push(...events.map(({ id }) => id));
          after = events.at(-1)?.position ?? after;
          if (events.length > 0) wasWriting = true;
          await nextTurn();
        }
      };
      const following = follow();
      await Promise.all([write(1), write(41)]);
      isWriting = false;
      await following;
      expect(seen).toHaveLength(80);
      expect(new Set(seen).size).toBe(80);
    });

    it('that a merchant reads in the feed only are sent no more', async () => {
      await cancelOrders('teashop', 1);
      const [event] = await store.claimEvents(CLAIM);
      await store.skipEvent(event?.id ?? '');
      now += DAY_MS;
      expect(await store.claimEvents(CLAIM)).toEqual([]);
      expect(await store.redeliverEvents({})).toBe(0);
    });

    it('are sent once for one outcome, however often it is proved', async () => {
      const { checkout, attempt } = await harness.activate();
      await Promise.all([1, 2, 3].map(() => harness.pay(attempt.orderId)));
      await store.apply(checkout.id, { type: 'payment-proved', transaction: 'tx-1' });
      expect(await store.claimEvents(CLAIM)).toHaveLength(1);
      expect((await store.find(checkout.id))?.sequence).toBe(1);
    });
  });
}
