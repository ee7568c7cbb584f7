import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalsOf, toMinor } from '../money.js';
import { completeSettings } from '../settings.js';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';
import { History } from './history.js';
import type { TransactionRow } from './transaction.js';

const COUNT = 5000;
const { merchants: DEFAULT_MERCHANTS } = completeSettings({ apiKey: 'key' });

function makePast(seed?: string, count = COUNT): History {
  return new History({ count, seed }, DEFAULT_MERCHANTS);
}

function rowsOf(past: History): TransactionRow[] {
  return Array.from({ length: past.count }, (_, index) => past.rowAt(index));
}

function minor(row: TransactionRow, field: 'amount' | 'net' | 'deductions' | 'amountRefunded') {
  return toMinor(row[field] ?? '', decimalsOf(row.currencyCode ?? '')) ?? -1n;
}

function shareOf(rows: readonly TransactionRow[], test: (row: TransactionRow) => boolean): number {
  return rows.filter(test).length / rows.length;
}

describe('History', () => {
  const rows = rowsOf(makePast());

  it('makes the same bytes from the same seed, and different ones from another seed', () => {
    const digest = (seed?: string) =>
      createHash('sha256')
        .update(JSON.stringify(rowsOf(makePast(seed))))
        .digest('hex');
    expect(digest('a')).toBe(digest('a'));
    expect(digest('a')).not.toBe(digest('b'));
  });

  it('is in falling order of time, and finds each row by its id', () => {
    const past = makePast();
    const times = rows.map(({ transactionTime }) => Date.parse(transactionTime));
    expect(times.every((time, index) => index === 0 || time < (times[index - 1] ?? 0))).toBe(true);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(COUNT);
    expect(past.indexOf(rows[1234]?.id ?? '')).toBe(1234);
    expect(past.indexOf('txn_0000000000000001')).toBeUndefined();
    expect(rows.at(-1)?.transactionTime).toMatch(/^2025-01/);
    expect(rows[0]?.transactionTime).toMatch(/^2025-12-31/);
  });

  it('has all payment methods, merchants, resellers, currencies, and refunds', () => {
    const valuesOf = (field: keyof TransactionRow) => new Set(rows.map((row) => row[field]));
    expect(valuesOf('paymentMethod')).toEqual(
      new Set(['New Card', 'Saved Card', 'Apple Pay', 'Google Pay']),
    );
    expect(valuesOf('merchantId').size).toBe(DEFAULT_MERCHANTS.length);
    expect(valuesOf('currencyCode')).toEqual(new Set(['GBP', 'EUR', 'JPY', 'KWD']));
    expect(valuesOf('transactionModeId')).toEqual(new Set([1, 2]));
    expect(valuesOf('status')).toEqual(new Set(['SUCCESS', 'REFUNDED']));
    expect(shareOf(rows, ({ status }) => status === 'REFUNDED')).toBeCloseTo(0.04, 1);
  });

  it('adds up: net and deductions are the amount, a refund is part or all of it', () => {
    for (const row of rows) {
      expect(Object.keys(row)).toHaveLength(23);
      expect(minor(row, 'net') + minor(row, 'deductions')).toBe(minor(row, 'amount'));
      expect(minor(row, 'amountRefunded') <= minor(row, 'amount')).toBe(true);
      expect(minor(row, 'amountRefunded') === minor(row, 'amount')).toBe(row.status === 'REFUNDED');
    }
    const isPart = (row: TransactionRow) =>
      row.status === 'SUCCESS' && minor(row, 'amountRefunded') > 0n;
    expect(shareOf(rows, isPart)).toBeGreaterThan(0.005);
  });

  it('filters by what the row says', () => {
    const past = makePast();
    rows.forEach((row, index) => {
      const { time, merchantId, status } = past.traitsAt(index);
      expect({ time, merchantId, status }).toEqual({
        time: Date.parse(row.transactionTime),
        merchantId: row.merchantId,
        status: row.status,
      });
    });
  });

  it('finds the first row at or before any time', () => {
    const past = makePast();
    const oldest = past.timeAt(COUNT - 1);
    fc.assert(
      fc.property(fc.integer({ min: oldest - 5, max: past.timeAt(0) + 5 }), (time) => {
        const index = past.indexFrom(time);
        expect(index === 0 || past.timeAt(index - 1) > time).toBe(true);
        expect(index === COUNT || past.timeAt(index) <= time).toBe(true);
      }),
    );
  });

  it('refuses more rows than fit into their days', () => {
    expect(() => new History({ count: 90_000_000, days: 1 }, DEFAULT_MERCHANTS)).toThrow(
      'more days',
    );
  });
});

