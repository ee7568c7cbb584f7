import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import type { OpenStore } from '../checkouts/repository.contract.js';
import { TEST_REQUEST } from '../testing/store-harness.js';
import { FIRST_ORDER_ID, HOUR_MS, START, StoreStory } from '../testing/store-story.js';
import type { FoundAttempt } from '../checkouts/repository.js';

/** What every store promises that was put back from a backup. */
export function describeRestoreStore(name: string, open: OpenStore): void {
  describe(`a loss of ${name}`, () => {
    const story = new StoreStory(open);
    beforeEach(() => story.start());
    afterEach(() => story.underTest.remove());

    const found = (changes: Partial<FoundAttempt> = {}): FoundAttempt => ({
      orderId: FIRST_ORDER_ID + 60,
      merchantReference: `A1001.${String(FIRST_ORDER_ID + 60)}`,
      createdAt: START,
      request: TEST_REQUEST,
      ...changes,
    });

    it('begins with the last attempt that is known, and ends now', async () => {
      const { attempt } = await story.expose();
      story.now += 3 * HOUR_MS;
      expect(await story.store.findLoss()).toBeUndefined();
      const loss = await story.store.declareLoss();
      expect(loss).toMatchObject({
        since: START,
        until: story.now,
        afterOrderId: attempt.orderId,
        isRead: false,
      });
      expect(await story.store.findLoss()).toEqual(loss);
    });

    it('begins when it is said to, though attempts were made after it', async () => {
      const { attempt } = await story.expose();
      story.now += 2 * HOUR_MS;
      await story.expose({ order: 'A1002' });
      const since = START + HOUR_MS;
      expect(await story.store.declareLoss(since)).toMatchObject({
        since,
        afterOrderId: attempt.orderId,
      });
    });

    it('leaves room for every order_id that may have been given out, also after a start', async () => {
      await story.expose();
      story.now += HOUR_MS;
      const { toOrderId } = await story.store.declareLoss();
      expect(toOrderId).toBeGreaterThan(FIRST_ORDER_ID + 3600 * 100);
      const next = await story.expose({ order: 'A1002' });
      expect(next.attempt.orderId).toBe(toOrderId + 1);
      story.store = await story.underTest.reopen();
      expect((await story.expose({ order: 'A1003' })).attempt.orderId).toBe(toOrderId + 2);
    });

    it('uses up no more than a tenth of a small range of order_ids', async () => {
      await story.underTest.remove();
      await story.start({ maxOrderId: FIRST_ORDER_ID + 10_000 });
      story.now += 1000;
      const { toOrderId } = await story.store.declareLoss(START - HOUR_MS);
      expect(toOrderId).toBeLessThan(FIRST_ORDER_ID + 1010);
    });

    it('has sequences and revisions go on above those that may have been seen', async () => {
      const { checkout } = await story.expose();
      await story.store.find(checkout.id);
      await story.store.declareLoss();
      const after = await story.stateOf(checkout.id);
      expect(after.revision).toBeGreaterThan(checkout.revision + 100);
      expect(after.sequence).toBeGreaterThan(checkout.sequence + 100);
    });

    it('stays as it is until it is read; then there can be another one, which includes it', async () => {
      await story.expose();
      story.now += HOUR_MS;
      const first = await story.store.declareLoss();
      story.now += HOUR_MS;
      expect(await story.store.declareLoss()).toEqual(first);
      await story.store.markLossRead();
      expect(await story.store.findLoss()).toEqual({ ...first, isRead: true });
      await story.expose({ order: 'A1002' });
      story.now += HOUR_MS;
      const second = await story.store.declareLoss();
      expect(second).toMatchObject({
        since: first.since,
        afterOrderId: first.afterOrderId,
        until: story.now,
        isRead: false,
      });
      expect(second.toOrderId).toBeGreaterThan(first.toOrderId);
    });

    it('an attempt that is found again is watched, shown to nobody, and can be paid', async () => {
      await story.store.adoptAttempt(found());
      await story.store.adoptAttempt(found());
      const [checkout] = await story.store.findOrder('teashop', 'A1001');
      expect(checkout).toMatchObject({ state: 'open', amountMinor: 999, createdAt: START });
      const attempts = await story.store.findAttempts(checkout?.id ?? '');
      expect(attempts).toMatchObject([{ status: 'superseded', orderId: FIRST_ORDER_ID + 60 }]);
      expect(await story.begin()).toMatchObject({ kind: 'send' });
      const change = await story.pay(FIRST_ORDER_ID + 60);
      expect(change?.after).toMatchObject({ state: 'paid', attention: [] });
      story.now += HOUR_MS;
      expect(await story.store.claimDuePolls(10)).toContainEqual(
        expect.objectContaining({ orderId: FIRST_ORDER_ID + 60 }),
      );
    });

    it('an attempt that is found again joins the checkout of its price, and is told as a second payment', async () => {
      const { checkout, attempt } = await story.expose();
      await story.pay(attempt.orderId);
      await story.store.adoptAttempt(found());
      const change = await story.pay(FIRST_ORDER_ID + 60, { transaction: 'tx-2' });
      expect(change?.after).toMatchObject({ id: checkout.id, attention: ['paid_twice'] });
    });

    it('an attempt that is found again stands behind the one that was made before it and is still shown', async () => {
      const { checkout, attempt } = await story.expose();
      await story.store.adoptAttempt(found());
      expect(await story.store.findAttempts(checkout.id)).toMatchObject([
        { orderId: attempt.orderId, status: 'active' },
        { orderId: FIRST_ORDER_ID + 60, status: 'superseded' },
      ]);
    });

    it('a delivery that was parked because its attempt was lost is worked on when it is found', async () => {
      const delivery = { tokenHash: 'endpoint', digest: 'digest', sealed: new Uint8Array(1) };
      await story.store.recordWebhook(delivery, undefined);
      const [claimed] = await story.store.claimWebhooks(10, 30);
      if (!claimed) throw new Error('one delivery was to be claimed');
      await story.store.markUnmatched(claimed, [found().merchantReference], { most: 10 });
      expect(await story.store.claimWebhooks(10, 30)).toEqual([]);
      await story.store.adoptAttempt(found());
      expect(await story.store.claimWebhooks(10, 30)).toMatchObject([{ id: claimed.id }]);
    });

    it('a new file has passed by no id: what the provider knows is of whoever came before', async () => {
      story.now += HOUR_MS;
      const { afterOrderId, toOrderId } = await story.store.findUnused();
      expect(afterOrderId).toBe(toOrderId);
    });

    it('the ids that time has passed by are told, without those that may have been given out', async () => {
      const { attempt } = await story.expose();
      story.now += HOUR_MS;
      expect(await story.store.findUnused()).toEqual({
        afterOrderId: attempt.orderId,
        toOrderId: FIRST_ORDER_ID + 3600,
      });
      const { toOrderId } = await story.store.declareLoss();
      expect((await story.store.findUnused()).afterOrderId).toBe(toOrderId);
    });

    it('tokens that were lost open nothing', async () => {
      await story.store.adoptAttempt(found());
      const token = { orderId: FIRST_ORDER_ID + 60, hash: '' };
      expect(await story.store.findWebhookAttempt(token)).toBeUndefined();
      expect(await story.store.recordReturn({ ...token, hash: 'guess' })).toBeUndefined();
    });
  });
}
