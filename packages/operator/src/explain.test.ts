import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  TransactionList,
  TransactionQuery,
} from '../../session-server/src/provider/gateway.js';
import { TestStore } from '../../session-server/src/testing/test-store.js';
import { StoreHarness, TEST_RULES } from '../../session-server/src/testing/store-harness.js';
import type { AccountSettings } from '../../session-server/src/merchants/merchant.js';
import { testMerchant } from '../../session-server/src/testing/test-merchant.js';
import type { TransactionRow } from '../../session-server/src/provider/gateway.js';
import { type ExplainOptions, explainOrder } from './explain.js';
import { endAt } from '../../session-server/src/testing/page-end.js';

const NOW = Date.UTC(2026, 0, 1);

describe('explaining an order', () => {
  let folder: string;
  let store: TestStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'explain-'));
    const path = join(folder, 'data.sqlite');
    store = await TestStore.open({ path, clock: { now: () => NOW }, rules: TEST_RULES });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const accounts = new Map<string, AccountSettings>();
  const shared = () => ({
    merchant: testMerchant(),
    order: 'A1001',
    database: store.database,
    merchants: { accounts: () => Promise.resolve(accounts) },
    waitForPage: () => Promise.resolve(),
    signal: new AbortController().signal,
    now: NOW,
  });
  const explain = (
    listTransactions: (query: TransactionQuery) => readonly TransactionRow[],
    quota: Partial<Pick<ExplainOptions, 'waitForPage' | 'signal'>> = {},
  ) => {
    let page = 0;
    return explainOrder({
      ...{ ...shared(), ...quota },
      gateway: {
        listTransactions: (query) => {
          const rows = listTransactions(query);
          page += 1;
          return Promise.resolve({ rows, end: endAt(rows.length > 0 && `page ${String(page)}`) });
        },
      },
    });
  };

  it('says how many rows could not be read, since any of them may be about the order', async () => {
    await new StoreHarness(store).activate();
    const unreadable = { count: 3, first: [{ index: 0, kind: 'null' }] };
    const lines = await explainOrder({
      ...shared(),
      gateway: {
        listTransactions: () =>
          Promise.resolve({ rows: [], unreadable, end: { kind: 'complete' } }),
      },
    });
    expect(lines.at(-2)).toBe(
      'Rows of the list that could not be read: 3. Any may be about this order.',
    );
  });

  it('concludes nothing from a list that is cut off', async () => {
    await new StoreHarness(store).activate();
    const lines = await explainOrder({
      ...shared(),
      gateway: {
        listTransactions: () =>
          Promise.resolve({ rows: [], end: { kind: 'incomplete', problem: 'missing_cursor' } }),
      },
    });
    expect(lines.slice(-2)).toEqual([
      '    no transaction that was read names this order',
      expect.stringMatching(/^0 transactions read, and others may be missing: /),
    ]);
  });

  const rowOf = (orderId: number): TransactionRow => ({
    id: 'tx-1',
    transactionTime: '2026-01-01T00:01:00.000Z',
    status: 'SUCCESS',
    merchantId: 1001,
    currencyCode: 'GBP',
    amount: '9.99',
    references: { orderRef: String(orderId) },
  });

  it('says that a transaction does not count when it has paid another checkout', async () => {
    const harness = new StoreHarness(store);
    const { attempt } = await harness.activate();
    const other = await harness.activate({ order: 'A1002' });
    await harness.pay(other.attempt.orderId);
    const row = rowOf(attempt.orderId);
    const lines = await explain(({ cursor }) => (cursor === undefined ? [row] : []));
    expect(lines.join('\n')).toContain(
      `9.99 GBP: does not count: it serves the checkout ${other.checkout.id}`,
    );
  });

  it.each<[string, Partial<TransactionRow>]>([
    ['counts', {}],
    ['counts, refunded 9.99', { status: 'REFUNDED' }],
    ['does not count: the row has no id', { id: undefined }],
    ['does not count: the row is of another merchant', { merchantId: 1002 }],
    ['does not count: the row has no status', { status: undefined }],
    ['does not count: the status is not in the paid list', { status: 'PENDING' }],
    [
      'does not count: the row has no transactionTime that can be read',
      { transactionTime: '01/01/2026' },
    ],
    [
      'does not count, and needs a person: time_mismatch',
      { transactionTime: '2025-12-31T00:00:00Z' },
    ],
    [
      'does not count: money was refunded, and no row shows the payment of the price',
      { status: 'REFUNDED', amount: '1.00' },
    ],
    ['does not count, and needs a person: amount_mismatch', { amount: '1.00' }],
    ['does not count, and needs a person: currency_mismatch', { currencyCode: 'EUR' }],
    ['does not count, and needs a person: currency_missing', { currencyCode: undefined }],
  ])('says of a transaction that it %s', async (said, changes) => {
    const { attempt } = await new StoreHarness(store).activate();
    const row = { ...rowOf(attempt.orderId), ...changes };
    const lines = await explain(({ cursor }) => (cursor === undefined ? [row] : []));
    expect(lines.filter((line) => line.endsWith(`: ${said}`))).toHaveLength(1);
  });

  it.each([
    ['in another case', (reference: string) => reference.toLowerCase()],
    ['with a zero before its number', (_: string, orderId: number) => `0${String(orderId)}`],
    ['with spaces around it', (reference: string) => ` ${reference} `],
    ['cut off', (reference: string) => reference.split('.')[0] ?? ''],
  ])('shows a transaction that names the order %s, and why that is no match', async (_, name) => {
    const { attempt } = await new StoreHarness(store).activate();
    const orderRef = name(attempt.merchantReference, attempt.orderId);
    const row = { ...rowOf(0), references: { orderRef } };
    const lines = await explain(({ cursor }) => (cursor === undefined ? [row] : []));
    expect(lines.join('\n')).toContain('tx-1 2026-01-01T00:01:00.000Z SUCCESS 9.99 GBP: does not');
    expect(lines.join('\n')).toContain(
      'no match field carries this attempt’s order_id or MerchantReference',
    );
  });

  it('distinguishes a second payment from the one that paid, and from a refund of it', async () => {
    const harness = new StoreHarness(store);
    const { attempt } = await harness.activate();
    await harness.pay(attempt.orderId, { transaction: 'tx-1' });
    await harness.pay(attempt.orderId, { transaction: 'tx-2' });
    const row = rowOf(attempt.orderId);
    const rows = [
      row,
      { ...row, id: 'tx-2' },
      { ...row, id: 'tx-3', status: 'REFUNDED', amount: '4.00' },
    ];
    const lines = await explain(({ cursor }) => (cursor === undefined ? rows : []));
    const said = lines.filter((line) => line.startsWith('    ')).map((line) => line.trim());
    expect(said.map((line) => line.split(': ').at(-1))).toEqual([
      'counts',
      'counts, in addition to the payment tx-1',
      'counts, refunded 4.00',
    ]);
  });

  it('says that a mismatch serves another checkout when it has paid that one', async () => {
    const harness = new StoreHarness(store);
    const { attempt } = await harness.activate();
    const other = await harness.activate({ order: 'A1002' });
    await harness.pay(other.attempt.orderId);
    const row = { ...rowOf(attempt.orderId), amount: '1.00' };
    const lines = await explain(({ cursor }) => (cursor === undefined ? [row] : []));
    expect(lines.join('\n')).toContain(
      `does not count: it serves the checkout ${other.checkout.id}`,
    );
  });

  it('says of a payment that the server has not recorded how to find out why', async () => {
    const { attempt } = await new StoreHarness(store).activate();
    const why = async () => {
      const lines = await explain(({ cursor }) =>
        cursor === undefined ? [rowOf(attempt.orderId)] : [],
      );
      return lines.filter((line) => line.includes('"pay-session-server check"'));
    };
    expect(await why()).toHaveLength(1);
    accounts.set('default', { transactionList: 'merchant' });
    expect(await why()).toEqual([]);
    accounts.clear();
    await new StoreHarness(store).pay(attempt.orderId);
    expect(await why()).toEqual([]);
  });

  it('says that there is more when it has not read all', async () => {
    await new StoreHarness(store).activate();
    const lines = await explain(() => [rowOf(1)]);
    expect(lines.at(-1)).toMatch(/^The newest 200 transactions were read, and older ones were not/);
  });

  it('takes each page of the quota of its list, and requests none before', async () => {
    await new StoreHarness(store).activate({ providerMerchantId: 1002 });
    const steps: string[] = [];
    const read = ({ cursor = 'first' }: TransactionQuery) => {
      steps.push(cursor);
      return cursor === 'first' ? [rowOf(1)] : [];
    };
    const waitForPage = ({ account, providerMerchantId }: TransactionList) => {
      steps.push(`quota of ${account} ${String(providerMerchantId)}`);
      return Promise.resolve();
    };
    await explain(read, { waitForPage });
    const quota = 'quota of default 1002';
    expect(steps).toEqual([quota, 'first', quota, 'page 1']);
  });

  it('says that there is more when its time is over before the quota has a page', async () => {
    await new StoreHarness(store).activate();
    const time = new AbortController();
    let pages = 0;
    const waitForPage = () => {
      if (pages === 2) time.abort();
      return Promise.resolve();
    };
    const read = () => [rowOf((pages += 1))];
    const lines = await explain(read, { waitForPage, signal: time.signal });
    expect(pages).toBe(2);
    expect(lines.at(-1)).toMatch(/^The newest 2 transactions were read, and older ones were not/);
  });

  it('asks for the transactions of each id that the merchant had at the provider', async () => {
    const harness = new StoreHarness(store);
    await harness.activate({ providerMerchantId: 1002 });
    const asked: unknown[] = [];
    await explain(({ providerMerchantId }) => {
      asked.push(providerMerchantId);
      return [];
    });
    expect(asked).toEqual([1002]);
  });

  it('shows of each attempt what its own account lists', async () => {
    const harness = new StoreHarness(store);
    const { attempt } = await harness.activate();
    const renew = `session-${String(attempt.orderId)}`;
    const moved = await harness.activate({ account: 'north', renew });
    // One id: the row of each account names the attempt at the other one too.
    const row = { ...rowOf(attempt.orderId), id: 'tx-both' };
    const other = { ...row, references: { orderRef: String(moved.attempt.orderId) } };
    const lines = await explain(({ account, cursor }) => {
      if (cursor !== undefined) return [];
      return account === 'north' ? [row] : [other];
    });
    const shown = lines.filter((line) => line.startsWith('    '));
    expect(shown).toEqual(Array(2).fill('    no transaction names this order'));
  });
});
