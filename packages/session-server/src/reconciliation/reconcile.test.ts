import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageEnd } from '@pay-checkout/partner-api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeFeed } from '../checkouts/change-feed.js';
import type { Checkout } from '../checkouts/state-machine.js';
import type { Attempt } from '../checkouts/attempt-repository.js';
import { TestStore } from '../testing/test-store.js';
import { StoreHarness, TEST_RULES, AT_PROVIDER } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import type { TransactionQuery, TransactionRow } from '../provider/gateway.js';
import { createLogger } from '../logger.js';
import { RunLoops } from '../run-loop.js';
import { ReconciliationService } from './service.js';
import { endAt } from '../testing/page-end.js';

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DEARER = { order: 'A1002', orderVersion: 'version-2', amountMinor: 1299 };

let folder: string;
let now: number;
let store: TestStore;
let harness: StoreHarness;
let reconciliation: ReconciliationService;
let asked: TransactionQuery[];
/** What the provider does before it answers. */
let before: () => Promise<void> | void;
/** How each page ends; undefined where more follows as long as there is more. */
let end: PageEnd | undefined;
/** What the provider lists, newest first. */
let pages: TransactionRow[][];
const merchants = [
  testMerchant({ evidence: { failedStatuses: ['DECLINED'] } }),
  testMerchant({ id: 'bookshop', evidence: { matchFields: ['pspReference'], skewSeconds: 0 } }),
];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  now = START;
  asked = [];
  pages = [];
  end = undefined;
  before = () => undefined;
  const clock = { now: () => now };
  store = await TestStore.open({
    path: join(folder, 'data.sqlite'),
    clock,
    rules: TEST_RULES,
  });
  harness = new StoreHarness(store);
  const logger = createLogger('silent');
  reconciliation = new ReconciliationService({
    database: store.database,
    context: store.context,
    merchants: {
      find: (id) => Promise.resolve(merchants.find((merchant) => merchant.id === id)),
      all: () => Promise.resolve(merchants),
      close: () => Promise.resolve(),
    },
    gateway: {
      listTransactions: async (query) => {
        asked.push(query);
        await before();
        const at = Number(query.cursor ?? 0);
        return {
          rows: pages[at] ?? [],
          end: end ?? endAt(at + 1 < pages.length && String(at + 1)),
        };
      },
    },
    changes: new ChangeFeed(),
    clock,
    logger,
    loops: new RunLoops({ database: store.database, clock, logger, tickMs: 100 }),
    intervalMs: 0,
    pagesPerMinute: 1000,
  });
  await reconciliation.start();
});
afterEach(async () => {
  await reconciliation.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

function rowOf(references: Record<string, string>, changes: Partial<TransactionRow> = {}) {
  return {
    id: 'tx-1',
    transactionTime: new Date(now).toISOString(),
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: '9.99',
    references,
    ...changes,
  };
}

/** A hint about each attempt of a checkout. */
async function hint({ id }: Checkout): Promise<void> {
  await store.hint(id);
  reconciliation.wake();
}

const idOf = ({ orderId }: Attempt): string => String(orderId);
const outcomeOf = async ({ id }: Checkout) => {
  const { state, attention, refund } = (await store.find(id)) ?? {};
  return { state, attention, refund };
};
const OPEN = { state: 'open', attention: [], refund: 'none' };
const PAID = { state: 'paid', attention: [], refund: 'none' };

describe('one row that names two attempts', () => {
  it.each(['first', 'last'])(
    'pays the one whose price it shows, opened %s, and is no mismatch of the other',
    async (when) => {
      const early = when === 'last' && (await harness.activate(DEARER));
      const paid = await harness.activate();
      const dearer = early || (await harness.activate(DEARER));
      const names = { orderRef: idOf(paid.attempt), internalReference: idOf(dearer.attempt) };
      await reconciliation.reconcile(AT_PROVIDER, [rowOf(names)]);
      expect(await outcomeOf(paid.checkout)).toEqual(PAID);
      expect(await outcomeOf(dearer.checkout)).toEqual(OPEN);
    },
  );

  it('of the same price serves one of them only', async () => {
    const first = await harness.activate();
    const second = await harness.activate({ order: 'A1002' });
    const row = rowOf({ orderRef: idOf(first.attempt), internalReference: idOf(second.attempt) });
    await reconciliation.reconcile(AT_PROVIDER, [row]);
    await reconciliation.reconcile(AT_PROVIDER, [row]);
    const outcomes = [await outcomeOf(first.checkout), await outcomeOf(second.checkout)];
    expect(outcomes).toContainEqual(PAID);
    expect(outcomes).toContainEqual(OPEN);
  });

  it('is a mismatch of both when it shows the price of neither', async () => {
    const first = await harness.activate();
    const second = await harness.activate(DEARER);
    const row = rowOf(
      { orderRef: idOf(first.attempt), internalReference: idOf(second.attempt) },
      { amount: '1.00' },
    );
    await reconciliation.reconcile(AT_PROVIDER, [row]);
    const mismatched = { ...OPEN, attention: ['amount_mismatch'] };
    expect(await outcomeOf(first.checkout)).toEqual(mismatched);
    expect(await outcomeOf(second.checkout)).toEqual(mismatched);
  });
});

it('two merchant entries with one id at the provider each match by their own settings', async () => {
  const tea = await harness.activate();
  const book = await harness.activate({ merchant: 'bookshop' });
  await reconciliation.reconcile(AT_PROVIDER, [
    rowOf({ orderRef: idOf(book.attempt) }, { id: 'tx-1' }),
    rowOf({ pspReference: idOf(tea.attempt) }, { id: 'tx-2' }),
  ]);
  expect(await outcomeOf(tea.checkout)).toEqual(OPEN);
  expect(await outcomeOf(book.checkout)).toEqual(OPEN);
  await reconciliation.reconcile(AT_PROVIDER, [
    rowOf({ pspReference: idOf(book.attempt) }, { id: 'tx-3' }),
    rowOf({ orderRef: idOf(tea.attempt) }, { id: 'tx-4' }),
  ]);
  expect(await outcomeOf(tea.checkout)).toEqual(PAID);
  expect(await outcomeOf(book.checkout)).toEqual(PAID);
});

describe('a row with a status that means failed', () => {
  const declined = (attempt: Attempt) =>
    rowOf({ orderRef: idOf(attempt) }, { id: 'tx-0', status: 'DECLINED' });

  it('fails its checkout once the list was read to its end', async () => {
    const { checkout, attempt } = await harness.activate();
    await reconciliation.reconcile(AT_PROVIDER, [declined(attempt)]);
    expect(await outcomeOf(checkout)).toEqual(OPEN);
    pages = [[declined(attempt)], []];
    await reconciliation.poll(attempt);
    expect(await outcomeOf(checkout)).toMatchObject({ state: 'failed' });
  });

  it.each([
    ['on the same page', (row: TransactionRow, paid: TransactionRow) => [[row, paid]]],
    ['on a page further down', (row: TransactionRow, paid: TransactionRow) => [[row], [paid]]],
  ])('does not count next to a payment %s', async (_where, pagesOf) => {
    const { checkout, attempt } = await harness.activate();
    pages = pagesOf(declined(attempt), rowOf({ orderRef: idOf(attempt) }));
    await reconciliation.poll(attempt);
    expect(await outcomeOf(checkout)).toEqual(PAID);
    expect((await store.find(checkout.id))?.sequence).toBe(1);
  });

  it('does not count while a payment is in progress in its session, and after that it does', async () => {
    const { checkout, attempt } = await harness.activate();
    const sessionId = `session-${idOf(attempt)}`;
    await store.recordHint(checkout.id, { kind: 'submitted', sessionId });
    pages = [[declined(attempt)], []];
    await reconciliation.poll(attempt);
    expect(await outcomeOf(checkout)).toEqual(OPEN);
    now += TEST_RULES.settleWindowSeconds * 1000;
    await reconciliation.poll(attempt);
    expect(await outcomeOf(checkout)).toMatchObject({ state: 'failed' });
  });

  it('does not count after a read of a list that was cut off', async () => {
    const { checkout, attempt } = await harness.activate();
    pages = [[declined(attempt)]];
    end = { kind: 'incomplete', problem: 'missing_cursor' };
    await reconciliation.poll(attempt);
    expect(await outcomeOf(checkout)).toEqual(OPEN);
  });

  it('says nothing about the session that took the place of its own', async () => {
    const { checkout, attempt } = await harness.activate();
    const dearer = await harness.activate({ ...DEARER, order: 'A1001' });
    pages = [[declined(attempt)], []];
    await reconciliation.poll(dearer.attempt);
    expect(await outcomeOf(checkout)).toEqual(OPEN);
    expect(await outcomeOf(dearer.checkout)).toEqual(OPEN);
  });
});

it('a payment that every poll reads again is written once', async () => {
  const { checkout, attempt } = await harness.activate();
  const row = rowOf({ orderRef: idOf(attempt), paymentMethod: 'New Card' });
  const written = vi.spyOn(store.database, 'transaction');
  await reconciliation.reconcile(AT_PROVIDER, [row]);
  expect(written).toHaveBeenCalledTimes(1);
  await reconciliation.reconcile(AT_PROVIDER, [row]);
  expect(written).toHaveBeenCalledTimes(1);
  // More is known of it now, then it is refunded.
  const known = { ...row, references: { ...row.references, last4Digits: '0001' } };
  await reconciliation.reconcile(AT_PROVIDER, [known]);
  expect(written).toHaveBeenCalledTimes(2);
  await reconciliation.reconcile(AT_PROVIDER, [{ ...known, status: 'REFUNDED' }]);
  expect(written).toHaveBeenCalledTimes(3);
  await reconciliation.reconcile(AT_PROVIDER, [{ ...known, status: 'REFUNDED' }]);
  expect(written).toHaveBeenCalledTimes(3);
  expect(await outcomeOf(checkout)).toEqual({ ...PAID, refund: 'full' });
});

it('a scheduled poll shares the poller of those who wait', async () => {
  const { checkout, attempt } = await harness.activate();
  const gate = Promise.withResolvers<undefined>();
  before = () => gate.promise;
  await hint(checkout);
  await expect.poll(() => asked).toHaveLength(1);
  const planned = reconciliation.poll(attempt);
  // A poller of its own would have called by then.
  await store.ping();
  expect(asked).toHaveLength(1);
  gate.resolve(undefined);
  await planned;
  expect(asked.length).toBeGreaterThan(1);
});

it('a refund that stands on a page before its payment is read again as soon as the payment is', async () => {
  const { checkout, attempt } = await harness.activate();
  const names = { orderRef: idOf(attempt) };
  pages = [
    [rowOf(names, { id: 'tx-2', status: 'REFUNDED', amount: '4.00' })],
    [rowOf(names, { id: 'tx-1' })],
    [],
  ];
  await reconciliation.poll(attempt);
  await expect.poll(() => outcomeOf(checkout)).toEqual({ ...PAID, refund: 'partial' });
});

it.each([
  ['of anyone goes no further back than unpaid attempts are watched', true, 14],
  ['with a token of the checkout goes back to its creation', false, 317],
])('a hint about an old checkout %s', async (_what, isAnonymous, days) => {
  const { checkout } = await harness.activate();
  now += 317 * DAY_MS;
  // Its watch ends with this poll.
  await store.pollDue();
  now += MINUTE_MS;
  if (!isAnonymous) await hint(checkout);
  reconciliation.ask(checkout);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  const from = Math.min(...asked.map(({ fromDate }) => Date.parse(fromDate)));
  const further = Math.round((now - from) / DAY_MS) - days;
  expect([0, 1, 2]).toContain(further);
});

it('a checkout is polled for no longer than until it is paid', async () => {
  const { checkout, attempt } = await harness.activate();
  pages = [[rowOf({ orderRef: idOf(attempt) })]];
  await hint(checkout);
  await expect.poll(() => outcomeOf(checkout)).toEqual(PAID);
  now += 60 * MINUTE_MS;
  reconciliation.wake();
  for (let write = 0; write < 20; write += 1) await store.ping();
  expect(asked).toHaveLength(1);
});

it.each([
  ['that finds its payment', 0],
  ['at whose end its watch is over, of one that goes further back than it', 317],
])('a hint during the poll %s leads to one more', async (_what, days) => {
  const { checkout, attempt } = await harness.activate();
  now += days * DAY_MS;
  await store.pollDue();
  const gate = Promise.withResolvers<undefined>();
  before = () => (asked.length === 1 ? gate.promise : undefined);
  await hint(checkout);
  await expect.poll(() => asked).toHaveLength(1);
  await hint(checkout);
  if (days === 0) pages = [[rowOf({ orderRef: idOf(attempt) })]];
  else now += DAY_MS;
  gate.resolve(undefined);
  await expect.poll(() => asked).toHaveLength(2);
});

it('a hint during a backfill that has passed its rows leads to another one', async () => {
  const { checkout, attempt } = await harness.activate();
  const paid = rowOf({ orderRef: idOf(attempt) });
  const other = rowOf({}, { id: 'tx-0' });
  now += DAY_MS;
  const newest = rowOf({}, { id: 'tx-2', transactionTime: new Date(now - 1000).toISOString() });
  pages = [[newest], [other], [other], [other], [other]];
  const gate = Promise.withResolvers<undefined>();
  before = () => (asked.at(-1)?.cursor === '3' ? gate.promise : undefined);
  void reconciliation.poll({ ...AT_PROVIDER, merchant: 'teashop', createdAt: START - DAY_MS });
  await expect.poll(() => asked.at(-1)?.cursor).toBe('3');
  pages[2] = [paid];
  await hint(checkout);
  // The next poll, which goes on with the backfill, is the last for this hint.
  now += 2 * MINUTE_MS;
  gate.resolve(undefined);
  await expect.poll(() => outcomeOf(checkout)).toEqual(PAID);
});

describe('a hint about a checkout that is paid', () => {
  it('causes one poll, and finds what was paid in another session of it', async () => {
    const { checkout, attempt } = await harness.activate();
    await harness.pay(attempt.orderId, { transaction: 'tx-0' });
    pages = [[rowOf({ orderRef: idOf(attempt) })]];
    const paid = await store.find(checkout.id);
    if (paid) await hint(paid);
    await expect.poll(() => outcomeOf(checkout)).toEqual({ ...PAID, attention: ['paid_twice'] });
    await reconciliation.close();
    expect(asked).toHaveLength(1);
  });

  it('causes another poll when it comes during one', async () => {
    const { checkout, attempt } = await harness.activate();
    await harness.pay(attempt.orderId, { transaction: 'tx-0' });
    const paid = await store.find(checkout.id);
    const gate = Promise.withResolvers<undefined>();
    before = () => gate.promise;
    if (paid) await hint(paid);
    await expect.poll(() => asked).toHaveLength(1);
    if (paid) await hint(paid);
    before = () => undefined;
    gate.resolve(undefined);
    await expect.poll(() => asked).toHaveLength(2);
  });
});
