import { describe, expect, it } from 'vitest';
import { TEST_RULES } from '../testing/store-harness.js';
import { SECOND_MS, HOUR_MS, DAY_MS, START, type StoreStory } from '../testing/store-story.js';
import { toStoredToken } from './attempt-token.js';

/** What a store does when time passes. */
export function describeClock(story: StoreStory): void {
  const { expose, pay } = story;

  describe('time', () => {
    it('works on what is due, and on nothing else', async () => {
      const expiring = await expose();
      const settling = await expose({ order: 'A1002' });
      await story.store.recordReturn(toStoredToken(settling.tokens.return));
      story.now += 300 * SECOND_MS - 1;
      expect(await story.store.applyTime(10)).toEqual([]);
      story.now += 1;
      expect(await story.store.applyTime(10)).toMatchObject([
        { after: { id: settling.checkout.id, state: 'unconfirmed' } },
      ]);
      story.now = START + HOUR_MS;
      expect(await story.store.applyTime(10)).toMatchObject([
        { after: { id: expiring.checkout.id, state: 'expired' } },
      ]);
      expect(await story.store.applyTime(10)).toEqual([]);
    });

    it('takes no more than asked at a time', async () => {
      for (let order = 0; order < 5; order += 1) await expose({ order: `A${String(order)}` });
      story.now += HOUR_MS;
      expect(await story.store.applyTime(3)).toHaveLength(3);
      expect(await story.store.applyTime(3)).toHaveLength(2);
    });
  });

  describe('looks that nobody asks for', () => {
    /** How long after its opening each look at an attempt is due, in seconds. */
    async function looksUntil(end: number): Promise<number[]> {
      const times: number[] = [];
      const step = end - story.now > DAY_MS ? HOUR_MS : 30 * SECOND_MS;
      for (; story.now < end; story.now += step) {
        const due = await story.store.claimDuePolls(10);
        times.push(...due.map(() => (story.now - START) / SECOND_MS));
      }
      return times;
    }

    it('come at growing pauses, each once', async () => {
      const { checkout, attempt } = await expose();
      expect(await story.store.claimDuePolls(10)).toEqual([]);
      expect(await looksUntil(START + HOUR_MS)).toEqual([30, 90, 210, 450, 930, 1890]);
      story.now = START + DAY_MS;
      expect(await story.store.claimDuePolls(10)).toEqual([
        {
          orderId: attempt.orderId,
          checkout: checkout.id,
          merchant: 'teashop',
          providerMerchantId: 1001,
          createdAt: START,
          polls: 7,
        },
      ]);
    });

    it.each([
      ['unpaid', TEST_RULES.watchSeconds],
      ['paid', TEST_RULES.refundWatchSeconds],
    ])('end when one that is %s has been watched long enough', async (kind, watchSeconds) => {
      const { attempt } = await expose();
      if (kind === 'paid') await pay(attempt.orderId);
      let lastLookAt = 0;
      for (; story.now < START + 100 * DAY_MS; story.now += HOUR_MS) {
        if ((await story.store.claimDuePolls(10)).length > 0) lastLookAt = story.now;
      }
      const watched = (lastLookAt - START) / SECOND_MS;
      // The last look is the first one after the end, and looks are six hours apart by then.
      expect(watched).toBeGreaterThan(watchSeconds);
      expect(watched).toBeLessThanOrEqual(watchSeconds + 7 * 3600);
    });

    it.each([
      ['unknown', 1],
      ['refused', 0],
      ['not_sent', 0],
    ] as const)(
      'come after an attempt that ended %s only where a session may exist',
      async (status, looks) => {
        const { attempt } = await story.beginSending();
        await story.store.endAttempt(attempt.orderId, status);
        story.now += HOUR_MS;
        expect(await story.store.claimDuePolls(10)).toHaveLength(looks);
      },
    );

    it('come for a session that gave way, too', async () => {
      await expose();
      await expose({ renew: 'session-1' }, 'session-2');
      story.now += HOUR_MS;
      expect(await story.store.claimDuePolls(10)).toHaveLength(2);
    });

    it('begin anew for refunds when an attempt is paid after its watch has ended', async () => {
      const { attempt } = await expose();
      await looksUntil(START + 15 * DAY_MS);
      story.now = START + 30 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toEqual([]);
      await pay(attempt.orderId);
      story.now += DAY_MS;
      expect(await story.store.claimDuePolls(10)).toMatchObject([{ orderId: attempt.orderId }]);
      story.now += DAY_MS;
      expect(await story.store.claimDuePolls(10)).toMatchObject([{ orderId: attempt.orderId }]);
      story.now = START + 119 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toHaveLength(1);
      story.now = START + 121 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toHaveLength(1);
      await pay(attempt.orderId);
      story.now += DAY_MS;
      expect(await story.store.claimDuePolls(10)).toEqual([]);
    });

    it('begin anew when the session is shown again after its watch has ended', async () => {
      await expose();
      await looksUntil(START + 15 * DAY_MS);
      story.now = START + 20 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toEqual([]);
      expect(await story.begin()).toMatchObject({ kind: 'existing' });
      const shownAt = (story.now - START) / SECOND_MS;
      const looks = await looksUntil(story.now + HOUR_MS);
      expect(looks.map((at) => at - shownAt)).toEqual([30, 90, 210, 450, 930, 1890]);
      story.now = START + 33 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toHaveLength(1);
      story.now = START + 34 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toHaveLength(1);
    });

    it('do not begin anew each time that a session is shown again within the hour', async () => {
      await expose();
      expect(await looksUntil(START + HOUR_MS / 2)).toHaveLength(5);
      await story.begin();
      expect(await looksUntil(START + HOUR_MS - 1)).toHaveLength(1);
    });

    it('come once more after the end of a watch, so that the last one is none that a crash can lose', async () => {
      await expose();
      await looksUntil(START + 14 * DAY_MS);
      // Claimed, and its server died: the next one still comes.
      story.now = START + 15 * DAY_MS;
      expect(await story.store.claimDuePolls(10)).toHaveLength(1);
      story.now += DAY_MS;
      expect(await story.store.claimDuePolls(10)).toEqual([]);
    });

    it('come at once after a return, also when the watch has ended, and then at pauses from the start', async () => {
      const { attempt, tokens } = await expose();
      await looksUntil(START + 16 * DAY_MS);
      for (const kind of ['cancel', 'back'] as const) {
        await story.store.recordReturn(toStoredToken(tokens[kind]));
        expect(await story.store.claimDuePolls(10)).toEqual([]);
      }
      await story.store.recordReturn(toStoredToken(tokens.return));
      expect(await story.store.claimDuePolls(10)).toMatchObject([
        { orderId: attempt.orderId, polls: 1 },
      ]);
      const cameBackAt = (story.now - START) / SECOND_MS;
      const looks = await looksUntil(story.now + HOUR_MS / 2);
      expect(looks.map((at) => at - cameBackAt)).toEqual([60, 180, 420, 900]);
      await pay(attempt.orderId);
      await story.store.recordReturn(toStoredToken(tokens.return));
      expect(await story.store.claimDuePolls(10)).toEqual([]);
    });

    it('go on after a return in the moment in which the last one is due', async () => {
      const { tokens } = await expose();
      await looksUntil(START + 14 * DAY_MS);
      story.now = START + 15 * DAY_MS;
      await story.store.recordReturn(toStoredToken(tokens.return));
      expect(await story.store.claimDuePolls(10)).toMatchObject([{ polls: 1 }]);
      expect(await looksUntil(story.now + HOUR_MS / 2)).toHaveLength(4);
    });

    it('come at once after a return from another session of an order that is paid', async () => {
      const { attempt } = await expose();
      const { tokens } = await expose({ renew: 'session-1' }, 'session-2');
      await pay(attempt.orderId);
      story.now += DAY_MS;
      await story.store.claimDuePolls(10);
      await story.store.recordReturn(toStoredToken(tokens.return));
      expect(await story.store.claimDuePolls(10)).toHaveLength(1);
    });
  });
}
