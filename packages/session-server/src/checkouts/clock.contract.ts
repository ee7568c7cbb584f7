import { describe, expect, it } from 'vitest';
import { TEST_RULES } from '../testing/store-harness.js';
import { SECOND_MS, HOUR_MS, DAY_MS, START, type StoreFixture } from '../testing/store-fixture.js';
import { toStoredToken } from './attempt-ids.js';

/** What a store does when time passes. */
export function describeClock(fixture: StoreFixture): void {
  const { activate, pay, stateOf } = fixture;

  describe('time', () => {
    it('works only on what is due', async () => {
      const expiring = await activate();
      const settling = await activate({ order: 'A1002' });
      await fixture.store.recordReturn(toStoredToken(settling.tokens.return));
      fixture.now += 300 * SECOND_MS - 1;
      expect(await fixture.store.applyTime(10)).toEqual([]);
      fixture.now += 1;
      expect(await fixture.store.applyTime(10)).toMatchObject([
        { after: { id: settling.checkout.id, state: 'unconfirmed' } },
      ]);
      fixture.now = START + HOUR_MS;
      expect(await fixture.store.applyTime(10)).toMatchObject([
        { after: { id: expiring.checkout.id, state: 'expired' } },
      ]);
      expect(await fixture.store.applyTime(10)).toEqual([]);
    });

    it('takes no more than asked at a time', async () => {
      for (let order = 0; order < 5; order += 1) await activate({ order: `A${String(order)}` });
      fixture.now += HOUR_MS;
      expect(await fixture.store.applyTime(3)).toHaveLength(3);
      expect(await fixture.store.applyTime(3)).toHaveLength(2);
    });
  });

  describe('price checks of paid orders', () => {
    it('are each claimed once, and again when the lease has run out', async () => {
      const { attempt, checkout } = await activate();
      await pay(attempt.orderId);
      const claim = () => fixture.store.claimPriceChecks(10, fixture.now + 30 * SECOND_MS);
      expect(await claim()).toMatchObject([{ id: checkout.id }]);
      expect(await claim()).toEqual([]);
      fixture.now += 30 * SECOND_MS;
      expect(await claim()).toMatchObject([{ id: checkout.id }]);
    });

    it('are none of an order that was put: its price is compared with the payment', async () => {
      const key = { merchant: 'teashop', order: 'A1001' };
      const put = { version: 'version-1', amountMinor: 999, currency: 'GBP', decimals: 2 };
      await fixture.store.putOrder(key, put);
      const { attempt, checkout } = await activate({ isStored: true });
      await fixture.store.putOrder(key, { ...put, version: 'version-2', amountMinor: 1299 });
      await pay(attempt.orderId);
      expect((await stateOf(checkout.id)).attention).toEqual(['price_changed']);
      expect(await fixture.store.claimPriceChecks(10, fixture.now)).toEqual([]);
    });
  });

  describe('scheduled polls', () => {
    /** How long after its checkout was created each poll for an attempt is due, in seconds. */
    async function pollsUntil(end: number): Promise<number[]> {
      const times: number[] = [];
      const step = end - fixture.now > DAY_MS ? HOUR_MS : 30 * SECOND_MS;
      for (; fixture.now < end; fixture.now += step) {
        const due = await fixture.store.pollDue();
        times.push(...due.map(() => (fixture.now - START) / SECOND_MS));
      }
      return times;
    }

    it('come at growing pauses, each once', async () => {
      const { checkout, attempt } = await activate();
      expect(await fixture.store.pollDue()).toEqual([]);
      expect(await pollsUntil(START + HOUR_MS)).toEqual([120, 240, 480, 960, 1920]);
      fixture.now = START + DAY_MS;
      expect(await fixture.store.pollDue()).toMatchObject([
        { orderId: attempt.orderId, checkout: checkout.id, sinceMs: START, polls: 6 },
      ]);
    });

    it('come together once they are hours apart: one read of the list serves all', async () => {
      const startAt = [0, 17, 34].map((minutes) => START + minutes * 60 * SECOND_MS);
      const times: number[] = [];
      for (; fixture.now < START + 3 * DAY_MS; fixture.now += 60 * SECOND_MS) {
        const order = startAt.indexOf(fixture.now);
        if (order >= 0) await activate({ order: `A${order}` }, `session-${order}`);
        const due = await fixture.store.pollDue();
        if (fixture.now >= START + 2 * DAY_MS) times.push(...due.map(() => fixture.now));
      }
      expect(times).toHaveLength(12);
      expect(new Set(times).size).toBe(4);
    });

    it.each([
      ['unpaid', TEST_RULES.watchSeconds],
      ['paid', TEST_RULES.refundWatchSeconds],
    ])('end when one that is %s has been watched long enough', async (kind, watchSeconds) => {
      const { attempt } = await activate();
      if (kind === 'paid') await pay(attempt.orderId);
      let lastPollAt = 0;
      for (; fixture.now < START + 100 * DAY_MS; fixture.now += HOUR_MS) {
        if ((await fixture.store.pollDue()).length > 0) lastPollAt = fixture.now;
      }
      const watched = (lastPollAt - START) / SECOND_MS;
      // The last poll is the first one after the end, and polls are six hours apart by then.
      expect(watched).toBeGreaterThan(watchSeconds);
      expect(watched).toBeLessThanOrEqual(watchSeconds + 7 * 3600);
    });

    it.each([
      ['unknown', 1],
      ['refused', 0],
      ['not_sent', 0],
    ] as const)(
      'come after an attempt that ended %s only where a session may exist',
      async (status, polls) => {
        const { attempt } = await fixture.beginSending();
        await fixture.store.endAttempt(attempt.orderId, status);
        fixture.now += HOUR_MS;
        expect(await fixture.store.pollDue()).toHaveLength(polls);
      },
    );

    it('come for a session that was superseded, too', async () => {
      await activate();
      await activate({ renew: 'session-1' }, 'session-2');
      fixture.now += HOUR_MS;
      expect(await fixture.store.pollDue()).toHaveLength(2);
    });

    it('start again for refunds when an attempt is paid after its watch has ended', async () => {
      const { attempt } = await activate();
      await pollsUntil(START + 15 * DAY_MS);
      fixture.now = START + 30 * DAY_MS;
      expect(await fixture.store.pollDue()).toEqual([]);
      await pay(attempt.orderId);
      fixture.now += DAY_MS;
      expect(await fixture.store.pollDue()).toMatchObject([{ orderId: attempt.orderId }]);
      fixture.now += DAY_MS;
      expect(await fixture.store.pollDue()).toMatchObject([{ orderId: attempt.orderId }]);
      fixture.now = START + 119 * DAY_MS;
      expect(await fixture.store.pollDue()).toHaveLength(1);
      fixture.now = START + 121 * DAY_MS;
      expect(await fixture.store.pollDue()).toHaveLength(1);
      await pay(attempt.orderId);
      fixture.now += DAY_MS;
      expect(await fixture.store.pollDue()).toEqual([]);
    });

    it('start again when the session is shown again after its watch has ended', async () => {
      await activate();
      await pollsUntil(START + 15 * DAY_MS);
      fixture.now = START + 20 * DAY_MS;
      expect(await fixture.store.pollDue()).toEqual([]);
      expect(await fixture.begin()).toMatchObject({ kind: 'existing' });
      const shownAt = (fixture.now - START) / SECOND_MS;
      const polls = await pollsUntil(fixture.now + HOUR_MS);
      expect(polls.map((at) => at - shownAt)).toEqual([120, 240, 480, 960, 1920]);
      fixture.now = START + 33 * DAY_MS;
      expect(await fixture.store.pollDue()).toHaveLength(1);
      fixture.now = START + 34 * DAY_MS;
      expect(await fixture.store.pollDue()).toHaveLength(1);
    });

    it('do not start again each time that a session is shown again within the hour', async () => {
      await activate();
      expect(await pollsUntil(START + HOUR_MS / 2)).toHaveLength(4);
      await fixture.begin();
      expect(await pollsUntil(START + HOUR_MS - 1)).toHaveLength(1);
    });

    it('come once more after the end of a watch, so that the last one is none that a crash can lose', async () => {
      await activate();
      await pollsUntil(START + 14 * DAY_MS);
      // Claimed, and its server died: the next one still comes.
      fixture.now = START + 15 * DAY_MS;
      expect(await fixture.store.pollDue()).toHaveLength(1);
      fixture.now += DAY_MS;
      expect(await fixture.store.pollDue()).toEqual([]);
    });

    it('come at once after a return, also when the watch has ended, and then at pauses from the start', async () => {
      const { attempt, tokens } = await activate();
      await pollsUntil(START + 16 * DAY_MS);
      for (const kind of ['cancel', 'back'] as const) {
        await fixture.store.recordReturn(toStoredToken(tokens[kind]));
        expect(await fixture.store.pollDue()).toHaveLength(1);
      }
      await fixture.store.recordReturn(toStoredToken(tokens.return));
      expect(await fixture.store.pollDue()).toMatchObject([{ orderId: attempt.orderId, polls: 1 }]);
      const cameBackAt = (fixture.now - START) / SECOND_MS;
      const polls = await pollsUntil(fixture.now + HOUR_MS / 2);
      // Every few seconds first, which these steps of half a minute show less of.
      expect(polls.map((at) => at - cameBackAt)).toEqual([30, 60, 90, 120, 240, 300, 600, 1200]);
      await pay(attempt.orderId);
      await fixture.store.recordReturn(toStoredToken(tokens.return));
      expect(await fixture.store.pollDue()).toEqual([]);
    });

    it('go on after a return in the moment in which the last one is due', async () => {
      const { tokens } = await activate();
      await pollsUntil(START + 14 * DAY_MS);
      fixture.now = START + 15 * DAY_MS;
      await fixture.store.recordReturn(toStoredToken(tokens.return));
      expect(await fixture.store.pollDue()).toMatchObject([{ polls: 1 }]);
      expect(await pollsUntil(fixture.now + HOUR_MS / 2)).toHaveLength(8);
    });

    it('come at once after a return from another session of an order that is paid', async () => {
      const { attempt } = await activate();
      const { tokens } = await activate({ renew: 'session-1' }, 'session-2');
      await pay(attempt.orderId);
      fixture.now += DAY_MS;
      await fixture.store.pollDue();
      await fixture.store.recordReturn(toStoredToken(tokens.return));
      expect(await fixture.store.pollDue()).toHaveLength(1);
    });
  });
}
