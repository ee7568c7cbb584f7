import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { rowsOf, startListServer } from '../testing/list-server.js';
import { answerJson, clientOf, failureOf, startServer } from '../testing/test-server.js';
import type { Transaction } from './transaction.js';

async function takeIds(rows: AsyncIterable<Transaction>, count = Infinity): Promise<string[]> {
  const ids: string[] = [];
  for await (const row of rows) {
    ids.push(row.id ?? '?');
    if (ids.length === count) break;
  }
  return ids;
}

const idsOf = (rows: readonly object[]): string[] => rows.map((row) => (row as { id: string }).id);
const page = (ids: string[], pagination: object): object => ({
  data: { transactions: ids.map((id) => ({ id })) },
  pagination,
});

describe('transactions.iterate', () => {
  it('gives every row of every page once, in order, with the filters on each request', async () => {
    await using server = await startListServer(rowsOf(7));
    const { transactions } = clientOf(server.url);
    expect(await takeIds(transactions.iterate({ limit: 3, status: ['REFUND'] }))).toEqual(
      idsOf(server.rows),
    );
    expect(server.requests).toHaveLength(3);
    for (const { body } of server.requests) {
      expect(JSON.parse(body)).toMatchObject({ limit: 3, status: ['REFUND'] });
    }
  });

  it('gives pages, with everything that came with the rows', async () => {
    await using server = await startListServer(rowsOf(4));
    const zones: unknown[] = [];
    for await (const { data } of clientOf(server.url).transactions.pages()) {
      zones.push([data.timezone, data.transactions.length]);
    }
    expect(zones).toEqual([
      ['UTC', 3],
      ['UTC', 1],
    ]);
  });

  it('begins at a cursor that is given, and says with which cursor each page came', async () => {
    await using server = await startListServer(rowsOf(9));
    const { transactions } = clientOf(server.url);
    const { pagination } = await transactions.list();
    const cursor = pagination?.nextCursor;
    expect(await takeIds(transactions.iterate({ cursor }))).toEqual(idsOf(server.rows).slice(3));
    const pages = await transactions.pages({ cursor }).toArray({ limit: 5 });
    expect(pages.map((one) => one.cursor)).toEqual([cursor, server.cursors().at(-1)]);
    expect(pages.map(({ end }) => end)).toEqual([
      { kind: 'more', cursor: pages[1]?.cursor },
      { kind: 'complete' },
    ]);
  });

  it('gives the first rows as an array, and requests no page for more of them', async () => {
    await using server = await startListServer(rowsOf(9));
    const { transactions } = clientOf(server.url);
    expect(idsOf(await transactions.iterate().toArray({ limit: 4 }))).toEqual([
      't1',
      't2',
      't3',
      't4',
    ]);
    expect(server.requests.length).toBeLessThan(4);
    expect(await transactions.iterate().toArray({ limit: 50 })).toHaveLength(9);
    for (const none of [{}, undefined]) {
      const endless = transactions.iterate().toArray(none as { limit: number });
      expect(await failureOf(endless)).toMatchObject({ field: 'limit' });
    }
  });

  it('passes over empty pages, and gives them as pages', async () => {
    const answers = [
      page([], { hasMore: true, nextCursor: 'a' }),
      page(['x'], { hasMore: true, nextCursor: 'b' }),
      page([], { hasMore: false }),
    ];
    await using server = await startServer((response, _, number) => {
      answerJson(response, answers[(number - 1) % 3]);
    });
    const { transactions } = clientOf(server.url);
    expect(await takeIds(transactions.iterate())).toEqual(['x']);
    const counts: number[] = [];
    for await (const { data } of transactions.pages()) {
      counts.push(data.transactions.length);
    }
    expect(counts).toEqual([0, 1, 0]);
  });

  it('reads at most one page ahead of its reader', async () => {
    const { promise: third, resolve } = Promise.withResolvers<void>();
    await using server = await startListServer(rowsOf(30), {
      fault: (number) => {
        if (number === 3) resolve();
        return undefined;
      },
    });
    const iterator = clientOf(server.url).transactions.iterate();
    for (let row = 1; row <= 4; row += 1) await iterator.next();
    await third;
    for (let row = 5; row <= 6; row += 1) await iterator.next();
    expect(server.requests).toHaveLength(3);
    await iterator.return();
  });

  it('asks for no further page while its reader is on the first one', async () => {
    await using server = await startListServer(rowsOf(30), { pageRows: 10 });
    const { transactions } = clientOf(server.url);
    const iterator = transactions.iterate();
    for (let count = 0; count < 10; count += 1) await iterator.next();
    // A request that was in progress would arrive before this one.
    await transactions.list();
    expect(server.requests).toHaveLength(2);
  });

  it('asks again with the same cursor after a failed page, and skips nothing', async () => {
    await using server = await startListServer(rowsOf(8), {
      fault: (number) => (number === 2 || number === 4 ? { status: 400 } : undefined),
    });
    const iterator = clientOf(server.url).transactions.iterate();
    const ids: string[] = [];
    const failures: unknown[] = [];
    for (;;) {
      try {
        for await (const row of iterator) ids.push(row.id ?? '?');
        break;
      } catch (error) {
        failures.push(error);
      }
    }
    expect(ids).toEqual(idsOf(server.rows));
    expect(failures).toMatchObject([{ status: 400 }, { status: 400 }]);
    const [first, ...later] = server.cursors();
    expect(first).toBeUndefined();
    expect(later).toEqual([later[0], later[0], later[2], later[2]]);
  });

  it('ends by break, also in the middle of a page', async () => {
    await using server = await startListServer(rowsOf(9));
    const rows = clientOf(server.url).transactions.iterate();
    expect(await takeIds(rows, 2)).toEqual(['t1', 't2']);
    expect(await takeIds(rows)).toEqual([]);
  });

  it('answers several next() at once in their order', async () => {
    await using server = await startListServer(rowsOf(5), { pageRows: 2 });
    const iterator = clientOf(server.url).transactions.iterate();
    const results = await Promise.all(Array.from({ length: 7 }, () => iterator.next()));
    expect(results.map(({ value }) => value?.id)).toEqual([
      ...idsOf(server.rows),
      undefined,
      undefined,
    ]);
    expect(server.requests).toHaveLength(3);
  });

  it('leaves out rows that an offset repeats, and counts them; a row that changed is another one', async () => {
    const rows: object[] = idsOf(rowsOf(6)).map((id) => ({ id, status: 'SUCCESS' }));
    await using server = await startServer((response, { body }) => {
      const { cursor = '0' } = JSON.parse(body) as { cursor?: string };
      const at = Number(cursor);
      const end = { hasMore: at + 3 < rows.length, nextCursor: String(at + 3) };
      answerJson(response, { data: { transactions: rows.slice(at, at + 3) }, pagination: end });
      // Two rows arrive, and one of those that were given changes.
      if (at > 0) return;
      rows.unshift({ id: 'n1' }, { id: 'n2' });
      rows[4] = { id: 't3', status: 'REFUNDED' };
    });
    const { transactions } = clientOf(server.url);
    const ids = await takeIds(transactions.iterate());
    expect(ids).toEqual(['t1', 't2', 't3', 't3', 't4', 't5', 't6']);
    rows.splice(0, 2);
    rows[2] = { id: 't3', status: 'SUCCESS' };
    const counts: number[][] = [];
    for await (const { data, repeatedRows } of transactions.pages()) {
      counts.push([data.transactions.length, repeatedRows]);
    }
    expect(counts).toEqual([
      [3, 0],
      [2, 1],
      [2, 0],
    ]);
  });

  it.each([
    ['no cursor', {}, 'missing_cursor'],
    ['an empty cursor', { nextCursor: '' }, 'missing_cursor'],
    ['null for a cursor', { nextCursor: null }, 'missing_cursor'],
    ['the cursor of the page itself', { nextCursor: 'c1' }, 'repeated_cursor'],
    ['a cursor that came long before', { nextCursor: 'c0' }, 'repeated_cursor'],
    ['no word of it', { hasMore: null }, 'missing_pagination'],
  ])('gives the rows of a page that announces more with %s, then fails', async (...row) => {
    const [, pagination, problem] = row;
    await using server = await startServer((response, _, number) => {
      const cursors = ['c0', 'c1'];
      const next = cursors[number - 1];
      answerJson(
        response,
        page([`t${number}`], {
          hasMore: true,
          ...(next === undefined ? pagination : { nextCursor: next }),
        }),
      );
    });
    const iterator = clientOf(server.url).transactions.pages();
    for (const id of ['t1', 't2', 't3']) {
      const { value } = await iterator.next();
      expect(value?.data.transactions).toEqual([{ id }]);
      if (id === 't3') expect(value?.end).toEqual({ kind: 'incomplete', problem });
    }
    for (let time = 0; time < 2; time += 1) {
      const error = await failureOf(iterator.next());
      expect(error).toMatchObject({ name: 'PaginationError', problem });
      expect(JSON.stringify(error)).not.toContain('c0');
    }
    expect(server.requests).toHaveLength(3);
  });

  it('requests a page only when it is asked for with readAhead: false', async () => {
    await using server = await startListServer(rowsOf(9));
    const pages = clientOf(server.url).transactions.pages({}, { readAhead: false });
    for (const [page, kind] of [
      [1, 'more'],
      [2, 'more'],
      [3, 'complete'],
    ] as const) {
      const { value } = await pages.next();
      // A request that was in progress would arrive before this one.
      await clientOf(server.url).transactions.list();
      expect([server.requests.length, value?.end.kind]).toEqual([2 * page, kind]);
    }
    expect(await pages.next()).toEqual({ done: true, value: undefined });
    expect(server.requests).toHaveLength(6);
  });

  it('is aborted at once, also between buffered rows, and leaves no listener', async () => {
    await using server = await startListServer(rowsOf(9));
    const controller = new AbortController();
    const { signal } = controller;
    const iterator = clientOf(server.url).transactions.iterate({}, { signal });
    await iterator.next();
    controller.abort(new Error('enough'));
    const error = await failureOf(iterator.next());
    expect(error).toMatchObject({ name: 'CallAbortedError', cause: { message: 'enough' } });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener on the signal when it ends or fails', async () => {
    await using server = await startListServer(rowsOf(9), {
      fault: (number) => (number === 2 ? { status: 400 } : undefined),
    });
    const { signal } = new AbortController();
    const iterator = clientOf(server.url).transactions.iterate({}, { signal });
    await failureOf(takeIds(iterator));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await takeIds(iterator);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is aborted while a page is on its way, and leaves no listener', async () => {
    const controller = new AbortController();
    await using server = await startServer(() => controller.abort(new Error('enough')));
    const { signal } = controller;
    const iterator = clientOf(server.url).transactions.iterate({}, { signal });
    expect(await failureOf(iterator.next())).toMatchObject({ name: 'CallAbortedError' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends the request that is in progress when its reader leaves', async () => {
    const hung = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    await using server = await startServer((response, _, number) => {
      if (number <= 2)
        return answerJson(response, page(['a'], { hasMore: true, nextCursor: `c${number}` }));
      response.on('close', () => closed.resolve());
      return hung.resolve();
    });
    const client = clientOf(server.url, { timeoutSeconds: 3600, maxRetries: 0 });
    const iterator = client.transactions.pages();
    for (let read = 1; read <= 2; read += 1) await iterator.next();
    await hung.promise;
    await iterator.return();
    await closed.promise;
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('refuses wrong filters and options when it is made', () => {
    const { transactions } = clientOf('https://h.example');
    expect(() => transactions.iterate({ limit: 0 })).toThrow(/limit must be/);
    expect(() => transactions.pages({}, { maxRetries: -1 })).toThrow(/maxRetries must be/);
  });
});
