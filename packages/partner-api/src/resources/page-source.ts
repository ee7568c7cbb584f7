import { CallAbortedError, PaginationError, type PaginationProblem } from '../errors.js';
import type { TransactionPage } from './transaction.js';

/** Reads one page of a list: the first one without a cursor. */
export type FetchPage = (
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<TransactionPage>;

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

const PROBLEM_WORDS: Readonly<Record<PaginationProblem, string>> = {
  missing_pagination: 'a page does not say whether more rows follow.',
  missing_cursor: 'a page announces more rows, and has no cursor.',
  repeated_cursor: 'a page announces more rows with a cursor that was used before.',
};

/** A page and the cursor that it was asked with. */
export interface FetchedPage {
  readonly cursor: string | undefined;
  readonly page: TransactionPage;
}

/**
 * Follows cursors from page to page, at most one page ahead of its reader. A page that failed is
 * requested again with the same cursor when the reader comes back. After a page with an incomplete
 * end each read fails.
 */
export class PageSource {
  readonly #operation: string;
  readonly #fetch: FetchPage;
  readonly #signal: AbortSignal | undefined;
  readonly #used = new Set<string>();
  #cursor: string | undefined;
  #end: PageEnd | undefined;
  #closed = false;
  #ahead: { promise: Promise<FetchedPage>; controller: AbortController } | undefined;

  constructor(options: {
    operation: string;
    fetch: FetchPage;
    signal: AbortSignal | undefined;
    from: string | undefined;
    ended: boolean;
  }) {
    this.#operation = options.operation;
    this.#fetch = options.fetch;
    this.#signal = options.signal;
    this.#cursor = options.from;
    if (options.ended) this.#end = { kind: 'complete' };
    if (options.from !== undefined) this.#used.add(options.from);
  }

  /** The cursor of the page that comes next; of the last one read, when its end is incomplete. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** How the last page that was read ends. */
  get end(): PageEnd | undefined {
    return this.#end;
  }

  get isAborted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Asks for the next page already, if there is one. {@link read} throws its failure. */
  readAhead(): void {
    if (this.#closed || this.#ahead !== undefined || this.isAborted) return;
    if (this.#end !== undefined && this.#end.kind !== 'more') return;
    this.#ahead = this.#start();
    this.#ahead.promise.catch(() => undefined);
  }

  /** The next page, or `undefined` after the last one. */
  async read(): Promise<FetchedPage | undefined> {
    this.throwIfAborted();
    if (this.#closed || this.#end?.kind === 'complete') return undefined;
    if (this.#end?.kind === 'incomplete') throw this.#failure(this.#end.problem);
    const running = this.#ahead ?? this.#start();
    this.#ahead = undefined;
    const fetched = await running.promise;
    this.#follow(fetched.page);
    return fetched;
  }

  /** Aborts the running request, and returns no further page. */
  close(): void {
    this.#closed = true;
    this.#ahead?.controller.abort(new Error('the iteration was ended'));
    this.#ahead = undefined;
  }

  throwIfAborted(): void {
    if (!this.isAborted) return;
    throw new CallAbortedError(`${this.#operation}: the caller aborted the iteration.`, {
      operation: this.#operation,
      attempt: 0,
      outcome: 'not_sent',
      cause: this.#signal?.reason,
    });
  }

  #start(): { promise: Promise<FetchedPage>; controller: AbortController } {
    const cursor = this.#cursor;
    const controller = new AbortController();
    const follow = (): void => controller.abort(this.#signal?.reason);
    this.#signal?.addEventListener('abort', follow, { once: true });
    const promise = this.#fetch(cursor, controller.signal)
      .then((page) => ({ cursor, page }))
      .finally(() => this.#signal?.removeEventListener('abort', follow));
    return { promise, controller };
  }

  #follow(page: TransactionPage): void {
    const end = endOfPage(page, this.#used);
    this.#end = end;
    if (end.kind === 'complete') this.#cursor = undefined;
    if (end.kind !== 'more') return;
    this.#used.add(end.cursor);
    this.#cursor = end.cursor;
  }

  #failure(problem: PaginationProblem): PaginationError {
    const details = { operation: this.#operation, attempt: 1, outcome: 'refused' } as const;
    const message = `${this.#operation}: ${PROBLEM_WORDS[problem]}`;
    return new PaginationError(message, details, problem);
  }
}
