import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';
import type { TransactionsView } from './console-view.js';

const LIST = '/api/transactions';
const PAST = { count: 120, until: '2026-03-31T00:00:00.000Z', days: 90 };
let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole({ sandbox: { history: PAST } });
});

afterEach(async () => {
  await partner.close();
});

async function list(query: string): Promise<TransactionsView> {
  return (await partner.get(`${LIST}?${query}`)).body as TransactionsView;
}

describe('the list of transactions', () => {
  it('comes a page at a time, without a gap or a double', async () => {
    const first = await list('limit=50');
    expect(first).toMatchObject({ hasMore: true, timezone: 'UTC' });
    const second = await list(`limit=50&cursor=${encodeURIComponent(first.nextCursor!)}`);
    const all = await list('limit=100');
    expect([...first.rows, ...second.rows]).toEqual(all.rows);
  });

  it('is filtered by what the address says', async () => {
    const { rows } = await list('merchantId=1001&status=REFUND&fromDate=2026-01-10&timezone=UTC');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toMatchObject({ merchantId: '1001', status: 'REFUNDED' });
      expect(row['transactionTime']! >= '2026-01-10').toBe(true);
    }
  });

  it('has every digit of an amount, and every field that the provider sends', async () => {
    partner.sandbox.control.addFault({ operation: 'transactions-list', fault: 'huge-amount' });
    const [row] = (await list('limit=1')).rows;
    expect(row!['amount']).toBe('12345678901234567890.12');
    partner.sandbox.control.addFault({ operation: 'transactions-list', fault: 'unknown-field' });
    const [other] = (await list('limit=1')).rows;
    expect(Object.keys(other!).length).toBeGreaterThan(Object.keys(row!).length);
  });

  it('shows the rows around one that is no object, and says that there was one', async () => {
    const body = '{"data":{"transactions":[null,{"id":"a"}]},"pagination":{"hasMore":false}}';
    const provider = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const { port } = provider.address() as AddressInfo;
    const odd = await startConsole({ providerUrl: `http://127.0.0.1:${port}` });
    expect((await odd.get(LIST)).body).toMatchObject({ rows: [{ id: 'a' }], unreadable: 1 });
    await odd.close();
    provider.close();
  });

  it.each([
    ['fromDate=2026-02-30', 'fromDate'],
    ['fromDate=2026-03-02&toDate=2026-03-01', 'fromDate'],
    ['limit=many', 'limit'],
    ['limit=501', 'limit'],
    ['merchantId=10.5', 'merchantId'],
    ['colour=blue', 'colour'],
    ['timezone=UTC&timezone=UTC', 'timezone'],
  ])('refuses %s by the name of the field, and sends nothing', async (query, field) => {
    const answer = await partner.get(`${LIST}?${query}`);
    expect(answer.status).toBe(400);
    expect(problemOf(answer)).toMatchObject({ outcome: 'not_sent', errors: [{ field }] });
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('says when to ask again when the provider wants a pause', async () => {
    const fault = { fault: 'error', status: 429, retryAfterSeconds: 40 } as const;
    partner.sandbox.control.addFault({ operation: 'transactions-list', ...fault });
    const answer = await partner.get(LIST);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('40');
    expect(problemOf(answer).next).toContain('40 seconds');
  });

  it('says that nothing was sent when the provider cannot be reached', async () => {
    await partner.sandbox.close();
    const answer = await partner.get(LIST);
    expect(answer.status).toBe(503);
    expect(problemOf(answer)).toMatchObject({ code: 'provider_unreachable', outcome: 'not_sent' });
  });

  it('says whose fault it is when the key is not taken', async () => {
    const wrong = await startConsole({ sandbox: { apiKey: 'another-key-of-the-sandbox' } });
    const answer = await wrong.get(LIST);
    expect(problemOf(answer)).toMatchObject({ code: 'key_refused', outcome: 'refused' });
    expect(problemOf(answer).next).toContain('CONSOLE_PARTNER_API_KEY');
    await wrong.close();
  });
});

describe('a search', () => {
  it('finds a text in any field of any row, whatever its case, and says in how many it looked', async () => {
    const [wanted] = (await list('limit=100')).rows.slice(-1);
    const found = await list(`limit=10&q=${wanted!['pspReference']!.toUpperCase()}`);
    expect(found.rows).toEqual([wanted]);
    expect(found).toMatchObject({ searched: PAST.count, hasMore: false });
    const nothing = await list(`q=${wanted!['orderRef']}&merchantId=9`);
    expect(nothing).toMatchObject({ rows: [], searched: 0 });
  });

  it('stops at as many as are wanted, and goes on after them without a gap or a double', async () => {
    await partner.close();
    partner = await startConsole({ sandbox: { history: { ...PAST, count: 1200 } } });
    const ids: (string | undefined)[] = [];
    let cursor = '';
    do {
      const page = await list(`q=GBP&limit=1&cursor=${encodeURIComponent(cursor)}`);
      ids.push(...page.rows.map(({ id }) => id));
      cursor = page.nextCursor ?? '';
    } while (cursor !== '');
    const all = [...(await list('limit=500')).rows];
    expect(ids.slice(0, 20)).toEqual(
      all
        .filter((row) => row['currencyCode'] === 'GBP')
        .slice(0, 20)
        .map(({ id }) => id),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a single transaction', () => {
  it('is found by its day, with others of the same order, and leads to the order', async () => {
    await partner.close();
    partner = await startConsole({ env: { CONSOLE_OPERATOR_URL: 'http://operator.example:4500' } });
    const { control } = partner.sandbox;
    const time = '2026-03-31T23:59:00.000Z';
    const first = control.addTransaction({ row: { orderRef: 'A7.70', transactionTime: time } });
    const second = control.addTransaction({ row: { orderRef: 'A7.70', transactionTime: time } });
    const { status, body } = await partner.get(`/api/transaction?id=${first.id}&day=2026-03-31`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      transaction: { id: first.id },
      related: [{ id: second.id }],
      orderUrl: 'http://operator.example:4500/#/search?q=A7.70',
    });
  });

  it('is said to be missing where it is not, and is not asked for without its identifier', async () => {
    const missing = await partner.get('/api/transaction?id=txn_nothing&day=2026-03-31');
    expect(problemOf(missing)).toMatchObject({ status: 404, code: 'not_found' });
    const unnamed = await partner.get('/api/transaction?day=2026-03-31');
    expect(problemOf(unnamed)).toMatchObject({ status: 400, errors: [{ field: 'id' }] });
  });
});

describe('the CSV file', () => {
  it('has every row of the filter once, over all pages', async () => {
    await partner.close();
    partner = await startConsole({ sandbox: { history: { ...PAST, count: 1200 } } });
    const answer = await partner.get('/api/transactions.csv?merchantId=1002');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    const lines = answer.text.trimEnd().split('\r\n');
    const ids = lines.slice(1).map((line) => line.split(',')[0]);
    const { rows } = await list('merchantId=1002&limit=500');
    expect(ids).toEqual(rows.map(({ id }) => `"${String(id)}"`));
    expect(lines[0]).toMatch(/^"id","source",.*,"extra"$/);
  });

  it('runs no formula in a spreadsheet, and keeps fields that are not in the document', async () => {
    partner.sandbox.control.addTransaction({
      row: { firstname: '=1+1', lastname: 'a "b", c', amount: '12.30', house: { cat: 'Tabby' } },
    });
    const { text } = await partner.get('/api/transactions.csv');
    const line = text.split('\r\n')[1]!;
    expect(line).toContain(`,"'=1+1","a ""b"", c",`);
    expect(line).toContain('Tabby');
  });

  it('is a problem and no file when the first page fails', async () => {
    const refused = await partner.get('/api/transactions.csv?fromDate=yesterday');
    expect(problemOf(refused)).toMatchObject({ status: 400, errors: [{ field: 'fromDate' }] });
    partner.sandbox.control.addFault({ operation: 'transactions-list', fault: 'missing-cursor' });
    const endless = await partner.get('/api/transactions.csv');
    expect(problemOf(endless)).toMatchObject({ status: 502, code: 'list_cannot_go_on' });
  });

  it('is cut when a later page fails, so that half of it never passes for a whole file', async () => {
    await partner.close();
    partner = await startConsole({ sandbox: { history: { ...PAST, count: 1200 } } });
    const { control } = partner.sandbox;
    control.addFault({ operation: 'transactions-list', fault: 'gzip' });
    control.addFault({ operation: 'transactions-list', fault: 'error', status: 400 });
    await expect(partner.get('/api/transactions.csv')).rejects.toThrow();
  });
});
