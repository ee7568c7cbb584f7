import { toJsonText } from '../decimal.js';
import { InvalidRequestError } from '../errors.js';
import { GivenRows, type IterationPosition, writeCheckpoint } from './checkpoint.js';
import { type FetchPage, type PageEnd, PageSource } from './page-source.js';
import type { Transaction, TransactionPage } from './transaction.js';
import {
  addUnreadable,
  NO_UNREADABLE_ROWS,
  type UnreadableRows,
  unreadableRowsOf,
} from './unreadable-rows.js';

const OPERATION = 'transactions.iterate';

/** What a {@link TransactionIterator} works with. */
export interface TransactionIteratorOptions {
  readonly fetch: FetchPage;
  readonly position: IterationPosition;
  readonly filters: string;
  readonly signal: AbortSignal | undefined;
  readonly readAhead: boolean;
}

/**
 * Iterates over transactions, or over their {@link pages}, newest first.
 *
 * At most one page is read ahead (`readAhead: false`: none). A failure ends a `for await` loop, yet not the iterator: another
 * loop over it, or `next()`, asks for the same page again and goes on where it stopped. `break`
 * ends it. {@link checkpoint} gives its position at any time.
 *
 * The rows of a page whose {@link end} is incomplete are given, too; then each `next()` fails with a
 * `PaginationError`. `transactions.resume(checkpoint)` requests that page again.
 */
export class TransactionIterator implements AsyncIterableIterator<Transaction> {
  readonly #source: PageSource;
  readonly #filters: string;
  readonly #startedAt: IterationPosition;
  readonly #given: GivenRows;
  readonly #readsAhead: boolean;
  #rows: readonly Transaction[] = [];
  /** Rows of the page in hand that were given, or left out because they were given before. */
  #index = 0;
  /** The next page is asked for when so many rows of the page in hand were given. */
  #readAheadAt = 1;
  #cursorInHand: string | undefined;
  #pagesRead = 0;
  #idsBefore: readonly string[] = [];
  #unreadable = NO_UNREADABLE_ROWS;
  /** The rows of the page before, as they came. */
  #before: readonly Transaction[] = [];
  #repeatedRows = 0;
  #mode: 'unset' | 'items' | 'pages' = 'unset';
  #closed = false;
  #turn: Promise<unknown> | undefined;

