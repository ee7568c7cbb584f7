import { describe, expect, it } from 'vitest';
import type { StoreFixture } from '../testing/store-fixture.js';
import { eraseOrder, exportOrder, ORDER_TABLES } from './order-data.js';

/** What a store does with all that it has of an order. */
export function describeErasure(fixture: StoreFixture): void {
  const key = { merchant: 'teashop', order: 'A1001' };
  const exportAll = (order = key.order) => exportOrder(fixture.store.database, { ...key, order });
  const erase = () =>
    fixture.store.database.transaction('test', (tx) => eraseOrder(tx, key, fixture.now));

  /** An order that names a person in each place that may, and the webhook of its payment. */
  async function payOrder(): Promise<void> {
    const named = { shopVersion: 'Nightjar', returnUrl: 'https://shop.example/?name=Nightjar' };
    const { attempt } = await fixture.activate(named, 'session of Nightjar');
    await fixture.pay(attempt.orderId);
    const webhook = { tokenHash: 'token', digest: 'digest', sealed: Buffer.from('Nightjar') };
    await fixture.store.recordWebhook(webhook, attempt.orderId);
  }

  describe('an order that is erased', () => {
    it('names no one any more, and keeps its payment', async () => {
      await payOrder();
      await fixture.eventTypes();
      const before = await exportAll();
      expect(JSON.stringify(before)).toContain('Nightjar');
      expect(await erase()).toBe('erased');
      const after = await exportAll();
      expect(JSON.stringify(after)).not.toContain('Nightjar');
      expect(after.webhooks).toEqual([]);
      expect(after.matched_transactions).toEqual(before.matched_transactions);
      expect(after.checkouts).toMatchObject([{ state: 'paid' }]);
    });

    it('loses nothing but the columns that are named', async () => {
      await payOrder();
      await fixture.eventTypes();
      const [before, , after] = [await exportAll(), await erase(), await exportAll()];
      for (const table of ['checkouts', 'matched_transactions', 'outbox_events'] as const) {
        for (const column of ORDER_TABLES[table].keeps) {
          if (column === 'is_erased') continue;
          const values = (rows: typeof before) => rows[table].map((row) => row[column]);
          expect([table, column, values(after)]).toEqual([table, column, values(before)]);
        }
      }
    });

    it('keeps the text of an event until its shop has it', async () => {
      await payOrder();
      expect(await erase()).toBe('waiting');
      expect(JSON.stringify((await exportAll()).outbox_events)).toContain('Nightjar');
    });

    it('is left as it is while a shopper may be paying', async () => {
      await fixture.activate({ shopVersion: 'Nightjar' });
      const before = await exportAll();
      expect(await erase()).toBe('open');
      expect(await exportAll()).toEqual(before);
    });

    it('leaves every other order as it is', async () => {
      await payOrder();
      await fixture.activate({ order: 'A1002', shopVersion: 'Nightjar' }, 'session-2');
      const before = await exportAll('A1002');
      await fixture.eventTypes();
      await erase();
      expect(await exportAll('A1002')).toEqual(before);
    });
  });
}
