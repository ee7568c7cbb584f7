import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startSandbox, type TestSandbox } from '../testing/test-sandbox.js';

const APPROVED = '9000000000000001';

function addRow(test: TestSandbox, row: Readonly<Record<string, unknown>>): void {
  test.sandbox.control.addTransaction({ row });
}

describe('POST /v1/transactions/list', () => {
  it('lists a paid session with every field of section 2.1', async () => {
    const test = await startSandbox();
    const session = await test.openSession({ Amount: '12.30', order_id: 71 });
    await test.pay(session, APPROVED);
    const answer = await test.post('/v1/transactions/list', {});
    // Read as text: a parsed number would not show the digits.
    expect(answer.text).toContain('"amount":12.30,');
    const [row] = (await test.list()).data.transactions;
    expect(row).toMatchObject({
      orderRef: 'A1001.71',
      resellerOrderId: '71',
      currencyCode: 'GBP',
      status: 'SUCCESS',
      merchantId: 1001,
      last4Digits: '0001',
      amountRefunded: 0,
      net: 12.3,
    });
    expect(Object.keys(row ?? {})).toHaveLength(23);
    expect(row?.['transactionTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(row?.['internalReference']).not.toBe(row?.['orderRef']);
  });

  it('can leave fields out: the variants are not shown', async () => {
    const test = await startSandbox({ omittedTransactionFields: ['net', 'deductions'] });
    addRow(test, { id: 'a' });
    expect((await test.list()).data.transactions[0]).not.toHaveProperty('net');
  });

  it('sorts newest first by transactionTime, in any order of arrival', async () => {
    const test = await startSandbox();
    addRow(test, { id: 'middle', transactionTime: '2026-03-02T10:00:00.000Z' });
    addRow(test, { id: 'newest', transactionTime: '2026-03-03T10:00:00.000Z' });
    addRow(test, { id: 'oldest', transactionTime: '2026-03-01T10:00:00.000Z' });
    expect(await test.listIds()).toEqual(['newest', 'middle', 'oldest']);
  });

  it('reads fromDate and toDate as whole days of the time zone', async () => {
    const test = await startSandbox();
    addRow(test, { id: 'late', transactionTime: '2026-07-01T23:30:00.000Z' });
    addRow(test, { id: 'early', transactionTime: '2026-07-01T00:30:00.000Z' });
    const day = { fromDate: '2026-07-01', toDate: '2026-07-01' };
    expect(await test.listIds(day)).toEqual(['late', 'early']);
    expect(await test.listIds({ ...day, timezone: 'Europe/London' })).toEqual(['early']);
    expect(await test.listIds({ fromDate: '2026-07-02', timezone: 'Europe/London' })).toEqual([
      'late',
    ]);
    expect((await test.list({ timezone: 'Europe/London' })).data.timezone).toBe('Europe/London');
    expect((await test.list()).data.timezone).toBe('UTC');
  });

  it('filters by status word, merchant and reseller', async () => {
    const test = await startSandbox({
      merchants: [
        { id: 1, name: 'One', currency: 'GBP' },
        { id: 2, name: 'Two', currency: 'GBP', resellerId: 8 },
      ],
    });
    addRow(test, { id: 'one', merchantId: 1 });
    addRow(test, { id: 'two', merchantId: 2, status: 'REFUNDED' });
    expect(await test.listIds({ status: ['SUCCESS'] })).toEqual(['one']);
    expect(await test.listIds({ status: ['REFUND'] })).toEqual(['two']);
    expect(await test.listIds({ status: ['REFUND', 'SUCCESS'] })).toHaveLength(2);
    expect(await test.listIds({ merchantId: 1 })).toEqual(['one']);
    expect(await test.listIds({ resellerId: 8 })).toEqual(['two']);
    expect(await test.listIds({ resellerId: 7001 })).toEqual(['one']);
  });

  it.each([
    ['fromDate', '01/07/2026'],
    ['toDate', '2026-02-30'],
    ['limit', 0],
    ['limit', '5'],
    ['cursor', 'b2Zmc2V0PTU'],
    ['cursor', '!'],
    ['status', ['REFUNDED']],
    ['status', 'SUCCESS'],
    ['merchantId', '1001'],
    ['timezone', 'Mars/Olympus'],
    ['resellerId', 1.5],
    ['orderRef', 'A1001.71'],
  ])('refuses %s = %j by name', async (field, value) => {
    const test = await startSandbox();
    const answer = await test.post('/v1/transactions/list', { [field]: value });
    expect(answer.status).toBe(400);
    const [error] = answer.body['errors'] as { field: string }[];
    expect(error?.field.split('.')[0]).toBe(field);
  });

  it('has a default and a maximum page size', async () => {
    const test = await startSandbox({ defaultLimit: 2, maxLimit: 3 });
    for (const id of ['a', 'b', 'c', 'd']) addRow(test, { id });
    expect(await test.listIds()).toHaveLength(2);
    expect(await test.listIds({ limit: 50 })).toHaveLength(3);
    const whole = await test.list({ limit: 3, merchantId: 4 });
    expect(whole.pagination).toEqual({ hasMore: false });
  });

  it('neither loses nor repeats a row while rows arrive between pages', async () => {
    const test = await startSandbox();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (minutes, arrivals, limit) => {
          test.sandbox.control.reset();
          // Few different times, so that ties of transactionTime are common.
          minutes.forEach((minute, index) =>
            addRow(test, {
              id: `old-${index}`,
              transactionTime: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
            }),
          );
          const seen = await readAllPages(test, limit, arrivals);
          const old = seen.filter((id) => id.startsWith('old-'));
          expect(new Set(seen).size).toBe(seen.length);
          expect(old.sort()).toEqual(minutes.map((_, index) => `old-${index}`).sort());
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function readAllPages(
  test: TestSandbox,
  limit: number,
  arrivals: readonly number[],
): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    const reply = await test.list({ limit, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...reply.data.transactions.map(({ id }) => String(id)));
    if (!reply.pagination.hasMore) return seen;
    cursor = reply.pagination.nextCursor;
    const count = arrivals[page] ?? 0;
    for (let index = 0; index < count; index += 1) addRow(test, { id: `new-${page}-${index}` });
  }
}