  constructor({ fetch, position, filters, signal, readAhead }: TransactionIteratorOptions) {
    const { cursor: from, ended, givenIds, givenUnnamed } = position;
    this.#source = new PageSource({ operation: OPERATION, fetch, signal, from, ended });
    this.#filters = filters;
    this.#startedAt = position;
    this.#given = new GivenRows(givenIds, givenUnnamed);
    this.#readsAhead = readAhead;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Transaction, undefined>> {
    if (this.#mode !== 'items') this.#setMode('items');
    const row = this.#mayGiveAtOnce() ? this.#rows[this.#index] : undefined;
    if (row !== undefined) {
      this.#index += 1;
      this.#readAhead();
      return Promise.resolve({ done: false, value: row });
    }
    return this.#inTurn(() => this.#nextRow());
  }

  /** Ends the iteration, and aborts the running request. */
  return(): Promise<IteratorResult<Transaction, undefined>> {
    this.#closed = true;
    this.#source.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The same list page by page, empty pages included. For an iterator that gave no row yet. */
  pages(): AsyncIterableIterator<TransactionPage> {
    this.#setMode('pages');
    const pages: AsyncIterableIterator<TransactionPage> = {
      [Symbol.asyncIterator]: () => pages,
      next: () => this.#inTurn(() => this.#nextPage()),
      return: async () => {
        await this.return();
        return { done: true, value: undefined };
      },
    };
    return pages;
  }

  /**
   * The next rows as an array, at most `limit`, and ends the iteration.
   *
   * @example
   * const newest = await client.transactions.iterate().toArray({ limit: 100 });
   */
  async toArray(options: { readonly limit: number }): Promise<Transaction[]> {
    const { limit } = options ?? { limit: NaN };
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new InvalidRequestError('limit', 'must be a whole number above 0', OPERATION);
    }
    const rows: Transaction[] = [];
    for await (const row of this) if (rows.push(row) === limit) break;
    return rows;
  }

  /**
   * Where the iteration stands, as text for `transactions.resume` in this or another process. It
   * counts every row or page that was given as dealt with. It holds ids and a cursor, no other data.
   */
  checkpoint(): string {
    return writeCheckpoint(this.#position(), this.#filters);
  }

  /**
   * The rows so far that were left out because they are no objects, with the cursors of their pages.
   * After `resume` the count starts again with the first page read.
   */
  get unreadableRows(): UnreadableRows {
    return this.#unreadable;
  }

  /**
   * How many rows were left out because the page before had them, every field the same: a provider
   * that counts rows repeats some when new ones arrive in between.
   */
  get repeatedRows(): number {
    return this.#repeatedRows;
  }

  /** How the last page that was read ends; `undefined` before the first one. */
  get end(): PageEnd | undefined {
    return this.#source.end;
  }

  #readAhead(): void {
    if (this.#readsAhead && this.#index === this.#readAheadAt) this.#source.readAhead();
  }

  #position(): IterationPosition {
    if (this.#pagesRead === 0) return this.#startedAt;
    // What was given before the start, and was not met again, matters around the seam only.
    const unmet = this.#pagesRead === 1 ? this.#given.ids() : [];
    const { cursor, end } = this.#source;
    if (this.#index >= this.#rows.length && end?.kind !== 'incomplete') {
      const last = this.#rows.length > 0 ? idsOf(this.#rows) : this.#idsBefore;
      const ended = end?.kind === 'complete';
      return { cursor, ended, givenIds: [...unmet, ...last], givenUnnamed: 0 };
    }
    const given = this.#rows.slice(0, this.#index);
    return {
      cursor: this.#cursorInHand,
      ended: false,
      givenIds: [...unmet, ...this.#idsBefore, ...idsOf(given)],
      givenUnnamed: given.filter(({ id }) => typeof id !== 'string').length,
    };
  }

  #mayGiveAtOnce(): boolean {
    return (
      this.#turn === undefined && this.#given.isEmpty && !this.#closed && !this.#source.isAborted
    );
  }

  async #nextRow(): Promise<IteratorResult<Transaction, undefined>> {
    while (!this.#closed) {
      this.#source.throwIfAborted();
      const row = this.#rows[this.#index];
      if (row === undefined) {
        if ((await this.#turnPage()) === undefined) break;
        continue;
      }
      this.#index += 1;
      this.#readAhead();
      if (!this.#given.take(row)) return { done: false, value: row };
    }
    return { done: true, value: undefined };
  }

  async #nextPage(): Promise<IteratorResult<TransactionPage, undefined>> {
    const page = this.#closed ? undefined : await this.#turnPage();
    if (page === undefined) return { done: true, value: undefined };
    this.#index = this.#rows.length;
    if (this.#readsAhead) this.#source.readAhead();
    if (this.#given.isEmpty) return { done: false, value: page };
    const transactions = page.data.transactions.filter((row) => !this.#given.take(row));
    return { done: false, value: { ...page, data: { ...page.data, transactions } } };
  }

  async #turnPage(): Promise<TransactionPage | undefined> {
    if (this.#source.end?.kind !== 'incomplete') {
      // The rows are let go before the next page is parsed: the collector need not carry them.
      if (this.#rows.length > 0) this.#idsBefore = idsOf(this.#rows);
      this.#rows = [];
      this.#index = 0;
    }
    const fetched = await this.#source.read();
    if (fetched === undefined) return undefined;
    if (this.#pagesRead > 0) this.#given.forgetUnnamed();
    this.#pagesRead += 1;
    const came = fetched.page.data.transactions;
    this.#rows = withoutRepeated(came, this.#before);
    this.#repeatedRows += came.length - this.#rows.length;
    this.#before = came;
    // A reader of a few rows may stop on the first page: a second one would be for nothing.
    this.#readAheadAt = this.#pagesRead === 1 ? (this.#rows.length >> 1) + 1 : 1;
    this.#cursorInHand = fetched.cursor;
    this.#unreadable = addUnreadable(
      this.#unreadable,
      unreadableRowsOf(fetched.page),
      fetched.cursor,
    );
    if (this.#rows === came) return fetched.page;
    return { ...fetched.page, data: { ...fetched.page.data, transactions: this.#rows.slice() } };
  }

  /** Calls of `next` that come before the last one has ended wait for it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn === undefined ? work() : this.#turn.then(work, work);
    this.#turn = turn;
    const end = (): void => {
      if (this.#turn === turn) this.#turn = undefined;
    };
    turn.then(end, end);
    return turn;
  }

  #setMode(mode: 'items' | 'pages'): void {
    if (this.#mode === 'unset') this.#mode = mode;
    if (this.#mode === mode) return;
    const advice = 'cannot be mixed in one iterator: iterate over rows or over pages';
    throw new InvalidRequestError('pages()', advice, OPERATION);
  }
}

/** The same list unless its first row was on the page before: repeated rows come first. */
function withoutRepeated(
  rows: readonly Transaction[],
  before: readonly Transaction[],
): readonly Transaction[] {
  const first = rows[0]?.id;
  if (typeof first !== 'string' || !before.some(({ id }) => id === first)) return rows;
  const known = new Set(before.map((row) => toJsonText(row)));
  return rows.filter((row) => typeof row.id !== 'string' || !known.has(toJsonText(row)));
}

function idsOf(rows: readonly Transaction[]): string[] {
  // A plain loop: it runs for every page, and `flatMap` would make a list for every row.
  const ids: string[] = [];
  for (const { id } of rows) if (typeof id === 'string') ids.push(id);
  return ids;
}
