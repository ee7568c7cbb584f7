import { describe, expect, it } from 'vitest';

import { decimalOf } from '../decimal.js';
import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { Transaction } from './transaction.js';
import { addUnreadable, NO_UNREADABLE_ROWS, unreadableRowsOf } from './unreadable-rows.js';

type Rows = readonly unknown[];

/** A provider whose list has these pages; the cursor of one is `page 2`, `page 3`, …. */
async function startPages(...pages: readonly Rows[]) {
  return startServer((response, { body }) => {
    const { cursor } = JSON.parse(body) as { cursor?: string };
    const at = cursor === undefined ? 0 : Number(cursor.replace('page ', '')) - 1;
    const hasMore = at + 1 < pages.length;
    answerJson(response, {
      data: { transactions: pages[at], timezone: 'UTC' },
      pagination: { hasMore, ...(hasMore && { nextCursor: `page ${at + 2}` }) },
    });
  });
}

async function idsOf(rows: AsyncIterable<Transaction>): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { id } of rows) ids.push(id);
  return ids;
}

const ODD: Rows = [null, { id: 'a' }, 'canary', [{ id: 'x' }], { id: 'b' }, 7, true];

describe('a row that is no object', () => {
  it('hides no other row of its page, and is reported with its place and kind, not its value', async () => {
    await using server = await startPages(ODD);
    const page = await clientOf(server.url).transactions.list();
    expect(page.data.transactions).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(page.data.timezone).toBe('UTC');
    const unreadable = unreadableRowsOf(page);
    expect(unreadable).toEqual({
      count: 5,
      first: [
        { index: 0, kind: 'null' },
        { index: 2, kind: 'text' },
        { index: 3, kind: 'list' },
        { index: 5, kind: 'whole number' },
        { index: 6, kind: 'boolean' },
      ],
    });
    expect(unreadableRowsOf({ ...page })).toBe(unreadable);
    expect(JSON.stringify([page, unreadable])).not.toContain('canary');
  });

  it('is counted as drift of the list', async () => {
    await using server = await startPages(ODD);
    const client = clientOf(server.url);
    await client.transactions.list();
    expect(client.driftReport()['transactions.list']?.unexpectedTypes).toMatchObject({
      'data.transactions[]: null instead of object': 1,
      'data.transactions[]: list instead of object': 1,
    });
  });

  it.each(['off', 'warn'] as const)('is reported with validation "%s"', async (validation) => {
    await using server = await startPages([null]);
    const page = await clientOf(server.url, { validation }).transactions.list();
    expect(unreadableRowsOf(page).count).toBe(1);
  });

  it('makes the whole page an error with validation "strict"', async () => {
    await using server = await startPages(ODD);
    const client = clientOf(server.url, { validation: 'strict' });
    const error = await failureOf(client.transactions.list());
    expect(error).toMatchObject({ name: 'InvalidResponseError', problem: 'shape' });
    expect((error as Error).message).toContain('data.transactions[] (null) is not an object');
  });

  it('leaves the digits of the rows around it as they came', async () => {
    const rows = '[null,{"amount":12345678901234567890.12}]';
    await using server = await startServer((response) => {
      response.end(`{"data":{"transactions":${rows}},"pagination":{"hasMore":false}}`);
    });
    const [row] = (await clientOf(server.url).transactions.list()).data.transactions;
    expect(decimalOf(row!, 'amount')).toBe('12345678901234567890.12');
  });

  it('however often it comes, is counted whole and kept as twenty places', async () => {
    await using server = await startPages(Array<null>(5_000).fill(null));
    const { count, first } = unreadableRowsOf(await clientOf(server.url).transactions.list());
    expect([count, first.length]).toEqual([5_000, 20]);
  });

  it('is none in a page as the document shows it', async () => {
    await using server = await startPages([{ id: 'a' }]);
    const page = await clientOf(server.url).transactions.list();
    expect(unreadableRowsOf(page)).toEqual({ count: 0, first: [] });
  });
});

describe('an iteration that meets rows that are no objects', () => {
  it('gives every other row', async () => {
    await using server = await startPages([null, { id: 'a' }], ['text'], [{ id: 'b' }, 5]);
    expect(await idsOf(clientOf(server.url).transactions.iterate())).toEqual(['a', 'b']);
  });

  it('reports them page by page, and their sum with the cursors of their pages', async () => {
    await using server = await startPages([null, { id: 'a' }], ['text'], [{ id: 'b' }, 5]);
    let unreadable = NO_UNREADABLE_ROWS;
    const sizes: number[] = [];
    for await (const page of clientOf(server.url).transactions.pages()) {
      sizes.push(page.data.transactions.length);
      unreadable = addUnreadable(unreadable, unreadableRowsOf(page), page.cursor);
    }
    expect(sizes).toEqual([1, 0, 1]);
    expect(unreadable).toEqual({
      count: 3,
      first: [
        { index: 0, kind: 'null' },
        { cursor: 'page 2', index: 0, kind: 'text' },
        { cursor: 'page 3', index: 1, kind: 'whole number' },
      ],
    });
  });
});
