import { toJsonText } from '../decimal.js';
import {
  CallAbortedError,
  InvalidRequestError,
  PaginationError,
  type PaginationProblem,
} from '../errors.js';
import type { Transaction, TransactionPage } from './transaction.js';

const OPERATION = 'transactions.iterate';

/**
 * How a page ends: more follows at a cursor, the list is complete, or it is not known how to request
 * the rest. Nothing follows from the absence of a row in a list that is incomplete.
 */
export type PageEnd =
  | { readonly kind: 'more'; readonly cursor: string }
  | { readonly kind: 'complete' }
  | { readonly kind: 'incomplete'; readonly problem: PaginationProblem };

/**
 * How a page of `transactions.list` ends.
 *
 * @param usedCursors - Cursors that were sent before: a repeated one means a loop.
 */
export function endOfPage(
  { pagination }: Pick<TransactionPage, 'pagination'>,
  usedCursors?: ReadonlySet<string>,
): PageEnd {
  // Other types than the document's may come.
  const { hasMore, nextCursor }: { hasMore?: unknown; nextCursor?: unknown } = pagination ?? {};
  if (hasMore === false) return { kind: 'complete' };
  if (hasMore !== true) return { kind: 'incomplete', problem: 'missing_pagination' };
  if (typeof nextCursor !== 'string' || nextCursor === '') {
    return { kind: 'incomplete', problem: 'missing_cursor' };
  }
  return usedCursors?.has(nextCursor) === true
    ? { kind: 'incomplete', problem: 'repeated_cursor' }
    : { kind: 'more', cursor: nextCursor };
}

/** A page of a list, and its place there. */
export interface ListedPage extends TransactionPage {
  /** What it was requested with; `undefined` for the first page of a list. */
  readonly cursor: string | undefined;
  readonly end: PageEnd;
  /**
   * How many rows were left out because the page before had them, every field the same: a provider
   * that counts rows repeats some when new ones arrive in between.
   */
  readonly repeatedRows: number;
}

/** A failed page in a generator, which a thrown error would end. */
class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Reads one page of a list: the first one without a cursor. */
export type FetchPage = (cursor: string | undefined) => Promise<TransactionPage>;

/**
 * Follows cursors from page to page. A page that failed is requested again when its reader comes back.
 * After a page with an incomplete end there are only failures.
 */
export async function* followPages(
  fetchPage: FetchPage,
  from: string | undefined,
  readAhead: boolean,
): AsyncGenerator<ListedPage | Failure, undefined> {
  const used = new Set<string>();
  let cursor = from;
  let before: readonly Transaction[] | undefined;
  let ahead: Promise<TransactionPage> | undefined;
  for (;;) {
    if (cursor !== undefined) used.add(cursor);
    let page: TransactionPage;
    try {
      page = await (ahead ?? fetchPage(cursor));
    } catch (error) {
      ahead = undefined;
      yield new Failure(error);
      continue;
    }
    const end = endOfPage(page, used);
    const came = page.data.transactions;
    const transactions = withoutRepeated(came, before ?? []);
    // A reader of a few rows may stop on the first page: a second one would be for nothing.
    ahead =
      readAhead && before !== undefined && end.kind === 'more' ? fetchPage(end.cursor) : undefined;
    ahead?.catch(() => undefined);
    before = came;
    const repeatedRows = came.length - transactions.length;
    yield { ...page, data: { ...page.data, transactions }, cursor, end, repeatedRows };
    if (end.kind === 'complete') return undefined;
    while (end.kind === 'incomplete') yield new Failure(paginationError(end.problem));
    cursor = end.cursor;
  }
}

/** The rows of pages one by one. */
export async function* rowsOf(
  pages: AsyncIterable<ListedPage | Failure>,
): AsyncGenerator<Transaction | Failure, undefined> {
  for await (const page of pages) {
    if (page instanceof Failure) yield page;
    else yield* page.data.transactions;
  }
  return undefined;
}

/**
 * Iterates over the rows or the pages of a list, newest first.
 *
 * A failure ends a `for await` loop, yet not the iterator: another loop over it, or `next()`, asks for
 * the same page again and goes on where it stopped. `break` ends it.
 *
 * The rows of a page that does not say where the rest is are given, too; then each `next()` fails with
 * a `PaginationError`.
 */
export class ListIterator<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #items: AsyncGenerator<Item | Failure, undefined>;
  readonly #signal: AbortSignal | undefined;
  readonly #leaving: AbortController;

  constructor(
    items: AsyncGenerator<Item | Failure, undefined>,
    signal: AbortSignal | undefined,
    leaving: AbortController,
  ) {
    this.#items = items;
    this.#signal = signal;
    this.#leaving = leaving;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#signal?.aborted === true) throw abortedError(this.#signal.reason);
    const { done, value } = await this.#items.next();
    if (value instanceof Failure) throw value.error;
    return done === true ? { done, value: undefined } : { done: false, value };
  }

  /** Ends the iteration, and aborts the running request. */
  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#leaving.abort(new Error('the iteration was ended'));
    await this.#items.return(undefined);
    return { done: true, value: undefined };
  }

  /**
   * The next items as an array, at most `limit`, and ends the iteration.
   *
   * @example
   * const newest = await client.transactions.iterate().toArray({ limit: 100 });
   */
  async toArray(options: { readonly limit: number }): Promise<Item[]> {
    const { limit } = options ?? { limit: NaN };
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new InvalidRequestError('limit', 'must be a whole number above 0', OPERATION);
    }
    const items: Item[] = [];
    for await (const item of this) if (items.push(item) === limit) break;
    return items;
  }
}

/** The same list unless its first row was on the page before: repeated rows come first. */
function withoutRepeated(
  rows: readonly Transaction[],
  before: readonly Transaction[],
): Transaction[] {
  const first = rows[0]?.id;
  if (typeof first !== 'string' || !before.some(({ id }) => id === first)) return [...rows];
  const known = new Set(before.map((row) => toJsonText(row)));
  return rows.filter((row) => typeof row.id !== 'string' || !known.has(toJsonText(row)));
}

function abortedError(cause: unknown): CallAbortedError {
  const details = { operation: OPERATION, attempt: 0, outcome: 'not_sent', cause } as const;
  return new CallAbortedError(`${OPERATION}: the caller aborted the iteration.`, details);
}

const PROBLEM_WORDS: Readonly<Record<PaginationProblem, string>> = {
  missing_pagination: 'a page does not say whether more rows follow.',
  missing_cursor: 'a page announces more rows, and has no cursor.',
  repeated_cursor: 'a page announces more rows with a cursor that was used before.',
};

function paginationError(problem: PaginationProblem): PaginationError {
  const details = { operation: OPERATION, attempt: 1, outcome: 'refused' } as const;
  return new PaginationError(`${OPERATION}: ${PROBLEM_WORDS[problem]}`, details, problem);
}
