import { LIST_START, readCursor, writeCursor } from '../transactions/cursor.js';
import type { StoredTransaction, TransactionStore } from '../transactions/transaction-store.js';

/** Which transactions to show. */
export interface TransactionQuery {
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  /** Default 50. */
  readonly limit?: number | undefined;
  readonly status?: string | undefined;
  readonly merchantId?: number | undefined;
  /** Text in any field, in any case. */
  readonly search?: string | undefined;
}

export interface TransactionPage {
  readonly transactions: readonly StoredTransaction[];
  /** Undefined at the end. A search may stop before the page is full: it goes on here. */
  readonly next?: string;
}

/** Rows that one search reads: they are made for it, some ten microseconds each. */
const MAX_SEARCHED = 10_000;

/** Reads one page of all transactions, newest first, hidden ones included. */
export function readPage(store: TransactionStore, query: TransactionQuery): TransactionPage {
  const { cursor, limit = 50, status, merchantId, search = '' } = query;
  const byId = search === '' ? undefined : store.read(search);
  if (byId !== undefined) return { transactions: [byId] };
  const words = search.toLowerCase();
  const found: StoredTransaction[] = [];
  const rows = store.walk({
    after: (cursor === undefined ? undefined : readCursor(cursor)?.place) ?? LIST_START,
    now: Infinity,
    matches: (traits) =>
      (status === undefined || traits.status === status) &&
      (merchantId === undefined || traits.merchantId === merchantId),
  });
  let searched = 0;
  let last: StoredTransaction | undefined;
  for (const stored of rows) {
    if (found.length === limit || searched === MAX_SEARCHED) {
      return { transactions: found, ...(last && { next: writeCursor(last) }) };
    }
    searched += 1;
    last = stored;
    if (words === '' || textOf(stored).includes(words)) found.push(stored);
  }
  return { transactions: found };
}

function textOf({ row }: StoredTransaction): string {
  return Object.values(row).join('\n').toLowerCase();
}
