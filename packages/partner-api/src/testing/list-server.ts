import { answerJson, type SeenRequest, startServer, type TestServer } from './test-server.js';

/** A list behind a real server: rows, newest first, in pages whose cursor names the next row. */
export interface ListServer extends TestServer {
  /** The rows; a test may add some at the begin while it reads. */
  readonly rows: object[];
  /** Cursors that were asked for, in order; `undefined` for the first page. */
  cursors(): (string | undefined)[];
}

/** Answers instead of the list, for the request with this number, counted from 1. */
export type Fault = (number: number) => { status: number; body?: unknown } | undefined;

export async function startListServer(
  rows: object[],
  { pageRows = 3, fault }: { pageRows?: number; fault?: Fault } = {},
): Promise<ListServer> {
  const server = await startServer((response, request, number) => {
    const instead = fault?.(number);
    if (instead !== undefined) return answerJson(response, instead.body ?? {}, instead.status);
    const begin = beginOf(rows, cursorOf(request));
    const end = begin + pageRows;
    const next = rows[end];
    return answerJson(response, {
      data: { transactions: rows.slice(begin, end), timezone: 'UTC' },
      pagination:
        next === undefined ? { hasMore: false } : { hasMore: true, nextCursor: cursorFor(next) },
    });
  });
  return { ...server, rows, cursors: () => server.requests.map(cursorOf) };
}

/** Numbered rows `t1`, `t2`, …. */
export function rowsOf(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ id: `t${index + 1}` }));
}

function cursorOf({ body }: SeenRequest): string | undefined {
  return (JSON.parse(body) as { cursor?: string }).cursor;
}

function cursorFor(row: object): string {
  return `at:${JSON.stringify(row)}`;
}

function beginOf(rows: readonly object[], cursor: string | undefined): number {
  return cursor === undefined ? 0 : rows.findIndex((row) => cursorFor(row) === cursor);
}
