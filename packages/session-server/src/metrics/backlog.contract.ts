import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenStore, StoreUnderTest, TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { readQueueAges } from './backlog.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const CLAIM = { limit: 10, perMerchant: 10, leaseSeconds: 30 };

/** What every store says of what waits in it. */
export function describeBacklog(name: string, open: OpenStore): void {
  describe(`reports of ${name}`, () => {
    let now: number;
    let underTest: StoreUnderTest;
    let store: TestStore;
    let harness: StoreHarness;
    beforeEach(async () => {
      now = START;
      underTest = await open({ clock: { now: () => now }, rules: TEST_RULES });
      store = underTest.store;
      harness = new StoreHarness(store);
    });
    afterEach(() => underTest.remove());

    const deliver = (digest: string, orderId?: number) =>
      store.recordWebhook({ tokenHash: 'hash', digest, sealed: new Uint8Array(1) }, orderId);

    it('an empty store has nothing that waits', async () => {
      expect(await store.readBacklog()).toEqual({
        watchedAttempts: 0,
        scheduledPollLateSeconds: 0,
        oldestReturnSeconds: 0,
        waitingWebhooks: 0,
        oldestWebhookSeconds: 0,
        unmatchedWebhooks: 0,
        waitingEvents: 0,
        oldestEventSeconds: 0,
        deadLetteredEvents: 0,
        orderIdShare: 0,
      });
    });

    it('watched attempts are counted, with the time of the next poll and the last order_id', async () => {
      await harness.activate({ order: 'A1' });
      now += 5000;
      const { attempt } = await harness.activate({ order: 'A2' });
      expect(await store.readBacklog()).toMatchObject({
        watchedAttempts: 2,
        scheduledPollLateSeconds: 0,
        orderIdShare: attempt.orderId / TEST_RULES.maxOrderId,
      });
      now = START + 122_000;
      expect(await store.readBacklog()).toMatchObject({ scheduledPollLateSeconds: 2 });
    });

    it('the oldest return without an outcome is reported, until it has one', async () => {
      const first = await harness.activate({ order: 'A1' });
      const second = await harness.activate({ order: 'A2' });
      for (const { checkout } of [first, second]) {
        now += 1000;
        await store.apply(checkout.id, { type: 'came-back', kind: 'return' });
      }
      expect((await store.readBacklog()).oldestReturnSeconds).toBe(1);
      await harness.pay(first.attempt.orderId);
      now += 500;
      expect((await store.readBacklog()).oldestReturnSeconds).toBe(0.5);
      now += TEST_RULES.settleWindowSeconds * 1000;
      await store.applyTime(10);
      expect((await store.readBacklog()).oldestReturnSeconds).toBe(0);
    });

    it('events wait until they are delivered or given up', async () => {
      for (const order of ['A1', 'A2']) {
        const { checkout } = await harness.activate({ order });
        await store.apply(checkout.id, { type: 'cancel-hinted' });
        now += 1000;
      }
      expect(await store.readBacklog()).toMatchObject({ waitingEvents: 2, oldestEventSeconds: 2 });
      expect(await readQueueAges(store.database, now)).toMatchObject({ events: 2 });
      expect(await readQueueAges(store.database, now + 150_000)).toMatchObject({ polls: 32 });
      const [first, second] = await store.claimEvents(CLAIM);
      await store.markDelivered(first?.id ?? '');
      await store.markFailed(second?.id ?? '', undefined);
      expect(await store.readBacklog()).toMatchObject({
        waitingEvents: 0,
        oldestEventSeconds: 0,
        deadLetteredEvents: 1,
      });
    });

    it('webhooks wait until they are processed, and unmatched ones are counted', async () => {
      await deliver('one');
      now += 1000;
      await deliver('two');
      expect(await store.readBacklog()).toMatchObject({
        waitingWebhooks: 2,
        oldestWebhookSeconds: 1,
      });
      const ages = { webhooks: 1, events: 0, polls: 0 };
      expect(await readQueueAges(store.database, now)).toEqual(ages);
      const claimed = await store.claimWebhooks(10, 30);
      for (const webhook of claimed) await store.markUnmatched(webhook, [], { most: 10 });
      expect(await store.readBacklog()).toMatchObject({ waitingWebhooks: 0, unmatchedWebhooks: 2 });
    });
  });
}
