import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { IgnoredRows } from '../observer.js';
import type { TransactionRow } from '../provider/gateway.js';
import { sql } from '../store/sql.js';
import { AT_PROVIDER, StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestStore } from '../testing/test-store.js';
import { PageRecorder } from './page-recorder.js';

const START = Date.UTC(2026, 0, 1);
type Five = [Attempt, Attempt, Attempt, Attempt, Attempt];
const STORED = 'poll:store-match';

let folder: string;
let now: number;
let store: TestStore;
let harness: StoreHarness;
let recorder: PageRecorder;
let ignored: Partial<IgnoredRows>[];
let logged: { readonly fields: unknown; readonly message: string }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'page-recorder-'));
  now = START;
  ignored = [];
  logged = [];
  const clock = { now: () => now };
  store = await TestStore.open({ path: join(folder, 'data.sqlite'), clock, rules: TEST_RULES });
  harness = new StoreHarness(store);
  const merchants = [testMerchant({ evidence: { failedStatuses: ['DECLINED'] } })];
  recorder = new PageRecorder({
    database: store.database,
    context: store.context,
    merchants: { all: () => Promise.resolve(merchants) },
    clock,
    logger: {
      warn: () => undefined,
      error: (fields, message) => logged.push({ fields, message }),
    },
    observer: {
      rowsIgnored: (rows) => ignored.push(rows),
      unknownOrderIdsSeen: () => undefined,
    },
    onChange: () => undefined,
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

function rowOf({ orderId, merchantReference }: Attempt, changes: Partial<TransactionRow> = {}) {
  return {
    id: `tx-${String(orderId)}`,
    transactionTime: new Date(now).toISOString(),
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: '9.99',
    references: { orderRef: merchantReference },
    ...changes,
  };
}

const openOrders = async (count: number): Promise<Attempt[]> => {
  const attempts: Attempt[] = [];
  for (let at = 0; at < count; at += 1) {
    attempts.push((await harness.activate({ order: `B${String(at)}` })).attempt);
  }
  return attempts;
};
const record = (...rows: TransactionRow[]) => recorder.record(AT_PROVIDER, rows);
const stateOf = async ({ checkout }: Attempt) => (await store.find(checkout))?.state;
const statesOf = (attempts: readonly Attempt[]) => Promise.all(attempts.map(stateOf));
const countStored = () => store.begun.filter((name) => name === STORED).length;
const run = (text: ReturnType<typeof sql>) =>
  store.database.transaction('test:schema', (tx) => tx.run(text));

describe('a page', () => {
  // No transaction takes too long.
  beforeEach(() => vi.spyOn(performance, 'now').mockReturnValue(0));

  it('is stored together, and nothing is written when it is read again', async () => {
    const attempts = await openOrders(5);
    const [paid, refunded, wrong, declined, charged] = attempts as Five;
    const refund = { id: 'refund', status: 'REFUNDED', amount: '4.00' };
    const page = [
      rowOf(paid),
      rowOf(refunded, refund),
      rowOf(refunded),
      rowOf(wrong, { amount: '1.00' }),
      rowOf(declined, { status: 'DECLINED' }),
      rowOf(charged, { status: 'CHARGEBACK' }),
      rowOf(charged, { id: undefined }),
    ];
    await record(...page);
    expect(countStored()).toBe(1);
    expect(await statesOf(attempts)).toEqual(['paid', 'paid', 'open', 'open', 'open']);
    expect(await store.find(refunded.checkout)).toMatchObject({ refund: 'partial' });
    expect(await store.find(wrong.checkout)).toMatchObject({ attention: ['amount_mismatch'] });
    await record(...page);
    await record(...page.toReversed());
    expect(countStored()).toBe(1);
  });

  it('is stored in slices, between which others write', async () => {
    const attempts = await openOrders(60);
    let isRecorded = false;
    const recording = record(...attempts.map((attempt) => rowOf(attempt))).then(() => {
      isRecorded = true;
    });
    await harness.activate({ order: 'C1' });
    expect(isRecorded).toBe(false);
    await recording;
    expect(new Set(await statesOf(attempts))).toEqual(new Set(['paid']));
    expect(countStored()).toBe(6);
  });

  it('leaves to the next transaction what would take too long', async () => {
    const attempts = await openOrders(4);
    let passed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (passed += 16));
    await record(...attempts.map((attempt) => rowOf(attempt)));
    vi.restoreAllMocks();
    expect(countStored()).toBe(4);
    expect(new Set(await statesOf(attempts))).toEqual(new Set(['paid']));
  });

  it('pays by all rows first: one that names another attempt is no mismatch of that', async () => {
    const dearer = await harness.activate({ orderVersion: 'version-2', amountMinor: 1299 });
    const attempts = await openOrders(30);
    const [last] = attempts.slice(-1) as [Attempt];
    const references = { orderRef: last.merchantReference };
    const both = { ...references, internalReference: String(dearer.attempt.orderId) };
    const rows = attempts.map((attempt) => rowOf(attempt));
    await record(...rows.slice(0, -1), rowOf(last, { references: both }));
    expect(countStored()).toBe(4);
    expect(await stateOf(last)).toBe('paid');
    expect(await store.find(dearer.checkout.id)).toMatchObject({ attention: [] });
  });
});

describe('an order that cannot be stored', () => {
  const refuseB1 = () =>
    run(sql`
      CREATE TRIGGER refuse BEFORE UPDATE ON checkouts WHEN old.order_name = 'B1'
      BEGIN SELECT raise(ABORT, 'refused'); END`);

  it('keeps no other order of its page from being stored, and is reported', async () => {
    const attempts = await openOrders(3);
    const rows = attempts.map((attempt) => rowOf(attempt));
    await refuseB1();
    await record(...rows);
    expect(await statesOf(attempts)).toEqual(['paid', 'open', 'paid']);
    await record(...rows);
    expect(ignored.filter(({ notStored }) => notStored === 1)).toHaveLength(2);
    expect(logged).toEqual([
      {
        fields: expect.objectContaining({ order: 'B1', transaction: rows[1]?.id }) as unknown,
        message: 'what the provider lists of an order could not be stored',
      },
    ]);
    await run(sql`DROP TRIGGER refuse`);
    await record(...rows);
    expect(await stateOf(attempts[1] as Attempt)).toBe('paid');
  });

  it('is read for again within a minute', async () => {
    const [first, poor] = (await openOrders(2)) as [Attempt, Attempt];
    for (let polls = 0; polls < 9; polls += 1) {
      now += 21_600_000;
      await store.pollDue();
    }
    await refuseB1();
    await record(rowOf(first), rowOf(poor));
    now += 60_000;
    const due = await store.pollDue();
    expect(due.map(({ orderId }) => orderId)).toEqual([poor.orderId]);
  });

  it('is not failed by a read that met its payment', async () => {
    const [, poor] = (await openOrders(2)) as [Attempt, Attempt];
    await record(rowOf(poor, { id: 'tx-0', status: 'DECLINED' }));
    await refuseB1();
    await record(rowOf(poor));
    await run(sql`DROP TRIGGER refuse`);
    const read = { ...AT_PROVIDER, startedAt: now + 1, sinceMs: 0 };
    await recorder.settle(read);
    expect(await stateOf(poor)).toBe('open');
    await record(rowOf(poor));
    expect(await stateOf(poor)).toBe('paid');
  });

  it('fails the page where nothing can be stored', async () => {
    const attempts = await openOrders(2);
    store.failing.add(STORED);
    store.failing.add('poll:plan-again');
    const rows = attempts.map((attempt) => rowOf(attempt));
    await expect(record(...rows)).rejects.toThrow('the disk is full');
  });
});
