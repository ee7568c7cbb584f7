import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { TransactionRow } from '../provider/gateway.js';
import type { PropertyRuns, StartReconciliation } from '../testing/quiet-reconciliation.js';
import { StoreHarness, AT_PROVIDER } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import type { TestStore } from '../testing/test-store.js';
import type { ReconciliationService } from './service.js';

const START = Date.UTC(2026, 0, 1);
const DEARER = { orderVersion: 'version-2', amountMinor: 1299 };
const MISTAKE_MINOR = 500;

/** How the list may show a refund (spec 3 leaves it open). */
const STYLES = [
  'changes the row',
  'adds a row with its id',
  'adds a row with its reference',
  'adds a row that shares nothing',
] as const;
type Style = (typeof STYLES)[number];

/** A payment as it was made. */
interface Made {
  /** Which session it was made in: two of one price, one of another. */
  readonly session: 0 | 1 | 2;
  readonly isMistake: boolean;
  /** How much was refunded: nothing, a part or all. */
  readonly refunded: 'none' | 'part' | 'all';
  /** Whether the row was in the list before the refund changed it. */
  readonly wasSeenPaid: boolean;
}

/** What every store promises of money that is given back. */
export function describeRefunds(start: StartReconciliation, runs: PropertyRuns = {}): void {
  describe('the refund of an order', () => {
    let count = 0;
    let store: TestStore;
    let reconciliation: ReconciliationService;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const clock = { now: () => START };
      ({ store, reconciliation, close } = await start(testMerchant(), clock));
    });
    afterAll(() => close());

    /** An order with three sessions, two at its first price and one at a later price. */
    const openOrder = async (): Promise<Attempt[]> => {
      const harness = new StoreHarness(store);
      const order = `A${String((count += 1))}`;
      const first = await harness.activate({ order });
      const renew = `session-${String(first.attempt.orderId)}`;
      const second = await harness.activate({ order, renew });
      const third = await harness.activate({ order, ...DEARER });
      return [first.attempt, second.attempt, third.attempt];
    };
    const openSession = async (): Promise<Attempt> => {
      const { attempt } = await new StoreHarness(store).activate({
        order: `A${String((count += 1))}`,
      });
      return attempt;
    };
    const priceOf = (session: number): number => (session === 2 ? DEARER.amountMinor : 999);
    const checkoutsOf = (attempt?: Attempt): Promise<Checkout[]> =>
      store.findOrder('teashop', attempt?.order ?? '');
    const read = (...rows: TransactionRow[]) => reconciliation.reconcile(AT_PROVIDER, rows);

    it('follows from all rows of all its attempts, in whatever order they are read', async () => {
      const made = fc.record<Made>({
        session: fc.constantFrom(0, 1, 2),
        isMistake: fc.boolean(),
        refunded: fc.constantFrom('none', 'part', 'all'),
        wasSeenPaid: fc.boolean(),
      });
      const scenario = fc
        .tuple(fc.array(made, { minLength: 1, maxLength: 4 }), fc.constantFrom(...STYLES))
        .chain(([payments, style]) => {
          const rows = payments.flatMap((_, at) => rowsOf(payments, at, style));
          const all = fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length });
          return fc.tuple(fc.constant(payments), all);
        });
      await fc.assert(
        fc.asyncProperty(scenario, async ([payments, rows]) => {
          const attempts = await openOrder();
          const inOrder = rows.map((row) => ({
            ...row,
            id: `${attempts[0]?.order ?? ''} ${row.id}`,
            references: {
              ...row.references,
              orderRef: attempts[row.session]?.merchantReference ?? '',
            },
          }));
          for (const row of inOrder) await read(row);
          const heldMinor = payments.reduce(
            (sum, each) => sum + takenOf(each) - refundedOf(each),
            0,
          );
          const good = payments.filter(({ isMistake }) => !isMistake);
          const checkouts = await checkoutsOf(attempts[0]);
          for (const { id, state, refund, amountMinor } of checkouts) {
            const isPaid = good.some(({ session }) => attempts[session]?.checkout === id);
            expect(state === 'paid').toBe(isPaid);
            expect(refund).toBe(isPaid ? expectedRefund(heldMinor, amountMinor) : 'none');
          }
          const codes = checkouts.flatMap(({ attention }) => attention);
          expect(codes.filter((code) => code === 'paid_twice')).toHaveLength(
            Math.max(0, good.length - 1),
          );
          // What was read is read again with every poll.
          for (const row of inOrder) await read(row);
          expect(await checkoutsOf(attempts[0])).toEqual(checkouts);
        }),
        { numRuns: 150, ...runs },
      );
    });

    /** Rows of one payment, and of its refund. */
    function rowsOf(payments: readonly Made[], at: number, style: Style) {
      const payment = payments[at];
      if (!payment) return [];
      const { session, refunded } = payment;
      const paid = {
        session,
        ...rowOf(`pay-${String(at)}`, { amount: decimal(takenOf(payment)), minute: at * 10 }),
        references: style.endsWith('nothing') ? {} : { pspReference: `psp-${String(at)}` },
      };
      if (refunded === 'none') return [paid];
      const amount = decimal(refundedOf(payment));
      if (style === 'changes the row') {
        const status = refunded === 'all' ? 'REFUNDED' : 'SUCCESS';
        const changed = { ...paid, status, amountRefunded: amount };
        // Nothing says that a refunded row next to a payment of its session was a payment, too.
        const isAlone = payments.filter((other) => other.session === session).length === 1;
        return payment.wasSeenPaid || !isAlone ? [paid, changed] : [changed];
      }
      const added = {
        ...paid,
        ...rowOf(`refund-${String(at)}`, { amount, minute: at * 10 + 1 }),
        status: 'REFUNDED',
        references: style.endsWith('reference') ? paid.references : {},
      };
      return [paid, style.endsWith('id') ? { ...added, id: paid.id } : added];
    }

    it('is none when what was given back is a payment of another amount, made by mistake', async () => {
      const attempt = await openSession();
      const orderRef = String(attempt.orderId);
      const row = (id: string, changes: Parameters<typeof rowOf>[1]) => ({
        ...rowOf(`${String(count)} ${id}`, changes),
        references: { orderRef },
      });
      await read(row('mistake', { amount: '9.00', minute: 1 }));
      await read(row('paid', { amount: '9.99', minute: 2 }));
      await read({ ...row('refund', { amount: '9.00', minute: 3 }), status: 'REFUNDED' });
      const [checkout] = await checkoutsOf(attempt);
      expect(checkout).toMatchObject({
        state: 'paid',
        refund: 'none',
        attention: ['amount_mismatch'],
      });
      const listed = await store.findTransactions(checkout?.id ?? '');
      expect(listed.map(({ id }) => id.split(' ')[1])).toEqual(['paid', 'refund']);
    });

    it('is found by the id or the reference of its payment where it names no attempt', async () => {
      const attempt = await openSession();
      const own = (id: string) => `${String(count)} ${id}`;
      const paid = {
        ...rowOf(own('pay'), { amount: '9.99', minute: 1 }),
        references: { orderRef: String(attempt.orderId), pspReference: own('psp') },
      };
      const references = { pspReference: own('psp') };
      const part = { ...rowOf(own('refund'), { amount: '4.00', minute: 2 }), status: 'REFUNDED' };
      await read({ ...part, references }, paid);
      const refund = async () => (await checkoutsOf(attempt))[0];
      expect(await refund()).toMatchObject({ refund: 'partial', refundedMinor: 400 });
      await read({ ...paid, amountRefunded: '5.00', references: {} });
      expect(await refund()).toMatchObject({ refund: 'partial', refundedMinor: 500 });
      // A payment must name its attempt itself, and a refund of another payment is none of this one.
      await read({ ...paid, id: own('other'), references });
      await read({ ...part, id: own('strange'), references: { pspReference: own('strange') } });
      expect(await refund()).toMatchObject({ refundedMinor: 500, attention: [] });
    });

    it('asks for a person when a payment takes a status that no one configured', async () => {
      const attempt = await openSession();
      const paid = {
        ...rowOf(`${String(count)} pay`, { amount: '9.99', minute: 1 }),
        references: { orderRef: String(attempt.orderId) },
      };
      const declined = { ...paid, id: `${String(count)} declined`, status: 'DECLINED' };
      await read(declined, paid);
      expect((await checkoutsOf(attempt))[0]?.attention).toEqual([]);
      await read({ ...paid, status: 'CHARGEBACK' });
      await read({ ...paid, status: 'CHARGEBACK' });
      await read({ ...paid, status: undefined });
      const [checkout] = await checkoutsOf(attempt);
      expect(checkout).toMatchObject({ state: 'paid', attention: ['status_changed'] });
      const [stored] = await store.findTransactions(checkout?.id ?? '');
      expect(stored).toMatchObject({ status: 'CHARGEBACK' });
    });

    it.each<[string, { minute?: number; orderRef?: false; psp?: string }, boolean]>([
      ['later, with a reference that no row has', { minute: 2 }, true],
      ['with the reference of the payment', { psp: 'paid' }, true],
      ['with that reference alone', { psp: 'paid', orderRef: false }, true],
      ['with another reference alone', { minute: 2, orderRef: false }, false],
      ['no later, as a declined try does', {}, false],
    ])('asks for a person when a new row with such a status comes %s', async (_what, row, asks) => {
      const attempt = await openSession();
      const own = (text: string) => `${String(count)} ${text}`;
      const rowWith = (id: string, minute: number, psp: string) => ({
        ...rowOf(own(id), { amount: '9.99', minute }),
        references: { pspReference: own(psp), orderRef: String(attempt.orderId) },
      });
      const paid = rowWith('pay', 1, 'paid');
      const { minute = 1, psp = 'other', orderRef = true } = row;
      const { references, ...other } = rowWith('chargeback', minute, psp);
      const { pspReference } = references;
      const chargeback = { ...other, references: orderRef ? references : { pspReference } };
      for (let poll = 0; poll < 2; poll += 1)
        await read({ ...chargeback, status: 'CHARGED' }, paid);
      const [checkout] = await checkoutsOf(attempt);
      expect(checkout).toMatchObject({
        ...{ state: 'paid', refund: 'none' },
        attention: asks ? ['status_changed'] : [],
      });
    });

    it('asks for no one when the same reference is another account’s', async () => {
      const first = await openSession();
      const { order, orderId } = first;
      const harness = new StoreHarness(store);
      const renew = `session-${String(orderId)}`;
      const { attempt } = await harness.activate({ order, renew, account: 'north' });
      const rowWith = (id: string, minute: number, { orderId: named }: Attempt) => ({
        ...rowOf(`${String(orderId)} ${id}`, { amount: '9.99', minute }),
        references: { pspReference: `${String(orderId)} psp`, orderRef: String(named) },
      });
      await read(rowWith('pay', 1, first));
      const charged = { ...rowWith('chargeback', 2, attempt), status: 'CHARGED' };
      await reconciliation.reconcile({ ...AT_PROVIDER, account: 'north' }, [charged]);
      expect(await checkoutsOf(first)).toMatchObject([{ state: 'paid', attention: [] }]);
    });

    function takenOf({ isMistake, session }: Made): number {
      return isMistake ? MISTAKE_MINOR : priceOf(session);
    }

    function refundedOf(made: Made): number {
      if (made.refunded === 'none') return 0;
      return made.refunded === 'all' ? takenOf(made) : 300;
    }
  });
}

function expectedRefund(heldMinor: number, amountMinor: number): string {
  if (heldMinor >= amountMinor) return 'none';
  return heldMinor > 0 ? 'partial' : 'full';
}

function rowOf(id: string, { amount, minute }: { amount: string; minute: number }) {
  return {
    id,
    transactionTime: new Date(START + minute * 60_000).toISOString(),
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount,
    references: {},
  };
}

function decimal(minor: number): string {
  return (minor / 100).toFixed(2);
}
