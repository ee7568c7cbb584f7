import { describe, expect, it } from 'vitest';
import {
  SECOND_MS,
  DAY_MS,
  START,
  FIRST_ORDER_ID,
  CLAIM,
  type StoreFixture,
} from '../testing/store-fixture.js';
import { toStoredToken } from './attempt-ids.js';

/** The events that a store keeps, and what each of its steps promises. */
export function describeSteps(fixture: StoreFixture): void {
  const { begin, beginSending, activate, stateOf, pay, eventTypes } = fixture;

  describe('events', () => {
    it('are stored with the change that they report, numbered within the checkout', async () => {
      const { checkout, attempt } = await activate({ shopVersion: 'v7' });
      await fixture.store.apply(checkout.id, { type: 'cancel-hinted' });
      await fixture.store.apply(checkout.id, { type: 'reopened' });
      fixture.now += SECOND_MS;
      await pay(attempt.orderId);
      const first = await fixture.store.claimEvents(CLAIM);
      await Promise.all(first.map(({ id }) => fixture.store.markDelivered(id)));
      const events = [...first, ...(await fixture.store.claimEvents(CLAIM))];
      expect(events.map(({ type, tries }) => [type, tries])).toEqual([
        ['checkout.cancelled', 0],
        ['checkout.paid', 0],
      ]);
      expect(new Set(events.map(({ id }) => id)).size).toBe(2);
      expect(JSON.parse(events[1]?.body ?? '')).toEqual({
        type: 'checkout.paid',
        timestamp: new Date(fixture.now).toISOString(),
        data: {
          merchant: 'teashop',
          order: 'A1001',
          version: 'v7',
          checkout: checkout.id,
          state: 'paid',
          certain: true,
          sequence: 2,
          amount: '9.99',
          currency: 'GBP',
          refund: 'none',
          amountRefunded: '0.00',
          attention: [],
          transaction: 'tx-1',
        },
      });
      expect((await stateOf(checkout.id)).sequence).toBe(2);
    });

    it('are taken by one sender at a time, and again when its lease has run out', async () => {
      const { attempt } = await activate();
      await pay(attempt.orderId);
      const claims = await Promise.all([0, 1, 2].map(() => fixture.store.claimEvents(CLAIM)));
      expect(claims.flat()).toHaveLength(1);
      expect(await fixture.store.nextEventAt()).toBe(START + 30 * SECOND_MS);
      fixture.now += 30 * SECOND_MS - 1;
      expect(await fixture.store.claimEvents(CLAIM)).toEqual([]);
      fixture.now += 1;
      expect(await fixture.store.claimEvents(CLAIM)).toEqual(claims.flat());
    });

    it('that were delivered never come again', async () => {
      const { attempt } = await activate();
      await pay(attempt.orderId);
      const [event] = await fixture.store.claimEvents(CLAIM);
      await fixture.store.markDelivered(event?.id ?? '');
      await fixture.store.markFailed(event?.id ?? '', 5);
      expect(await fixture.store.nextEventAt()).toBeUndefined();
      fixture.now += DAY_MS;
      expect(await fixture.store.claimEvents(CLAIM)).toEqual([]);
    });

    it('that were not taken come again after the pause, the same; or never', async () => {
      const { attempt } = await activate();
      await pay(attempt.orderId);
      const [event] = await fixture.store.claimEvents(CLAIM);
      await fixture.store.markFailed(event?.id ?? '', 5);
      expect(await fixture.store.nextEventAt()).toBe(START + 5 * SECOND_MS);
      fixture.now += 5 * SECOND_MS;
      expect(await fixture.store.claimEvents(CLAIM)).toEqual([{ ...event, tries: 1 }]);
      await fixture.store.markFailed(event?.id ?? '', undefined);
      fixture.now += DAY_MS;
      expect(await fixture.store.claimEvents(CLAIM)).toEqual([]);
    });

    it('come oldest first, no more than asked for', async () => {
      for (let order = 0; order < 3; order += 1) {
        fixture.now += SECOND_MS;
        const { attempt } = await activate({ order: `A${String(order)}` });
        await pay(attempt.orderId, { transaction: `tx-${String(order)}` });
      }
      const orders = (await fixture.store.claimEvents({ ...CLAIM, limit: 2 })).map(
        ({ body }) => (JSON.parse(body) as { data: { order: string } }).data.order,
      );
      expect(orders).toEqual(['A0', 'A1']);
      expect(await fixture.store.claimEvents({ ...CLAIM, limit: 2 })).toHaveLength(1);
    });
  });

  describe('a step', () => {
    it('that fails changes nothing, nor what is done next to it', async () => {
      const { checkout } = await activate();
      const steps = await Promise.allSettled([
        fixture.store.apply(checkout.id, { type: 'cancel-hinted' }),
        fixture.store.apply('unknown', { type: 'cancel-hinted' }),
        fixture.store.activateSession(1, 'session-x'),
        fixture.store.apply(checkout.id, { type: 'attention-needed', code: 'amount_mismatch' }),
      ]);
      expect(steps.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      expect(await stateOf(checkout.id)).toMatchObject({
        state: 'cancelled',
        attention: ['amount_mismatch'],
        revision: 3,
      });
    });

    it('is counted once, however many come together', async () => {
      const { checkout } = await activate();
      const facts = Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0 ? ({ type: 'cancel-hinted' } as const) : ({ type: 'reopened' } as const),
      );
      const steps = await Promise.all(facts.map((fact) => fixture.store.apply(checkout.id, fact)));
      const moved = steps.filter(({ before, after }) => after !== before);
      const cancels = moved.filter(({ after }) => after.state === 'cancelled');
      const revisions = moved
        .map(({ after }) => after.revision)
        .toSorted((one, other) => one - other);
      expect(revisions).toEqual(moved.map((_, index) => index + 2));
      expect(await stateOf(checkout.id)).toMatchObject({
        revision: 1 + moved.length,
        sequence: cancels.length,
      });
    });

    it('that is answered is there after a restart', async () => {
      const { checkout, attempt, tokens } = await activate();
      await pay(attempt.orderId);
      const before = await stateOf(checkout.id);
      fixture.store = await fixture.underTest.reopen();
      expect(await stateOf(checkout.id)).toEqual(before);
      expect(await fixture.store.findAttempts(checkout.id)).toMatchObject([
        { sessionId: 'session-1' },
      ]);
      expect(await fixture.store.findTransactions(checkout.id)).toHaveLength(1);
      expect(await eventTypes()).toEqual(['checkout.paid']);
      expect(await fixture.store.recordReturn(toStoredToken(tokens.return))).toMatchObject({
        kind: 'return',
      });
      const next = await beginSending({ order: 'A1002' });
      expect(next.attempt.orderId).toBe(FIRST_ORDER_ID + 1);
    });

    it('is refused after closing, and closing twice is harmless', async () => {
      await fixture.store.ping();
      await fixture.store.close();
      await fixture.store.close();
      await expect(fixture.store.ping()).rejects.toThrow();
      await expect(begin()).rejects.toThrow();
      await expect(fixture.store.find('any')).rejects.toThrow();
    });
  });
}