async function readAll(test: TestSandbox, query: object): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const reply = await test.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...reply.data.transactions);
    cursor = reply.pagination.nextCursor;
  } while (cursor !== undefined);
  return found;
}

describe('a history in the list', () => {
  const history = { count: 3000, days: 300 };

  it('is the same over any page size, and filtered exactly', async () => {
    const test = await startSandbox({ history });
    const all = await readAll(test, { limit: 1000 });
    expect(all).toHaveLength(3000);
    expect(await readAll(test, { limit: 77 })).toEqual(all);
    const query = {
      status: ['REFUND'],
      resellerId: 7002,
      fromDate: '2025-06-01',
      toDate: '2025-09-30',
    };
    expect(await readAll(test, { ...query, limit: 3 })).toEqual(
      all.filter(
        (row) =>
          row['status'] === 'REFUNDED' &&
          [1004, 1005].includes(Number(row['merchantId'])) &&
          String(row['transactionTime']) >= '2025-06-01' &&
          String(row['transactionTime']) < '2025-10-01',
      ),
    );
  });

  it('can be refunded and hidden like any other', async () => {
    const test = await startSandbox({ history });
    const paid = (await test.list({ status: ['SUCCESS'], limit: 50 })).data.transactions.find(
      ({ amountRefunded }) => amountRefunded === 0,
    );
    const id = String(paid?.['id']);
    await test.post(`/_sandbox/transactions/${id}/refund`, {});
    const [refunded] = (
      await test.list({ status: ['REFUND'], limit: 50 })
    ).data.transactions.filter((row) => row['id'] === id);
    expect(refunded).toMatchObject({ status: 'REFUNDED', amountRefunded: paid?.['amount'] });
    await test.post(`/_sandbox/transactions/${id}/visibility`, { seconds: 60 });
    expect((await readAll(test, { limit: 1000 })).map((row) => row['id'])).not.toContain(id);
  });

  it('can be replaced while the sandbox runs, and comes back with a reset', async () => {
    const test = await startSandbox({ history: { count: 3 } });
    const before = await test.listIds();
    const answer = await test.post('/_sandbox/history', { count: 5, seed: 'other' });
    expect(answer.body).toEqual({ count: 5 });
    expect(await test.listIds()).toHaveLength(5);
    await test.post('/_sandbox/reset', {});
    expect(await test.listIds()).toEqual(before);
    expect((await test.post('/_sandbox/history', { count: -1 })).status).toBe(400);
  });

  it('shows the full and the reduced variant, and a mix of both', async () => {
    const test = await startSandbox({ history, transactionVariant: 'full' });
    const fieldsOf = async () =>
      new Set(
        (await test.list({ limit: 50 })).data.transactions.map((row) => Object.keys(row).length),
      );
    expect(await fieldsOf()).toEqual(new Set([20]));
    await test.setSwitches({ transactionVariant: 'reduced' });
    expect(await fieldsOf()).toEqual(new Set([14]));
    await test.setSwitches({ transactionVariant: 'mixed' });
    expect(await fieldsOf()).toEqual(new Set([20, 14]));
    expect((await test.setSwitches({ transactionVariant: 'half' })).status).toBe(400);
  });

  it('refuses cursors after their lifetime, when they have one', async () => {
    const test = await startSandbox({ history, cursorLifetimeSeconds: 60 });
    const { nextCursor: cursor } = (await test.list()).pagination;
    expect((await test.post('/v1/transactions/list', { cursor })).status).toBe(200);
    test.sandbox.control.clock.advance(61);
    const answer = await test.post('/v1/transactions/list', { cursor });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field: 'cursor' }]);
  });
});
