import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
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

  it('gives pages, with everything that came beside the rows', async () => {
    await using server = await startListServer(rowsOf(4));
    const zones: unknown[] = [];
    for await (const { data } of clientOf(server.url).transactions.iterate().pages()) {
      zones.push([data.timezone, data.transactions.length]);
    }
    expect(zones).toEqual([
      ['UTC', 3],
      ['UTC', 1],
    ]);
  });

  it('begins at a cursor that is given', async () => {
    await using server = await startListServer(rowsOf(6));
    const { transactions } = clientOf(server.url);
    const { pagination } = await transactions.list();
    const cursor = pagination?.nextCursor;
    expect(await takeIds(transactions.iterate({ cursor }))).toEqual(['t4', 't5', 't6']);
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
    for await (const { data } of transactions.iterate().pages()) {
      counts.push(data.transactions.length);
    }
    expect(counts).toEqual([0, 1, 0]);
  });

  it('reads at most one page ahead of its reader', async () => {
    const asked: (() => void)[] = [];
    const second = new Promise<void>((resolve) => asked.push(resolve));
    await using server = await startListServer(rowsOf(30), {
      fault: (number) => {
        if (number === 2) asked[0]?.();
        return undefined;
      },
    });
    const iterator = clientOf(server.url).transactions.iterate();
    await iterator.next();
    expect(server.requests).toHaveLength(1);
    await iterator.next();
    await second;
    await iterator.next();
    expect(server.requests).toHaveLength(2);
    await iterator.next();
    expect(server.requests).toHaveLength(2);
    await iterator.return();
  });

  it('asks for no further page while its reader is in the first half of one', async () => {
    await using server = await startListServer(rowsOf(30), { pageRows: 10 });
    const { transactions } = clientOf(server.url);
    const iterator = transactions.iterate();
    for (let count = 0; count < 5; count += 1) await iterator.next();
    // A request that was under way would arrive before this one.
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
    const list = transactions.iterate();
    const counts: number[] = [];
    for await (const { data } of list.pages()) counts.push(data.transactions.length);
    expect([counts, list.repeatedRows]).toEqual([[3, 2, 2], 1]);
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
    const iterator = clientOf(server.url).transactions.iterate();
    for (const id of ['t1', 't2', 't3']) expect((await iterator.next()).value?.id).toBe(id);
    expect(iterator.end).toEqual({ kind: 'incomplete', problem });
    for (let time = 0; time < 2; time += 1) {
      const error = await failureOf(iterator.next());
      expect(error).toMatchObject({ name: 'PaginationError', problem });
      expect(JSON.stringify(error)).not.toContain('c0');
    }
    expect(server.requests).toHaveLength(3);
  });

  it('requests a page only when it is asked for with readAhead: false', async () => {
    await using server = await startListServer(rowsOf(9));
    const list = clientOf(server.url).transactions.iterate({}, { readAhead: false });
    const pages = list.pages();
    expect(list.end).toBeUndefined();
    for (const [page, kind] of [
      [1, 'more'],
      [2, 'more'],
      [3, 'complete'],
    ] as const) {
      await pages.next();
      // A request that was under way would arrive before this one.
      await clientOf(server.url).transactions.list();
      expect([server.requests.length, list.end?.kind]).toEqual([2 * page, kind]);
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

  it('ends the request that is under way when its reader leaves', async () => {
    const hung = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    await using server = await startServer((response, _, number) => {
      if (number === 1)
        return answerJson(response, page(['a'], { hasMore: true, nextCursor: 'c' }));
      response.on('close', () => closed.resolve());
      return hung.resolve();
    });
    const client = clientOf(server.url, { timeoutSeconds: 60, maxRetries: 0 });
    const iterator = client.transactions.iterate();
    await iterator.next();
    await hung.promise;
    await iterator.return();
    await closed.promise;
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('refuses wrong filters and options when it is made, and a mix of rows and pages', async () => {
    await using server = await startListServer(rowsOf(1));
    const { transactions } = clientOf(server.url);
    expect(() => transactions.iterate({ limit: 0 })).toThrow(/limit must be/);
    expect(() => transactions.iterate({}, { maxRetries: -1 })).toThrow(/maxRetries must be/);
    const iterator = transactions.iterate();
    await iterator.next();
    expect(() => iterator.pages()).toThrow(/cannot be mixed/);
  });
});

describe('a checkpoint', () => {
  const filters = { fromDate: '2026-03-01', merchantId: 7 };

  it('lets another iterator go on at any row without a gap or a double', async () => {
    await using server = await startListServer(rowsOf(8));
    const { transactions } = clientOf(server.url);
    for (let count = 0; count <= 8; count += 1) {
      const first = transactions.iterate(filters);
      const before: string[] = [];
      while (before.length < count) before.push((await first.next()).value?.id ?? '?');
      const second = transactions.resume(first.checkpoint(), filters);
      expect([...before, ...(await takeIds(second))]).toEqual(idsOf(server.rows));
    }
  });

  it('lets pages go on, and is the same at any page size', async () => {
    await using server = await startListServer(rowsOf(7));
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate({ ...filters, limit: 3 });
    await first.pages().next();
    const rest = transactions.resume(first.checkpoint(), { ...filters, limit: 2 });
    const ids: string[] = [];
    for await (const { data } of rest.pages()) ids.push(...idsOf(data.transactions));
    expect(ids).toEqual(['t4', 't5', 't6', 't7']);
  });

  it('of a finished list gives nothing, and asks for nothing', async () => {
    await using server = await startListServer(rowsOf(2));
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate(filters);
    await takeIds(first);
    expect(await takeIds(transactions.resume(first.checkpoint(), filters))).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('taken after a failed page asks for that page', async () => {
    await using server = await startListServer(rowsOf(6), {
      fault: (number) => (number === 2 ? { status: 400 } : undefined),
    });
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate(filters);
    await failureOf(takeIds(first));
    expect(await takeIds(transactions.resume(first.checkpoint(), filters))).toEqual([
      't4',
      't5',
      't6',
    ]);
  });

  it('taken after a page with an incomplete end requests that page again for the rest', async () => {
    let isBroken = true;
    await using server = await startServer((response, { body }) => {
      const { cursor } = JSON.parse(body) as { cursor?: string };
      if (cursor === undefined) {
        return answerJson(response, page(['t1'], { hasMore: true, nextCursor: 'c1' }));
      }
      const transactions = [{ id: 't2' }, { amount: 1 }, ...(isBroken ? [] : [{ id: 't4' }])];
      return answerJson(response, { data: { transactions }, pagination: { hasMore: isBroken } });
    });
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate(filters);
    const ids: string[] = [];
    const error = await failureOf((async () => ids.push(...(await takeIds(first))))());
    expect(error).toMatchObject({ problem: 'missing_cursor' });
    isBroken = false;
    expect(await takeIds(transactions.resume(first.checkpoint(), filters))).toEqual(['t4']);
  });

  it('leaves out rows that were given, wherever new rows have moved them, and misses none', async () => {
    await using server = await startListServer(rowsOf(8), { pageRows: 4 });
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate(filters);
    const before = await takeIds(first, 2);
    server.rows.unshift({ id: 'new1' }, { id: 'new2' }, { id: 'new3' });
    const after = await takeIds(transactions.resume(first.checkpoint(), filters));
    expect([...before, ...after].sort()).toEqual(idsOf(server.rows).sort());
  });

  it('remembers what was given before it was resumed, when it is stopped again at once', async () => {
    await using server = await startListServer(rowsOf(8), { pageRows: 4 });
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate(filters);
    const ids = await takeIds(first, 2);
    server.rows.unshift({ id: 'new1' }, { id: 'new2' }, { id: 'new3' });
    const second = transactions.resume(first.checkpoint(), filters);
    ids.push(...(await takeIds(second, 1)));
    ids.push(...(await takeIds(transactions.resume(second.checkpoint(), filters))));
    expect(ids.sort()).toEqual(idsOf(server.rows).sort());
  });

  it('keeps two rows of one id apart from one row given twice', async () => {
    const rows = [{ id: 'a' }, { id: 'a', status: 'REFUNDED' }, { id: 'b' }];
    await using server = await startListServer(rows);
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate();
    await first.next();
    expect(await takeIds(transactions.resume(first.checkpoint()))).toEqual(['a', 'b']);
  });

  it('counts rows without an id by their place', async () => {
    await using server = await startListServer([
      { amount: 1 },
      { amount: 2 },
      { id: 'c' },
      { amount: 4 },
    ]);
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate();
    await first.next();
    const amounts: unknown[] = [];
    for await (const row of transactions.resume(first.checkpoint())) amounts.push(row.amount);
    expect(amounts).toEqual([2, undefined, 4]);
  });

  it('survives any chain of stops', async () => {
    await using server = await startListServer(rowsOf(23), { pageRows: 4 });
    const { transactions } = clientOf(server.url);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 5 }),
        async (stops) => {
          const ids: string[] = [];
          let iterator = transactions.iterate();
          for (const stop of stops) {
            for (let count = 0; count < stop; count += 1) {
              const { value } = await iterator.next();
              if (value !== undefined) ids.push(value.id ?? '?');
            }
            const checkpoint = iterator.checkpoint();
            await iterator.return();
            expect(iterator.checkpoint()).toBe(checkpoint);
            iterator = transactions.resume(checkpoint);
          }
          expect([...ids, ...(await takeIds(iterator))]).toEqual(idsOf(server.rows));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('works in another process', async () => {
    await using server = await startListServer(rowsOf(7));
    const { transactions } = clientOf(server.url);
    const first = transactions.iterate(filters);
    const before = await takeIds(first, 4);
    const script = fileURLToPath(new URL('../testing/resume-elsewhere.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      server.url,
      first.checkpoint(),
      JSON.stringify(filters),
    ]);
    expect([...before, ...(JSON.parse(stdout) as string[])]).toEqual(idsOf(server.rows));
  });

  it('of other filters, or of another address, is refused', async () => {
    await using server = await startListServer(rowsOf(7));
    const { transactions } = clientOf(server.url);
    const checkpoint = transactions.iterate(filters).checkpoint();
    for (const other of [{ ...filters, merchantId: 8 }, { fromDate: '2026-03-01' }, {}]) {
      expect(() => transactions.resume(checkpoint, other)).toThrow(
        /checkpoint was made with other/,
      );
    }
    const elsewhere = clientOf(`${server.url}/prefix`).transactions;
    expect(() => elsewhere.resume(checkpoint, filters)).toThrow(/another address/);
    expect(server.requests).toHaveLength(0);
  });

  it.each(['', 'null', '[]', '{}', '{"version":2}', '{"version":1,"filters":"x","ids":[1]}'])(
    'that is none (%j) is refused as such',
    (text) => {
      const { transactions } = clientOf('https://h.example');
      expect(() => transactions.resume(text)).toThrow(
        /checkpoint (is not what|was made by a newer)/,
      );
    },
  );

  it('stays small: it holds the ids of two pages at most', async () => {
    await using server = await startListServer(rowsOf(60), { pageRows: 5 });
    const { transactions } = clientOf(server.url);
    let iterator = transactions.iterate();
    for (let count = 0; count < 50; count += 1) {
      await iterator.next();
      const checkpoint = iterator.checkpoint();
      expect((JSON.parse(checkpoint) as { ids: string[] }).ids.length).toBeLessThanOrEqual(10);
      if (count % 7 === 6) {
        await iterator.return();
        iterator = transactions.resume(checkpoint);
      }
    }
  });
});
