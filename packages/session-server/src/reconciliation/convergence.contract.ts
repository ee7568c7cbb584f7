import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttemptTokens, toStoredToken } from '../checkouts/attempt-ids.js';
import { isCertain } from '../checkouts/state-machine.js';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { ReturnKind } from '../contract.js';
import type { TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_REQUEST, AT_PROVIDER } from '../testing/store-harness.js';
import { CLAIM } from '../testing/store-fixture.js';
import type { PropertyRuns, StartReconciliation } from '../testing/quiet-reconciliation.js';
import { testMerchant } from '../testing/test-merchant.js';
import type { TransactionRow } from '../provider/gateway.js';
import type { ReconciliationService } from './service.js';

const START = Date.UTC(2026, 0, 1);

/** Rows of one payment of 9.99, as the list may show it and its refunds over time. */
const ROWS = {
  paid: { id: 'pay' },
  'partly refunded in its row': { id: 'pay', amountRefunded: '4.00' },
  'refunded in its row': { id: 'pay', status: 'REFUNDED' },
  'a refund of a part': { id: 'refund-1', status: 'REFUNDED', amount: '4.00' },
  'the refund of the rest': { id: 'refund-2', status: 'REFUNDED', amount: '5.99' },
  'a refund of all': { id: 'refund-3', status: 'REFUNDED', amount: '9.99' },
  'a refund of a part with a minus': { id: 'refund-4', status: 'REFUNDED', amount: '-4.00' },
} satisfies Record<string, Partial<TransactionRow>>;
type RowName = keyof typeof ROWS;

/** What a list says in the end, newest first, and how much is given back then. */
const ENDS: readonly (readonly [readonly RowName[], refund: string])[] = [
  [['paid'], 'none'],
  [['partly refunded in its row'], 'partial'],
  [['refunded in its row'], 'full'],
  [['a refund of a part', 'paid'], 'partial'],
  [['the refund of the rest', 'a refund of a part', 'paid'], 'full'],
  [['a refund of all', 'paid'], 'full'],
  [['a refund of a part with a minus', 'paid'], 'partial'],
];

const STEPS = ['return', 'cancel', 'back', 'opened again', 'an hour passes', 'a row'] as const;

