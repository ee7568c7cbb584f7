import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenStore, StoreUnderTest } from '../../session-server/src/testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../../session-server/src/testing/store-harness.js';
import { type AttentionFilter, findAttention, findUnmatchedWebhooks } from './repository.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00.000Z');

/** What the lists of the operator say, whatever the store stores in. */
export function describeOperatorLists(name: string, open: OpenStore): void {
  describe(`lists of ${name}`, () => {
    let now: number;
    let underTest: StoreUnderTest;
    let harness: StoreHarness;
    beforeEach(async () => {
      now = START;
      underTest = await open({ clock: { now: () => now }, rules: TEST_RULES });
      harness = new StoreHarness(underTest.store);
    });
    afterEach(() => underTest.remove());

    it('unmatched webhooks are listed oldest first', async () => {
      const { store } = underTest;
      for (const digest of ['one', 'two']) {
        const webhook = { tokenHash: 'hash', digest, sealed: new Uint8Array(1) };
        await store.recordWebhook(webhook, undefined);
        now += 1000;
      }
      const claimed = await store.claimWebhooks(10, 30);
      for (const webhook of claimed) await store.markUnmatched(webhook, [], { most: 10 });
      expect(await findUnmatchedWebhooks(store.database, 1)).toEqual([
        { id: claimed[0]?.id, tokenHash: 'hash', receivedAt: START },
      ]);
    });

    it('checkouts that need a person are listed newest first, by merchant and time', async () => {
      const { store } = underTest;
      const find = (filter: AttentionFilter, limit: number) =>
        findAttention(store.database, filter, limit);
      const flagged: string[] = [];
      for (const [merchant, order] of [
        ['teashop', 'A1'],
        ['bookshop', 'A2'],
        ['teashop', 'A3'],
      ] as const) {
        const { checkout } = await harness.activate({ merchant, order });
        await store.apply(checkout.id, { type: 'attention-needed', code: 'amount_mismatch' });
        flagged.push(checkout.id);
        now += DAY_MS;
      }
      await harness.activate({ order: 'A4' });
      const list = async (filter: AttentionFilter, limit = 10) =>
        (await find(filter, limit)).map(({ order }) => order);
      expect(await list({ since: 0 })).toEqual(['A3', 'A2', 'A1']);
      expect(await list({ since: 0 }, 2)).toEqual(['A3', 'A2']);
      expect(await list({ since: START + DAY_MS })).toEqual(['A3', 'A2']);
      expect(await list({ since: 0, merchant: 'teashop' })).toEqual(['A3', 'A1']);
      expect((await find({ since: 0, merchant: 'bookshop' }, 1))[0]).toEqual({
        merchant: 'bookshop',
        order: 'A2',
        checkout: flagged[1],
        state: 'open',
        attention: ['amount_mismatch'],
        createdAt: START + DAY_MS,
      });
    });
  });
}
