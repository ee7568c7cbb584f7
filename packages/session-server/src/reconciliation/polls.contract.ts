import { describe, expect, it } from 'vitest';
import { pollBy, requestPoll } from '../checkouts/poll-requests.js';
import { sql } from '../store/sql.js';
import { SECOND_MS, type StoreFixture } from '../testing/store-fixture.js';
import { AT_PROVIDER, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { findDueAttempts, noteAsked, planNextPolls } from './polls.js';
import { SdkReports } from './sdk-reports.js';

/** What is stored of polls, besides what {@link describeClock} says of their times. */
export function describePolls(fixture: StoreFixture): void {
  const due = () => {
    const { settleWindowSeconds } = TEST_RULES;
    return findDueAttempts(fixture.store.database, AT_PROVIDER, fixture.now, settleWindowSeconds);
  };
  const plan = async (
    attempts: Awaited<ReturnType<typeof due>>,
    { reports = true, isStored = true } = {},
  ) =>
    planNextPolls(fixture.store.database, attempts, {
      readAt: fixture.now,
      now: fixture.now,
      result: 'read',
      rules: TEST_RULES,
      isStored: () => isStored,
      reportsSubmitted: () => reports,
    });
  const hint = (orderId: number) =>
    fixture.store.database.transaction('test:hint', (tx) => {
      requestPoll(tx, orderId, { now: fixture.now });
      return Promise.resolve();
    });
  const nextOf = async (orderId: number) => {
    const row = await fixture.store.database.get(
      sql`SELECT next_poll_at, poll_result FROM attempts WHERE order_id = ${orderId}`,
    );
    return Number(row?.['next_poll_at']) - fixture.now;
  };
  const ask = (checkout: string, pauseMs = 30 * SECOND_MS) =>
    noteAsked(fixture.store.database, [checkout], {
      now: fixture.now,
      pauseMs,
      watchSeconds: TEST_RULES.watchSeconds,
    });

  describe('a poll that is planned', () => {
    it('leaves an attempt due that a hint came for while the list was read, in the same millisecond', async () => {
      const { attempt } = await fixture.activate();
      await hint(attempt.orderId);
      const read = await due();
      await hint(attempt.orderId);
      await plan(read);
      expect(await due()).toMatchObject([{ orderId: attempt.orderId, hints: 2 }]);
      await plan(await due());
      expect(await due()).toEqual([]);
    });

    it('follows soon when what was read could not be stored', async () => {
      const { attempt } = await fixture.activate();
      await hint(attempt.orderId);
      fixture.now += 3600 * SECOND_MS;
      await plan(await due(), { isStored: false });
      expect(await nextOf(attempt.orderId)).toBe(60 * SECOND_MS);
    });

    it('follows soon when one for a later time was requested while it ran', async () => {
      const { attempt } = await fixture.activate();
      await hint(attempt.orderId);
      fixture.now += 3600 * SECOND_MS;
      const read = await due();
      await fixture.store.database.transaction('test:poll-by', (tx) => {
        pollBy(tx, attempt.orderId, { now: fixture.now, at: fixture.now + 5 * SECOND_MS });
        return Promise.resolve();
      });
      await plan(read);
      expect(await nextOf(attempt.orderId)).toBe(5 * SECOND_MS);
    });

    it('is for refunds only when the payment was found by the read before it', async () => {
      const { attempt } = await fixture.activate();
      await hint(attempt.orderId);
      const read = await due();
      await fixture.pay(attempt.orderId);
      await plan(read);
      expect(await nextOf(attempt.orderId)).toBeGreaterThan(3600 * SECOND_MS);
    });

    it('comes every 30 s while a page asks, every 3 s with an SDK that reports nothing, and less when it is gone', async () => {
      const { attempt, checkout } = await fixture.activate();
      await ask(checkout.id);
      expect(await nextOf(attempt.orderId)).toBe(30 * SECOND_MS);
      fixture.now += 30 * SECOND_MS;
      const read = await due();
      // The page asks again while the list is read.
      await ask(checkout.id);
      await plan(read);
      expect(await nextOf(attempt.orderId)).toBe(30 * SECOND_MS);
      fixture.now += 30 * SECOND_MS;
      await ask(checkout.id);
      await plan(await due(), { reports: false });
      expect(await nextOf(attempt.orderId)).toBe(3 * SECOND_MS);
      fixture.now += 60 * SECOND_MS;
      await plan(await due());
      expect(await nextOf(attempt.orderId)).toBeGreaterThan(60 * SECOND_MS);
    });
  });

  describe('an SDK', () => {
    it('is relied on to report payments once it has, and not when it lately has not', async () => {
      const merchant = testMerchant();
      const { checkout: before } = await fixture.activate();
      const reports = new SdkReports({
        database: fixture.store.database,
        clock: { now: () => fixture.now },
      });
      expect(reports.isReporting(merchant)).toBe(false);
      await reports.learn(merchant, { ...before, submittedAt: fixture.now }, before);
      expect(reports.isReporting(merchant)).toBe(true);
      const another = new SdkReports({
        database: fixture.store.database,
        clock: { now: () => fixture.now },
      });
      await another.load();
      expect(another.isReporting(merchant)).toBe(true);
      // Another description is another SDK.
      expect(another.isReporting({ sdk: { ...merchant.sdk, global: 'Wallet' } })).toBe(false);
      const paidAt = new Date(fixture.now).toISOString();
      const after = { ...before, payment: { paidAt } };
      // Its page was gone: it could report nothing.
      await another.learn(merchant, before, after);
      expect(another.isReporting(merchant)).toBe(true);
      fixture.now += 20 * SECOND_MS;
      await ask(before.id);
      await another.learn(merchant, before, after);
      expect(another.isReporting(merchant)).toBe(false);
      fixture.now += 15 * 86_400 * SECOND_MS;
      expect(another.isReporting(merchant)).toBe(true);
    });

    it('is relied on after it reported a payment that was listed after its settle window', async () => {
      const merchant = testMerchant();
      const { checkout } = await fixture.activate();
      const reports = new SdkReports({
        database: fixture.store.database,
        clock: { now: () => fixture.now },
      });
      await reports.learn(merchant, { ...checkout, submittedAt: fixture.now }, checkout);
      await fixture.store.recordHint(checkout.id, { kind: 'submitted' });
      const paidAt = new Date(fixture.now).toISOString();
      fixture.now += 600 * SECOND_MS;
      await ask(checkout.id);
      await reports.learn(merchant, checkout, { ...checkout, payment: { paidAt } });
      expect(reports.isReporting(merchant)).toBe(true);
    });
  });
}
