import { CallAbortedError, PaginationError } from '../errors.js';
import type { TransactionPage } from './transactions.js';

/** Reads one page of a list: the first one without a cursor. */
export type FetchPage = (
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<TransactionPage>;

/** A page and the cursor that it was asked with. */
export interface FetchedPage {
  readonly cursor: string | undefined;
  readonly page: TransactionPage;
}

/**
 * Follows cursors from page to page, at most one page ahead of its reader. A page that failed is
 * asked for again with the same cursor when the reader comes back.
 */
export class PageSource {
  readonly #operation: string;
  readonly #fetch: FetchPage;
  readonly #signal: AbortSignal | undefined;
  readonly #used = new Set<string>();
  #next: string | undefined;
  #ended: boolean;
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
    this.#next = options.from;
    this.#ended = options.ended;
    if (options.from !== undefined) this.#used.add(options.from);
  }

  /** The cursor of the page that comes next. */
  get cursor(): string | undefined {
    return this.#next;
  }

  /** The last page was read. */
  get ended(): boolean {
    return this.#ended;
  }

  get isAborted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Asks for the next page already, if there is one. {@link read} throws its failure. */
  readAhead(): void {
    if (this.#ended || this.#closed || this.#ahead !== undefined) return;
    if (this.isAborted) return;
    this.#ahead = this.#start();
    this.#ahead.promise.catch(() => undefined);
  }

  /** The next page, or `undefined` after the last one. */
  async read(): Promise<FetchedPage | undefined> {
    this.throwIfAborted();
    if (this.#ended || this.#closed) return undefined;
    const running = this.#ahead ?? this.#start();
    this.#ahead = undefined;
    const fetched = await running.promise;
    this.#follow(fetched.page);
    return fetched;
  }

  /** Ends the request that is under way, and gives no further page. */
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
    const cursor = this.#next;
    const controller = new AbortController();
    const follow = (): void => controller.abort(this.#signal?.reason);
    this.#signal?.addEventListener('abort', follow, { once: true });
    const promise = this.#fetch(cursor, controller.signal)
      .then((page) => ({ cursor, page }))
      .finally(() => this.#signal?.removeEventListener('abort', follow));
    return { promise, controller };
  }

  /** Takes the cursor out of a page; fails loudly where a list would end early or go round. */
  #follow({ pagination: { hasMore, nextCursor } }: TransactionPage): void {
    if (!hasMore) {
      this.#ended = true;
      this.#next = undefined;
      return;
    }
    if (nextCursor === undefined || nextCursor === '') {
      throw this.#failure('missing_cursor', 'the answer announces more rows, and has no cursor.');
    }
    if (this.#used.has(nextCursor)) {
      const sentence = 'the answer announces more rows with a cursor that was used before.';
      throw this.#failure('repeated_cursor', sentence);
    }
    this.#used.add(nextCursor);
    this.#next = nextCursor;
  }

  #failure(problem: 'missing_cursor' | 'repeated_cursor', sentence: string): PaginationError {
    const details = { operation: this.#operation, attempt: 1, outcome: 'refused' } as const;
    return new PaginationError(`${this.#operation}: ${sentence}`, details, problem);
  }
}
