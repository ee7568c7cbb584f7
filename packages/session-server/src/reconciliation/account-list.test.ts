import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../checkouts/change-feed.js';
import type { Attempt } from '../checkouts/attempt-repository.js';
import type { AccountSettings, Merchant } from '../merchants/merchant.js';
import type { IgnoredRows } from '../observer.js';
import type { TransactionQuery, TransactionRow } from '../provider/gateway.js';
import { endAt } from '../testing/page-end.js';
import { StoreHarness, TEST_RULES } from '../testing/store-harness.js';
import { testMerchant } from '../testing/test-merchant.js';
import { getCounter, setCounter } from '../store/database.js';
import { sql } from '../store/sql.js';
import { TestStore } from '../testing/test-store.js';
import { reportFailure } from './failures.js';
import { RunLoops } from '../run-loop.js';
import { ReconciliationService } from './service.js';

const START = Date.UTC(2026, 0, 20, 12);
const MINUTE_MS = 60_000;
const BOOKS = { merchant: 'bookshop', providerMerchantId: 1002 };

let folder: string;
let now: number;
let store: TestStore;
let harness: StoreHarness;
let merchants: Merchant[];
let accounts: Map<string, AccountSettings>;
/** What the provider lists, newest first; the filter by merchant knows whose a row without one is. */
let rows: (TransactionRow & { readonly of: number })[];
let asked: TransactionQuery[];
let ignored: Partial<IgnoredRows>[];
let logged: string[];
let unknownOrderIds: number;
let reconciliation: ReconciliationService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'account-list-'));
  now = START;
  merchants = [testMerchant(), testMerchant({ id: 'bookshop', providerMerchantId: 1002 })];
  accounts = new Map();
  rows = [];
  asked = [];
  ignored = [];
  logged = [];
  unknownOrderIds = 0;
  const clock = { now: () => now };
  store = await TestStore.open({ path: join(folder, 'data.sqlite'), clock, rules: TEST_RULES });
  harness = new StoreHarness(store);
  const log = (_fields: unknown, message: string): void => {
    logged.push(message);
  };
  const logger = { debug: () => undefined, info: log, warn: log, error: log };
  reconciliation = new ReconciliationService({
    database: store.database,
    context: store.context,
    merchants: {
      find: (id) => Promise.resolve(merchants.find((merchant) => merchant.id === id)),
      all: () => Promise.resolve(merchants),
      accounts: () => Promise.resolve(accounts),
      close: () => Promise.resolve(),
    },
    gateway: {
      listTransactions: (query) => {
        asked.push(query);
        const { providerMerchantId } = query;
        const listed = rows.filter(
          ({ of }) => providerMerchantId === undefined || of === providerMerchantId,
        );
        return Promise.resolve({ rows: listed, end: endAt(false) });
      },
    },
    changes: new ChangeFeed(),
    clock,
    logger,
    loops: new RunLoops({ database: store.database, clock, logger, tickMs: 100 }),
    intervalMs: 0,
    pagesPerMinute: 1000,
    observer: {
      polled: () => undefined,
      rowsIgnored: (count) => ignored.push(count),
      unknownOrderIdsSeen: (count) => {
        unknownOrderIds += count;
      },
    },
  });
});
afterEach(async () => {
  await reconciliation.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Lists a payment of an attempt. */
function list(attempt: Attempt, changes: Partial<TransactionRow> = {}): void {
  const { providerMerchantId, merchantReference } = attempt;
  rows.unshift({
    id: `tx-${String(rows.length + 1)}`,
    transactionTime: new Date(now).toISOString(),
    status: 'SUCCESS',
    merchantId: providerMerchantId,
    currencyCode: 'GBP',
    amount: '9.99',
    references: { orderRef: merchantReference },
    of: providerMerchantId,
    ...changes,
  });
}

const poll = (attempt: Attempt) => reconciliation.poll(attempt);
const report = ({ orderId }: Attempt) =>
  store.database.transaction('test:report', (tx) => reportFailure(tx, orderId, now));
const stateOf = async ({ checkout }: Attempt) => (await store.find(checkout))?.state;
const lists = () => [...new Set(asked.map(({ providerMerchantId }) => providerMerchantId))];

describe('the list of an account', () => {
  it('is read once for all of its merchants, and each row pays an order of its own merchant', async () => {
    const { attempt: tea } = await harness.activate();
    const { attempt: book } = await harness.activate(BOOKS);
    list(tea);
    list(book);
    await poll(tea);
    expect(await stateOf(tea)).toBe('paid');
    expect(await stateOf(book)).toBe('paid');
    expect(asked).toHaveLength(1);
    expect(lists()).toEqual([undefined]);
  });

  it('is asked for as often for 10,000 merchants whose shoppers wait as for 10', async () => {
    const { attempt } = await harness.activate();
    const merchant = testMerchant();
    const countCalls = async (count: number): Promise<number> => {
      merchants = Array.from({ length: count }, (_, at) => ({
        ...merchant,
        id: `shop-${String(at)}`,
        providerMerchantId: 2000 + at,
      }));
      asked = [];
      await Promise.all(
        merchants.map(({ id, providerMerchantId }) =>
          reconciliation.poll({ ...attempt, merchant: id, providerMerchantId }),
        ),
      );
      return asked.length;
    };
    expect(await countCalls(10)).toBeLessThanOrEqual(3);
    expect(await countCalls(10_000)).toBeLessThanOrEqual(3);
    expect(lists()).toEqual([undefined]);
  });

  it.each<[string, Partial<TransactionRow>]>([
    ['names its order', {}],
    ['is a newer version of its payment', { id: 'tx-1', status: 'REFUNDED', references: {} }],
    [
      'shares the reference of its payment',
      { id: 'tx-9', status: 'REFUNDED', references: { pspReference: 'psp-1' } },
    ],
  ])('has a row of another merchant that %s: it changes nothing', async (_what, changes) => {
    const { attempt } = await harness.activate();
    if (changes.id !== undefined) {
      list(attempt, {
        references: { orderRef: attempt.merchantReference, pspReference: 'psp-1' },
      });
      await poll(attempt);
      now += MINUTE_MS;
    }
    const before = await store.find(attempt.checkout);
    list(attempt, { ...changes, merchantId: 1002 });
    list(attempt, { ...changes, merchantId: 4711 });
    await poll(attempt);
    expect(await store.find(attempt.checkout)).toEqual(before);
  });

  it('has rows of merchants that no one here knows: they are counted, and no reason to worry', async () => {
    await harness.activate(BOOKS);
    now += MINUTE_MS;
    const { attempt } = await harness.activate();
    const references = { orderRef: String(attempt.orderId - 1) };
    list(attempt, { merchantId: 4711, references });
    list(attempt, { merchantId: NaN, references });
    await poll(attempt);
    expect(ignored).toEqual([{ unknownMerchant: 2, noMerchant: 0 }]);
    expect([unknownOrderIds, logged]).toEqual([0, []]);
    list(attempt, { references });
    await poll(attempt);
    expect(unknownOrderIds).toBe(1);
  });

  it('has rows of a merchant that was removed: they are ignored like those', async () => {
    const { attempt: book } = await harness.activate(BOOKS);
    const { attempt: tea } = await harness.activate();
    merchants = merchants.slice(0, 1);
    list(book);
    await poll(tea);
    await poll(book);
    expect(await stateOf(book)).toBe('open');
    expect(ignored).toEqual([{ unknownMerchant: 1, noMerchant: 0 }]);
  });

  it('has rows of an id that a merchant had before: they pay the attempts that were made with it', async () => {
    const { attempt } = await harness.activate({ providerMerchantId: 1003 });
    list(attempt);
    await poll(attempt);
    expect(await stateOf(attempt)).toBe('paid');
    expect(ignored).toEqual([{ unknownMerchant: 0, noMerchant: 0 }]);
  });

  it('has a row that cannot be stored: it does not keep the orders of others from being paid', async () => {
    // The first to be stored.
    const { attempt: book } = await harness.activate(BOOKS);
    const { attempt: tea } = await harness.activate();
    list(tea);
    list(book);
    const run = (text: ReturnType<typeof sql>) =>
      store.database.transaction('test:schema', (tx) => tx.run(text));
    await run(sql`
      CREATE TRIGGER refuse BEFORE UPDATE ON checkouts WHEN old.merchant = 'bookshop'
      BEGIN SELECT raise(ABORT, 'refused'); END`);
    await poll(tea);
    expect([await stateOf(tea), await stateOf(book)]).toEqual(['paid', 'open']);
    expect(logged).toEqual(['what the provider lists of an order could not be stored']);
    expect(ignored).toContainEqual({ notStored: 1 });
    await run(sql`DROP TRIGGER refuse`);
    await poll(book);
    expect(await stateOf(book)).toBe('paid');
  });

  it('is matched by the rules of each merchant: a refund without the match fields of its own counts', async () => {
    merchants = [
      testMerchant({ evidence: { matchFields: ['orderRef'] } }),
      testMerchant({
        ...{ id: 'bookshop', providerMerchantId: 1002 },
        evidence: { matchFields: ['internalReference'] },
      }),
    ];
    const { attempt } = await harness.activate();
    list(attempt);
    await poll(attempt);
    const references = { internalReference: 'of no meaning to the tea shop' };
    list(attempt, { id: 'tx-1', status: 'REFUNDED', references });
    await poll(attempt);
    expect(await store.find(attempt.checkout)).toMatchObject({ state: 'paid', refund: 'full' });
  });
});

describe('a row of the account’s list without a merchant', () => {
  it('pays the attempt whose MerchantReference it carries, and its refund refunds it', async () => {
    const { attempt: tea } = await harness.activate();
    list(tea, { merchantId: undefined });
    await poll(tea);
    expect(await stateOf(tea)).toBe('paid');
    list(tea, { id: 'tx-1', merchantId: undefined, status: 'REFUNDED', references: {} });
    await poll(tea);
    expect(await store.find(tea.checkout)).toMatchObject({ refund: 'full' });
  });

  it('proves nothing by an order_id alone: another store at the account may have given the same one', async () => {
    const { attempt: tea } = await harness.activate();
    const path = join(folder, 'other.sqlite');
    const other = await TestStore.open({ path, clock: { now: () => now }, rules: TEST_RULES });
    const offset = (await getCounter(store.database, 'order_id_offset')) ?? 0;
    await other.database.transaction('test:offset', (tx) =>
      setCounter(tx, 'order_id_offset', offset),
    );
    const { attempt: book } = await new StoreHarness(other).activate({ ...BOOKS, order: 'B7' });
    await other.close();
    expect(book.orderId).toBe(tea.orderId);
    const references = { orderRef: String(book.orderId) };
    list(book, { merchantId: undefined, references });
    await poll(tea);
    expect(await stateOf(tea)).toBe('open');
    list(tea, { merchantId: undefined });
    await poll(tea);
    expect(await stateOf(tea)).toBe('paid');
  });

  it('is counted at each poll, and warned of once an hour', async () => {
    const { attempt } = await harness.activate();
    list(attempt, { merchantId: undefined });
    list(attempt, { merchantId: undefined, references: {} });
    await poll(attempt);
    await poll(attempt);
    const counted = { unknownMerchant: 0, noMerchant: 2 };
    expect(ignored).toEqual([counted, counted]);
    expect(logged).toEqual(['rows of the account’s list have no merchantId']);
    now += 60 * MINUTE_MS;
    await poll(attempt);
    expect(logged).toHaveLength(2);
    expect(lists()).toEqual([undefined]);
  });

  it('settles no failure of an attempt that it names by its order_id: it may be its payment', async () => {
    const { attempt } = await harness.activate();
    await report(attempt);
    now += MINUTE_MS;
    list(attempt, { merchantId: undefined, references: { orderRef: String(attempt.orderId) } });
    await poll(attempt);
    expect(await stateOf(attempt)).toBe('open');
    list(attempt);
    await poll(attempt);
    expect(await stateOf(attempt)).toBe('paid');
  });
});

describe('a failure that a webhook reported', () => {
  it('counts after a complete read of the account’s list, for each of its merchants', async () => {
    const { attempt: tea } = await harness.activate();
    const { attempt: book } = await harness.activate(BOOKS);
    for (const attempt of [tea, book]) await report(attempt);
    now += MINUTE_MS;
    await poll(tea);
    expect([await stateOf(tea), await stateOf(book)]).toEqual(['failed', 'failed']);
    expect(asked).toHaveLength(1);
  });

  it('counts for no one whose payment that read may not have met', async () => {
    merchants = [
      merchants[0],
      { ...merchants[1], evidence: { ...merchants[1]?.evidence, skewSeconds: 9999 } },
    ] as Merchant[];
    const { attempt: book } = await harness.activate(BOOKS);
    now += MINUTE_MS;
    const { attempt: tea } = await harness.activate();
    for (const attempt of [tea, book]) await report(attempt);
    now += MINUTE_MS;
    await poll(tea);
    expect([await stateOf(tea), await stateOf(book)]).toEqual(['failed', 'open']);
  });
});

describe('an account whose list does not show its merchants', () => {
  it('is read by the list of each of them', async () => {
    accounts.set('default', { transactionList: 'merchant' });
    const { attempt: tea } = await harness.activate();
    const { attempt: book } = await harness.activate(BOOKS);
    list(tea, { merchantId: undefined });
    list(book);
    await poll(tea);
    expect([await stateOf(tea), await stateOf(book)]).toEqual(['paid', 'open']);
    await poll(book);
    expect(await stateOf(book)).toBe('paid');
    expect(lists()).toEqual([1001, 1002]);
    expect(ignored).toEqual([]);
  });
});