/** What every store promises of the rows of one payment, in whatever order they are read. */
export function describeConvergence(start: StartReconciliation, runs: PropertyRuns = {}): void {
  describe('hints, time and rows of one payment', () => {
    const merchant = testMerchant();
    let now = START;
    let count = 0;
    let store: TestStore;
    let reconciliation: ReconciliationService;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ store, reconciliation, close } = await start(merchant, {
        now: () => now,
      }));
    });
    afterAll(() => close());

    const play = async (
      step: Exclude<(typeof STEPS)[number], 'a row'>,
      { order, tokens }: OpenOrder,
    ) => {
      if (step === 'opened again') await store.beginAttempt({ ...TEST_REQUEST, order });
      else if (step === 'an hour passes') {
        now += 3_600_000;
        await store.applyTime(100);
      } else await store.recordReturn(toStoredToken(tokens[step satisfies ReturnKind]));
    };

    /** The events of a checkout that the shop acknowledges. */
    const eventsOf = async (checkout: string): Promise<string[]> => {
      const types: string[] = [];
      for (;;) {
        const events = await store.claimEvents(CLAIM);
        if (events.length === 0) return types;
        for (const event of events) {
          if (event.checkout === checkout) types.push(event.type);
          await store.markDelivered(event.id);
        }
      }
    };

    it('come to the same end in any order and however often, and nothing is certain before a row', async () => {
      const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat());
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...ENDS),
          fc.array(step, { maxLength: 12 }),
          async (...given) => {
            const [[names, refund], steps] = given;
            count += 1;
            const order = `A${String(count)}`;
            const { checkout, attempt, tokens } = await new StoreHarness(store).activate({ order });
            const rows = names.map((name) => rowOf(ROWS[name], attempt));
            // A row that changes has stood in the list as it was before, too.
            const seen = [...rows, ...rows.map((row) => ({ ...row, ...asPaid(row) }))];
            let paidBy: string | undefined;
            for (const [what, pick] of steps) {
              const row = seen[pick % seen.length];
              if (what === 'a row' && row) {
                await reconciliation.reconcile(AT_PROVIDER, [row]);
                if (row.amount === '9.99') paidBy ??= row.id;
              } else if (what !== 'a row') await play(what, { order, tokens });
              const { state = 'open' } = (await store.find(checkout.id)) ?? {};
              expect(isCertain(state)).toBe(paidBy !== undefined);
            }
            // Whatever was missed stands in the list the next times that it is read.
            await reconciliation.reconcile(AT_PROVIDER, rows);
            await reconciliation.reconcile(AT_PROVIDER, rows);
            const end = await store.find(checkout.id);
            // The first row that shows the price has paid, be it the one of the whole refund.
            expect(end).toMatchObject({ state: 'paid', refund, paidBy: paidBy ?? `${order} pay` });
            // Only whether the shop got another state before depends on the order.
            const attention = end?.attention ?? [];
            expect(attention.filter((code) => code !== 'late_payment')).toEqual([]);
            const events = await eventsOf(checkout.id);
            const refunds = events.filter((type) => type === 'checkout.refunded');
            expect(events.filter((type) => type === 'checkout.paid')).toHaveLength(1);
            expect(refunds.length > 0).toBe(refund !== 'none');
            expect(refunds.length).toBeLessThanOrEqual(refund === 'full' ? 2 : 1);
            await reconciliation.reconcile(AT_PROVIDER, rows.toReversed());
            expect(await store.find(checkout.id)).toEqual(end);
            expect(await eventsOf(checkout.id)).toEqual([]);
          },
        ),
        { numRuns: 100, ...runs },
      );
    });

    it('need no attention when the amount of a payment changes as it is given back', async () => {
      const { checkout, attempt } = await new StoreHarness(store).activate({ order: 'changed' });
      const paid = rowOf(ROWS.paid, attempt);
      await reconciliation.reconcile(AT_PROVIDER, [paid]);
      const nothingLeft = { status: 'REFUNDED', amount: '0.00', amountRefunded: '9.99' };
      await reconciliation.reconcile(AT_PROVIDER, [{ ...paid, ...nothingLeft }]);
      const end = await store.find(checkout.id);
      expect(end).toMatchObject({ state: 'paid', refund: 'full', attention: [] });
    });

    it('report a second payment, even when the first one was refunded before it was read', async () => {
      const { checkout, attempt } = await new StoreHarness(store).activate({ order: 'twice' });
      const later = new Date(attempt.createdAt + 1_800_000).toISOString();
      await reconciliation.reconcile(AT_PROVIDER, [
        rowOf({ id: 'second', transactionTime: later }, attempt),
        rowOf(ROWS['refunded in its row'], attempt),
      ]);
      const end = await store.find(checkout.id);
      expect(end).toMatchObject({ state: 'paid', refund: 'none', attention: ['paid_twice'] });
    });

    it('need no attention when a payment and a refund of a part of it are seen together', async () => {
      const order = 'together';
      const { checkout, attempt } = await new StoreHarness(store).activate({ order });
      const newestFirst = ['a refund of a part', 'paid'] as const;
      await reconciliation.reconcile(
        AT_PROVIDER,
        newestFirst.map((name) => rowOf(ROWS[name], attempt)),
      );
      const end = await store.find(checkout.id);
      expect(end).toMatchObject({ state: 'paid', refund: 'partial', attention: [] });
    });
  });
}

interface OpenOrder {
  readonly order: string;
  readonly tokens: AttemptTokens;
}

function rowOf(
  row: Partial<TransactionRow>,
  { merchantReference, order, createdAt }: Attempt,
): TransactionRow {
  return {
    transactionTime: new Date(createdAt + 60_000).toISOString(),
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: '9.99',
    references: { orderRef: merchantReference },
    ...row,
    id: `${order} ${row.id ?? ''}`,
  };
}

/** The row of a payment as it was before anything was given back; rows of refunds never change. */
function asPaid({ id }: TransactionRow): Partial<TransactionRow> {
  return id?.endsWith('pay')
    ? { status: 'SUCCESS', amount: '9.99', amountRefunded: undefined }
    : {};
}
