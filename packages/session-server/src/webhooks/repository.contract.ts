import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toStoredToken } from '../checkouts/attempt-ids.js';
import type { OpenStore, StoreUnderTest, TestStore } from '../testing/test-store.js';
import {
  StoreHarness,
  TEST_REQUEST,
  TEST_RULES,
  testEvidence,
  AT_PROVIDER,
} from '../testing/store-harness.js';
import type {
  ClaimedWebhook,
  WebhookOutcome,
  IncomingWebhook,
  CompletedWebhook,
} from './repository.js';

const DAY_MS = 86_400_000;
const LEASE_SECONDS = 30;
const DONE: WebhookOutcome = { flags: [], pollFor: [] };

/** A webhook to a token, with a body of its own. */
function webhook(tokenHash: string, body = 'body-1'): IncomingWebhook {
  return { tokenHash, digest: `digest of ${body}`, sealed: Buffer.from([0, 255, 1]) };
}

/** What every store promises about webhooks of the provider. */
export function describeWebhookRepository(name: string, open: OpenStore): void {
  describe(`webhooks of ${name}`, () => {
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

    async function claim(): Promise<ClaimedWebhook[]> {
      return store.claimWebhooks(10, LEASE_SECONDS);
    }

    /** The provider's list is read to its end, and shows no payment. */
    const readList = () => store.settleUnpaid({ ...AT_PROVIDER, startedAt: now, sinceMs: 0 });

    async function claimOne(): Promise<ClaimedWebhook> {
      const [first, ...others] = await claim();
      if (!first || others.length > 0) throw new Error('expected one webhook to be due');
      return first;
    }

    /** Records a webhook to an endpoint that names an order not known yet. */
    async function recordUnmatched(
      references: readonly string[],
      body?: string,
      most = 10,
      tokenHash = 'endpoint',
    ): Promise<void> {
      await store.recordWebhook(webhook(tokenHash, body), undefined);
      await store.markUnmatched(await claimOne(), references, { most });
    }

    async function countUnmatched(): Promise<number> {
      return (await store.countWebhooks()).unmatched;
    }

    it('find the attempt by the token of its WebhookUrl, and by no other', async () => {
      const { attempt, tokens } = await harness.activate();
      expect((await store.findWebhookAttempt(toStoredToken(tokens.webhook)))?.orderId).toBe(
        attempt.orderId,
      );
      for (const token of [tokens.return, tokens.cancel, tokens.back, 'unknown']) {
        expect(await store.findWebhookAttempt(toStoredToken(token))).toBeUndefined();
      }
    });

    it('are given to one worker, as they came, with their attempt', async () => {
      const { attempt } = await harness.activate();
      await store.recordWebhook(webhook('token'), attempt.orderId);
      const claims = await Promise.all([claim(), claim()]);
      expect(claims.flat()).toMatchObject([
        { tokenHash: 'token', digest: 'digest of body-1', receivedAt: now, claimedAt: now },
      ]);
      expect(claims.flat()[0]?.attempt?.orderId).toBe(attempt.orderId);
      expect([...(claims.flat()[0]?.sealed ?? [])]).toEqual([0, 255, 1]);
    });

    it('come again when the worker died before it was done, and never after', async () => {
      await store.recordWebhook(webhook('token'), undefined);
      await claimOne();
      expect(await store.nextWebhookAt()).toBe(now + LEASE_SECONDS * 1000);
      expect(await claim()).toEqual([]);
      now += LEASE_SECONDS * 1000;
      await store.completeWebhook((await claimOne()).id, DONE);
      expect(await store.nextWebhookAt()).toBeUndefined();
      now += DAY_MS;
      expect(await claim()).toEqual([]);
    });

    it('are taken in the order in which they came, no more than asked for at a time', async () => {
      for (const body of ['a', 'b', 'a', 'c']) {
        now += 1;
        await store.recordWebhook(webhook('token', body), undefined);
      }
      const taken: string[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const [one, ...others] = await store.claimWebhooks(1, LEASE_SECONDS);
        expect(others).toEqual([]);
        taken.push(one?.digest ?? '');
      }
      expect(taken).toEqual(['a', 'b', 'a', 'c'].map((body) => `digest of ${body}`));
    });

    describe('with the same body to the same token', () => {
      let receiver: number;
      beforeEach(async () => {
        receiver = (await harness.activate()).attempt.orderId;
      });

      /** Delivers the same once more, and settles it. */
      async function repeat(outcome: WebhookOutcome, body?: string): Promise<CompletedWebhook> {
        await store.recordWebhook(webhook('token', body), receiver);
        return store.completeWebhook((await claimOne()).id, outcome);
      }

      const failure = (): WebhookOutcome => ({
        ...DONE,
        flags: ['verified'],
        proof: { kind: 'failure', orderId: receiver },
      });

      it('are known when the first is processed, and only cause their poll', async () => {
        expect(await repeat(failure())).toEqual({ became: 'processed', changes: [] });
        const [change] = await readList();
        expect(change?.after.state).toBe('failed');
        const { id = '' } = change?.after ?? {};
        await store.apply(id, { type: 'reopened' });
        now += DAY_MS;
        await store.pollDue();
        const again = await repeat({ ...failure(), pollFor: [{ orderId: receiver, at: now }] });
        expect(again).toEqual({ became: 'repeated', changes: [] });
        expect((await store.find(id))?.state).toBe('open');
        expect(await store.pollDue()).toMatchObject([{ orderId: receiver }]);
        expect(await store.countWebhooks()).toMatchObject({ waiting: 0, processed: 1 });
      });

      it('are known while the first is still worked on, whichever is settled first', async () => {
        await store.recordWebhook(webhook('token'), receiver);
        await store.recordWebhook(webhook('token'), receiver);
        const [one, two] = await claim();
        const became = [
          (await store.completeWebhook(two?.id ?? 0, failure())).became,
          (await store.completeWebhook(one?.id ?? 0, failure())).became,
        ];
        expect(became).toEqual(['processed', 'repeated']);
        expect(await store.countWebhooks()).toMatchObject({ waiting: 0, processed: 1 });
      });

      it.each([
        ['signature_refused', ['signature_refused']],
        ['contradicts', ['contradicts', 'verified']],
        ['unreadable', ['unreadable']],
        ['not verified', []],
      ] as const)(
        'take the place of one that was %s, when they are verified',
        async (_name, flags) => {
          await repeat({ ...DONE, flags });
          expect((await repeat(failure())).became).toBe('processed');
          expect(await readList()).toMatchObject([{ after: { state: 'failed' } }]);
          const { processed, flagged } = await store.countWebhooks();
          expect([processed, flagged.verified]).toEqual([1, 1]);
          expect((await repeat(failure())).became).toBe('repeated');
        },
      );

      it('take nothing from a verified one when their own signature is refused', async () => {
        await repeat(failure());
        const forged = await repeat({ ...DONE, flags: ['signature_refused'] });
        expect(forged.became).toBe('repeated');
        expect((await repeat(failure())).became).toBe('repeated');
      });

      it('are known by any of the digests that the body has had', async () => {
        await repeat(failure(), 'under the old key');
        const underBoth = { ...failure(), otherDigests: ['digest of under the old key'] };
        expect((await repeat(underBoth, 'under the new key')).became).toBe('repeated');
      });
    });

    describe('to the address of an attempt', () => {
      const BYTES = webhook('token').sealed.length;

      it('are taken until as much is kept as may be, in each try of a group', async () => {
        const [one, other] = [await harness.activate(), await harness.activate({ order: 'A1002' })];
        const take = (orderId: number, body: number) =>
          store.recordWebhook(webhook('token', String(body)), orderId, 3 * BYTES);
        const taken = await Promise.all([1, 2, 3, 4, 5].map((n) => take(one.attempt.orderId, n)));
        expect(taken.filter((isTaken) => isTaken)).toHaveLength(3);
        expect(await take(other.attempt.orderId, 6)).toBe(true);
        expect((await store.countWebhooks()).waiting).toBe(4);
      });

      it.each([
        ['waiting', () => Promise.resolve()],
        ['worked on', () => claim()],
      ])(
        'are counted after a restart, too, when they were %s before it',
        async (_state, before) => {
          const { orderId } = (await harness.activate()).attempt;
          for (const body of ['a', 'b']) await store.recordWebhook(webhook('token', body), orderId);
          await before();
          store = await underTest.reopen();
          const take = (body: string) =>
            store.recordWebhook(webhook('token', body), orderId, 3 * BYTES);
          expect([await take('c'), await take('d')]).toEqual([true, false]);
        },
      );

      it('take no room when they could not be stored', async () => {
        const { orderId } = (await harness.activate()).attempt;
        const take = () => store.recordWebhook(webhook('token'), orderId + 1, BYTES);
        await expect(take()).rejects.toThrow();
        expect((await harness.activate({ order: 'A1002' })).attempt.orderId).toBe(orderId + 1);
        expect(await take()).toBe(true);
      });

      it('have room again for what was erased, or dropped as a repetition', async () => {
        const { orderId } = (await harness.activate()).attempt;
        const take = (body: string) =>
          store.recordWebhook(webhook('token', body), orderId, 2 * BYTES);
        expect([await take('a'), await take('a'), await take('b')]).toEqual([true, true, false]);
        for (const { id } of await claim()) await store.completeWebhook(id, DONE);
        expect([await take('b'), await take('c')]).toEqual([true, false]);
        await claim();
        now += DAY_MS;
        await store.eraseWebhooks({ receivedBefore: now, unmatchedBefore: 0, limit: 10 });
        expect([await take('c'), await take('d'), await take('e')]).toEqual([true, true, false]);
      });
    });

    it('that are not processed yet are there after a restart, with the time when they came', async () => {
      await store.recordWebhook(webhook('token'), undefined);
      const receivedAt = now;
      now += DAY_MS;
      store = await underTest.reopen();
      expect(await store.nextWebhookAt()).toBe(receivedAt);
      expect(await claimOne()).toMatchObject({ receivedAt });
    });

    it('come again after a restart of the process that had them', async () => {
      await store.recordWebhook(webhook('token'), undefined);
      await claimOne();
      store = await underTest.reopen();
      now += LEASE_SECONDS * 1000;
      expect(await claim()).toHaveLength(1);
    });

    it('are the same only when body and token are the same', async () => {
      for (const [token, body] of [
        ['token', 'a'],
        ['token', 'b'],
        ['other', 'a'],
        ['token', 'a'],
      ] as const) {
        await store.recordWebhook(webhook(token, body), undefined);
      }
      const settled: unknown[] = [];
      for (const { id, tokenHash, digest } of await claim()) {
        settled.push([tokenHash, digest, (await store.completeWebhook(id, DONE)).became]);
      }
      expect(settled).toEqual([
        ['token', 'digest of a', 'processed'],
        ['token', 'digest of b', 'processed'],
        ['other', 'digest of a', 'processed'],
        ['token', 'digest of a', 'repeated'],
      ]);
    });

    it('have the poll that they ask for scheduled in the step that settles them', async () => {
      const { attempt } = await harness.activate();
      await store.recordWebhook(webhook('token'), attempt.orderId);
      expect(await store.pollDue()).toEqual([]);
      const pollFor = [{ orderId: attempt.orderId, at: now }];
      await store.completeWebhook((await claimOne()).id, { flags: [], pollFor });
      store = await underTest.reopen();
      expect(await store.pollDue()).toMatchObject([{ orderId: attempt.orderId }]);
    });

    it('have a poll that may wait scheduled for its time at the latest, and the pauses go on', async () => {
      const { orderId } = (await harness.activate()).attempt;
      const askFor = async (at: number) => {
        await store.recordWebhook(webhook('token', String(at)), orderId);
        await store.completeWebhook((await claimOne()).id, {
          flags: [],
          pollFor: [{ orderId, at }],
        });
      };
      const pollsAt = (at: number) => {
        now = at;
        return store.pollDue();
      };
      const start = now;
      await askFor(start + 8000);
      await askFor(start + 50_000);
      expect(await pollsAt(start + 7999)).toEqual([]);
      expect(await pollsAt(start + 8000)).toMatchObject([{ orderId, polls: 1 }]);
      await askFor(start + 9000);
      expect(await pollsAt(start + 9000)).toMatchObject([{ orderId, polls: 2 }]);
    });

    it('prove a payment once, in the step that settles them', async () => {
      const { checkout, attempt } = await harness.activate();
      await store.recordWebhook(webhook('token'), attempt.orderId);
      const { id } = await claimOne();
      const proof = {
        kind: 'payment',
        evidence: testEvidence({ orderId: attempt.orderId, status: 'PAID' }),
      } as const;
      const { changes } = await store.completeWebhook(id, { ...DONE, proof });
      expect(changes[0]?.after).toMatchObject({ id: checkout.id, state: 'paid', paidBy: 'tx-1' });
      expect((await store.completeWebhook(id, { ...DONE, proof })).became).toBe('gone');
      await harness.pay(attempt.orderId);
      expect(await store.find(checkout.id)).toMatchObject({ state: 'paid', attention: [] });
    });

    it('prove a failure of the active session, and of no older one', async () => {
      const older = await harness.activate();
      const newer = await harness.activate({
        orderVersion: 'version-2',
        amountMinor: 1299,
      });
      for (const [orderId, state] of [
        [older.attempt.orderId, 'open'],
        [newer.attempt.orderId, 'failed'],
      ] as const) {
        await store.recordWebhook(webhook('token', String(orderId)), orderId);
        await store.completeWebhook((await claimOne()).id, {
          ...DONE,
          proof: { kind: 'failure', orderId },
        });
        await readList();
        const checkout = orderId === older.attempt.orderId ? older.checkout : newer.checkout;
        expect((await store.find(checkout.id))?.state).toBe(state);
      }
    });

    it('of a failure wait for a read of the list of their own account', async () => {
      const { checkout, attempt } = await harness.activate({ account: 'north' });
      const { orderId } = attempt;
      await store.recordWebhook(webhook('token'), orderId);
      const proof = { kind: 'failure', orderId } as const;
      await store.completeWebhook((await claimOne()).id, { ...DONE, proof });
      await readList();
      expect((await store.find(checkout.id))?.state).toBe('open');
      const read = { ...AT_PROVIDER, account: 'north', startedAt: now, sinceMs: 0 };
      await store.settleUnpaid(read);
      expect((await store.find(checkout.id))?.state).toBe('failed');
    });

    it('that were settled prove nothing more, also after the shopper went on', async () => {
      const { checkout, attempt } = await harness.activate();
      await store.recordWebhook(webhook('token'), attempt.orderId);
      const { id } = await claimOne();
      const outcome: WebhookOutcome = {
        ...DONE,
        proof: { kind: 'failure', orderId: attempt.orderId },
      };
      await store.completeWebhook(id, outcome);
      await readList();
      await store.apply(checkout.id, { type: 'reopened' });
      await store.completeWebhook(id, outcome);
      await readList();
      expect((await store.find(checkout.id))?.state).toBe('open');
    });

    it('raise attention when their money differs', async () => {
      const { checkout, attempt } = await harness.activate();
      await store.recordWebhook(webhook('token'), attempt.orderId);
      await store.completeWebhook((await claimOne()).id, {
        ...DONE,
        proof: { kind: 'mismatch', orderId: attempt.orderId, code: 'amount_mismatch' },
      });
      expect(await store.find(checkout.id)).toMatchObject({
        state: 'open',
        attention: ['amount_mismatch'],
      });
    });

    it('that are unmatched come again when a lost attempt is found that they name', async () => {
      const first = await harness.activate();
      const orderId = first.attempt.orderId + 1;
      await recordUnmatched([String(orderId)], 'by-order-id');
      await recordUnmatched([`A1002.${String(orderId)}`], 'by-reference');
      await recordUnmatched(['another order'], 'unrelated');
      expect(await claim()).toEqual([]);
      const request = { ...TEST_REQUEST, order: 'A1002' };
      const merchantReference = `A1002.${String(orderId)}`;
      await store.adoptAttempt({ orderId, merchantReference, createdAt: now, request });
      expect((await claim()).map(({ digest }) => digest)).toEqual([
        'digest of by-order-id',
        'digest of by-reference',
      ]);
    });

    it('are matched when their attempt appeared while they were processed', async () => {
      await store.recordWebhook(webhook('endpoint'), undefined);
      const claimed = await claimOne();
      now += 5;
      const { attempt } = await harness.activate();
      await store.markUnmatched(claimed, [String(attempt.orderId)], { most: 10 });
      expect(await claim()).toHaveLength(1);
    });

    it('that are unmatched are bounded in number: the oldest of a token give way, and of no other', async () => {
      await recordUnmatched(['X'], 'of another', 3, 'other endpoint');
      for (let body = 0; body < 5; body += 1) {
        now += 1000;
        await recordUnmatched([`X${String(body)}`], String(body), 3);
      }
      expect(await countUnmatched()).toBe(4);
      await store.retryUnmatched();
      expect((await claim()).map(({ digest }) => digest)).toEqual(
        ['of another', '2', '3', '4'].map((body) => `digest of ${body}`),
      );
    });

    it('are erased when they have been kept long enough, and unmatched ones sooner', async () => {
      await recordUnmatched(['X1'], 'unmatched');
      await store.recordWebhook(webhook('token', 'processed'), undefined);
      await store.completeWebhook((await claimOne()).id, DONE);
      await store.recordWebhook(webhook('token', 'waiting'), undefined);
      await claimOne();
      now += DAY_MS;
      const erase = (receivedBefore: number, unmatchedBefore: number): Promise<number> =>
        store.eraseWebhooks({ receivedBefore, unmatchedBefore, limit: 10 });
      expect(await erase(now - 2 * DAY_MS, now - 2 * DAY_MS)).toBe(0);
      expect(await erase(now - 2 * DAY_MS, now)).toBe(1);
      expect(await store.countWebhooks()).toMatchObject({ unmatched: 0, processed: 1, waiting: 1 });
      expect(await erase(now, now)).toBe(2);
      expect(await store.countWebhooks()).toMatchObject({ processed: 0, waiting: 0 });
    });

    it('are counted by their outcome', async () => {
      await recordUnmatched(['X1'], 'unmatched');
      await store.recordWebhook(webhook('token', 'flagged'), undefined);
      await store.completeWebhook((await claimOne()).id, { ...DONE, flags: ['contradicts'] });
      await store.recordWebhook(webhook('token', 'waiting'), undefined);
      await store.countTestWebhook();
      await store.countTestWebhook();
      expect(await store.countWebhooks()).toEqual({
        waiting: 1,
        unmatched: 1,
        processed: 1,
        flagged: { verified: 0, signature_refused: 0, contradicts: 1, unreadable: 0 },
        tests: 2,
      });
    });
  });
}
