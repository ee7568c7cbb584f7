import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ListTransactionsParams, Transactions } from '../resources/transactions.js';
import { rowsOf, startListServer } from '../testing/list-server.js';
import { answerJson, clientOf, startServer } from '../testing/test-server.js';
import { type ExportPosition, ExportSeam } from './export-position.js';

const idsOf = (rows: readonly object[]): string[] => rows.map((row) => (row as { id: string }).id);

/** Reads so many pages from a position; every page by default. */
async function readOn(
  transactions: Transactions,
  position?: ExportPosition,
  { pages = Infinity, ...params }: ListTransactionsParams & { pages?: number } = {},
): Promise<{ ids: string[]; position: ExportPosition; error?: unknown }> {
  const seam = new ExportSeam(position);
  const ids: string[] = [];
  const list = transactions.pages({ ...params, cursor: position?.cursor });
  try {
    for (let read = 0; read < pages; read += 1) {
      const { done, value } = await list.next();
      if (done === true) break;
      ids.push(...seam.take(value).map(({ id, amount }) => id ?? String(amount)));
    }
  } catch (error) {
    return { ids, position: throughJson(seam), error };
  }
  return { ids, position: throughJson(seam) };
}

/** As the checkpoint of an export holds it. */
function throughJson(seam: ExportSeam): ExportPosition {
  return JSON.parse(JSON.stringify(seam.position())) as ExportPosition;
}

/** A list that counts rows: its cursor is a number, and rows that arrive move all others. */
function startOffsetServer(rows: object[], pageRows: number) {
  return startServer((response, { body }) => {
    const { cursor = '0' } = JSON.parse(body) as { cursor?: string };
    const next = Number(cursor) + pageRows;
    answerJson(response, {
      data: { transactions: rows.slice(Number(cursor), next) },
      pagination: { hasMore: next < rows.length, nextCursor: String(next) },
    });
  });
}

describe('an export', () => {
  it('goes on after any page without a gap or a repeat, at any page size', async () => {
    await using server = await startListServer(rowsOf(8));
    const { transactions } = clientOf(server.url);
    for (let pages = 0; pages <= 3; pages += 1) {
      const first = await readOn(transactions, undefined, { pages });
      const rest = await readOn(transactions, first.position, { limit: 2 });
      expect([...first.ids, ...rest.ids]).toEqual(idsOf(server.rows));
    }
  });

  it('requests the failed page again', async () => {
    await using server = await startListServer(rowsOf(6), {
      fault: (number) => (number === 2 ? { status: 400 } : undefined),
    });
    const { transactions } = clientOf(server.url);
    const first = await readOn(transactions);
    expect(first.error).toMatchObject({ status: 400 });
    expect((await readOn(transactions, first.position)).ids).toEqual(['t4', 't5', 't6']);
  });

  it('requests a page with an incomplete end again for the rest', async () => {
    let isBroken = true;
    await using server = await startServer((response, { body }) => {
      const { cursor } = JSON.parse(body) as { cursor?: string };
      const rows = [{ id: 't2' }, { amount: 1 }, ...(isBroken ? [] : [{ id: 't4' }])];
      answerJson(response, {
        data: { transactions: cursor === undefined ? [{ id: 't1' }] : rows },
        pagination:
          cursor === undefined ? { hasMore: true, nextCursor: 'c1' } : { hasMore: isBroken },
      });
    });
    const { transactions } = clientOf(server.url);
    const first = await readOn(transactions);
    expect(first).toMatchObject({ ids: ['t1', 't2', '1'], error: { problem: 'missing_cursor' } });
    isBroken = false;
    expect((await readOn(transactions, first.position)).ids).toEqual(['t4']);
  });

  it('leaves out rows that were written, wherever new rows have moved them', async () => {
    const rows = rowsOf(12);
    await using server = await startOffsetServer(rows, 4);
    const { transactions } = clientOf(server.url);
    const first = await readOn(transactions, undefined, { pages: 2 });
    rows.unshift(...[1, 2, 3, 4, 5].map((number) => ({ id: `new${number}` })));
    // Stopped again at once: what has not come again yet is remembered.
    const second = await readOn(transactions, first.position, { pages: 1 });
    const third = await readOn(transactions, second.position);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(idsOf(rowsOf(12)));
  });

  it('keeps two rows of one id apart from one row written twice', async () => {
    const rows = [{ id: 'a' }, { id: 'a', status: 'REFUNDED' }, { id: 'b' }];
    await using server = await startListServer(rows, { pageRows: 1 });
    const { transactions } = clientOf(server.url);
    const first = await readOn(transactions, undefined, { pages: 1 });
    expect((await readOn(transactions, first.position)).ids).toEqual(['a', 'b']);
  });

  it('keeps rows without an id that look alike', async () => {
    await using server = await startOffsetServer([{ amount: 1 }, { amount: 1 }, { amount: 1 }], 1);
    const { transactions } = clientOf(server.url);
    const first = await readOn(transactions, undefined, { pages: 1 });
    const second = await readOn(transactions, first.position, { pages: 1 });
    expect((await readOn(transactions, second.position)).ids).toEqual(['1']);
  });

  it('survives any chain of stops', async () => {
    await using server = await startListServer(rowsOf(23), { pageRows: 4 });
    const { transactions } = clientOf(server.url);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 5 }),
        async (stops) => {
          let position: ExportPosition | undefined;
          const ids: string[] = [];
          for (const pages of [...stops, Infinity]) {
            const read = await readOn(transactions, position, { pages });
            ids.push(...read.ids);
            position = read.position;
          }
          expect(ids).toEqual(idsOf(server.rows));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('remembers the rows of two pages at most', async () => {
    await using server = await startListServer(rowsOf(60), { pageRows: 5 });
    const { transactions } = clientOf(server.url);
    let position: ExportPosition | undefined;
    for (const pages of [1, 1, 1, 2, 2, 3]) {
      ({ position } = await readOn(transactions, position, { pages }));
      expect(position.written.length).toBeLessThanOrEqual(10);
    }
  });
});
