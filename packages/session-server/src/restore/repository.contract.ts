import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import type { OpenStore } from '../testing/test-store.js';
import { TEST_REQUEST, TEST_RULES } from '../testing/store-harness.js';
import { FIRST_ORDER_ID, HOUR_MS, START, StoreFixture } from '../testing/store-fixture.js';
import type { FoundAttempt } from '../checkouts/attempt-repository.js';

/** What every store promises that was put back from a backup. */
export function describeRestoreStore(name: string, open: OpenStore): void {
  describe(`a loss of ${name}`, () => {
    const fixture = new StoreFixture(open);
    beforeEach(() => fixture.start());
    afterEach(() => fixture.underTest.remove());

    const found = (changes: Partial<FoundAttempt> = {}): FoundAttempt => ({
      orderId: FIRST_ORDER_ID + 60,
      merchantReference: `A1001.${String(FIRST_ORDER_ID + 60)}`,
      createdAt: START,
      request: TEST_REQUEST,
      ...changes,
    });

    it('begins with the last attempt that is known, and ends now', async () => {
      const { attempt } = await fixture.activate();
      fixture.now += 3 * HOUR_MS;
      expect(await fixture.store.findLoss()).toBeUndefined();
      const loss = await fixture.store.declareLoss();
      expect(loss).toMatchObject({
        since: START,
        until: fixture.now,
        afterOrderId: attempt.orderId,
        isRead: false,
      });
      expect(await fixture.store.findLoss()).toEqual(loss);
    });

    it('begins when it is said to, though attempts were made after it', async () => {
      const { attempt } = await fixture.activate();
      fixture.now += 2 * HOUR_MS;
      await fixture.activate({ order: 'A1002' });
      const since = START + HOUR_MS;
      expect(await fixture.store.declareLoss(since)).toMatchObject({
        since,
        afterOrderId: attempt.orderId,
      });
    });

    it('leaves room for every order_id that may have been given out, also after a start', async () => {
      await fixture.activate();
      fixture.now += HOUR_MS;
      const { toOrderId } = await fixture.store.declareLoss();
      expect(toOrderId).toBeGreaterThan(FIRST_ORDER_ID + 3600 * 100);
      const next = await fixture.activate({ order: 'A1002' });
      expect(next.attempt.orderId).toBe(toOrderId + 1);
      fixture.store = await fixture.underTest.reopen();
      expect((await fixture.activate({ order: 'A1003' })).attempt.orderId).toBe(toOrderId + 2);
    });

    it('uses up no more than a tenth of a small range of order_ids', async () => {
      await fixture.underTest.remove();
      await fixture.start({ maxOrderId: FIRST_ORDER_ID + 10_000 });
      await fixture.activate();
      fixture.now += 1000;
      const { toOrderId } = await fixture.store.declareLoss(START - HOUR_MS);
      expect(toOrderId).toBeLessThan(FIRST_ORDER_ID + 1010);
    });

    it('has sequences and revisions go on above those that may have been seen', async () => {
      const { checkout } = await fixture.activate();
      await fixture.store.find(checkout.id);
      await fixture.store.declareLoss();
      const after = await fixture.stateOf(checkout.id);
      expect(after.revision).toBeGreaterThan(checkout.revision + 100);
      expect(after.sequence).toBeGreaterThan(checkout.sequence + 100);
    });

    it('stays as it is until it is read; then there can be another one, which includes it', async () => {
      await fixture.activate();
      fixture.now += HOUR_MS;
      const first = await fixture.store.declareLoss();
      fixture.now += HOUR_MS;
      expect(await fixture.store.declareLoss()).toEqual(first);
      await fixture.store.markLossRead();
      expect(await fixture.store.findLoss()).toEqual({ ...first, isRead: true });
      await fixture.activate({ order: 'A1002' });
      fixture.now += HOUR_MS;
      const second = await fixture.store.declareLoss();
      expect(second).toMatchObject({
        since: first.since,
        afterOrderId: first.afterOrderId,
        until: fixture.now,
        isRead: false,
      });
      expect(second.toOrderId).toBeGreaterThan(first.toOrderId);
    });

    it('an attempt that is found again is watched, shown to no one, and can be paid', async () => {
      await fixture.store.adoptAttempt(found());
      await fixture.store.adoptAttempt(found());
      const [checkout] = await fixture.store.findOrder('teashop', 'A1001');
      expect(checkout).toMatchObject({ state: 'open', amountMinor: 999, createdAt: START });
      const attempts = await fixture.store.findAttempts(checkout?.id ?? '');
      expect(attempts).toMatchObject([{ status: 'superseded', orderId: FIRST_ORDER_ID + 60 }]);
      expect(await fixture.begin()).toMatchObject({ kind: 'send' });
      const [change] = await fixture.pay(FIRST_ORDER_ID + 60);
      expect(change?.after).toMatchObject({ state: 'paid', attention: [] });
      fixture.now += HOUR_MS;
      expect(await fixture.store.pollDue()).toContainEqual(
        expect.objectContaining({ orderId: FIRST_ORDER_ID + 60 }),
      );
    });

    it('an attempt that is found again joins the checkout of its price, and is reported as a second payment', async () => {
      const { checkout, attempt } = await fixture.activate();
      await fixture.pay(attempt.orderId);
      await fixture.store.adoptAttempt(found());
      const [change] = await fixture.pay(FIRST_ORDER_ID + 60, { transaction: 'tx-2' });
      expect(change?.after).toMatchObject({ id: checkout.id, attention: ['paid_twice'] });
    });

    it('an attempt that is found again stands behind the one that was made before it and is still shown', async () => {
      const { checkout, attempt } = await fixture.activate();
      await fixture.store.adoptAttempt(found());
      expect(await fixture.store.findAttempts(checkout.id)).toMatchObject([
        { orderId: attempt.orderId, status: 'active' },
        { orderId: FIRST_ORDER_ID + 60, status: 'superseded' },
      ]);
    });

    it('a webhook that was unmatched because its attempt was lost is processed when it is found', async () => {
      const webhook = { tokenHash: 'endpoint', digest: 'digest', sealed: new Uint8Array(1) };
      await fixture.store.recordWebhook(webhook, undefined);
      const [claimed] = await fixture.store.claimWebhooks(10, 30);
      if (!claimed) throw new Error('one webhook was to be claimed');
      await fixture.store.markUnmatched(claimed, [found().merchantReference], { most: 10 });
      expect(await fixture.store.claimWebhooks(10, 30)).toEqual([]);
      await fixture.store.adoptAttempt(found());
      expect(await fixture.store.claimWebhooks(10, 30)).toMatchObject([{ id: claimed.id }]);
    });

    it('a file without attempts may have lost any order_id: each file starts elsewhere', async () => {
      const { afterOrderId, toOrderId } = await fixture.store.declareLoss(START - HOUR_MS);
      expect([afterOrderId, toOrderId]).toEqual([0, TEST_RULES.maxOrderId]);
      const { attempt } = await fixture.activate();
      expect(attempt.orderId).toBeLessThan(FIRST_ORDER_ID + 3601 * 100 + 2);
    });

    it('the order_ids of a store go from its first attempt to this moment, or further', async () => {
      expect(await fixture.store.findOrderIdRange()).toBeUndefined();
      const { attempt } = await fixture.activate();
      fixture.now += HOUR_MS;
      const range = { first: attempt.orderId, last: FIRST_ORDER_ID + 3600 };
      expect(await fixture.store.findOrderIdRange()).toEqual(range);
      const { toOrderId } = await fixture.store.declareLoss();
      expect(await fixture.store.findOrderIdRange()).toEqual({ ...range, last: toOrderId });
    });

    it('tokens that were lost open nothing', async () => {
      await fixture.store.adoptAttempt(found());
      const token = { orderId: FIRST_ORDER_ID + 60, hash: '' };
      expect(await fixture.store.findWebhookAttempt(token)).toBeUndefined();
      expect(await fixture.store.recordReturn({ ...token, hash: 'guess' })).toBeUndefined();
    });
  });
}
