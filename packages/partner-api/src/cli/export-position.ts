import { hash } from 'node:crypto';

import { toJsonText } from '../decimal.js';
import type { Transaction } from '../resources/transaction.js';
import type { ListedPage } from '../resources/transaction-pages.js';

/** Where an export goes on: the page to request, and which rows around it are written already. */
export interface ExportPosition {
  /** Of the page to request; none for the first one. */
  readonly cursor?: string | undefined;
  /** Hashes of rows. */
  readonly written: readonly string[];
}

/**
 * Follows an export from page to page, so that it can be resumed without a gap or a repeat: each row
 * that was written is left out as often as it was written, wherever it stands now. The list may have
 * grown at its start in the meantime.
 */
export class ExportSeam {
  readonly #start: ExportPosition;
  /** How often each row was written before the start, and has not come again. */
  readonly #unmet = new Map<string, number>();
  #last: ListedPage | undefined;
  /** Whether the last page had rows that were written before the start: others may follow. */
  #isRepeating = false;
  #rows: readonly Transaction[] = [];
  #rowsBefore: readonly Transaction[] = [];

  constructor(start: ExportPosition = { written: [] }) {
    this.#start = start;
    for (const row of start.written) this.#unmet.set(row, (this.#unmet.get(row) ?? 0) + 1);
  }

  /** The rows of the next page that are not written yet. The page then counts as written. */
  take(page: ListedPage): readonly Transaction[] {
    this.#last = page;
    const { transactions } = page.data;
    if (this.#rows.length > 0) this.#rowsBefore = this.#rows;
    this.#rows = transactions;
    const fresh =
      this.#unmet.size === 0 ? transactions : transactions.filter((row) => !this.#meet(row));
    this.#isRepeating = fresh.length < transactions.length;
    return fresh;
  }

  /** Where it stands after the last page that was taken: at the next one, or at the same one if none follows. */
  position(): ExportPosition {
    if (this.#last === undefined) return this.#start;
    const { end, cursor } = this.#last;
    const isDone = end.kind === 'more';
    // A row without an id may look like another one, except where the page itself is requested again.
    const named = [...this.#rowsBefore, ...(isDone ? this.#rows : [])].filter(
      ({ id }) => typeof id === 'string',
    );
    const rows = isDone ? named : [...named, ...this.#rows];
    const unmet = this.#isRepeating ? [...this.#unmet] : [];
    return {
      cursor: isDone ? end.cursor : cursor,
      written: [
        ...unmet.flatMap(([row, count]) => Array<string>(count).fill(row)),
        ...rows.map(hashOf),
      ],
    };
  }

  #meet(row: Transaction): boolean {
    const hashed = hashOf(row);
    const count = this.#unmet.get(hashed);
    if (count === undefined) return false;
    if (count === 1) this.#unmet.delete(hashed);
    else this.#unmet.set(hashed, count - 1);
    return true;
  }
}

function hashOf(row: Transaction): string {
  return hash('sha256', toJsonText(row), 'base64url');
}
