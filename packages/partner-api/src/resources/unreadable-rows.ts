import { kindOf } from '../http/reply.js';
import { isObject } from '../http/operation.js';
import type { Transaction, TransactionPage } from './transaction.js';

/** Where a row stood that is no object, and what stood there; never its value. */
export interface UnreadableRow {
  /** Cursor that its page was asked with; none on the first page of a list, and from `list`. */
  readonly cursor?: string;
  /** Its place among the rows that came, from 0. */
  readonly index: number;
  /** `null`, `text`, `number`, `list`, … */
  readonly kind: string;
}

/** Rows that were left out because they are no objects: how many, and where the first of them were. */
export interface UnreadableRows {
  readonly count: number;
  /** At most 20. */
  readonly first: readonly UnreadableRow[];
}

/** So many places are kept; a provider that sends nothing but such rows must not fill the memory. */
const MAX_PLACES = 20;

/** Symbol and enumerable: JSON and `Object.keys` do not see it, and a copy by spread keeps it. */
const UNREADABLE = Symbol.for('pay-checkout.partner-api.unreadable-rows');

export const NO_UNREADABLE_ROWS: UnreadableRows = { count: 0, first: [] };

/**
 * The rows that a page came with and that are not among its `transactions`, because they are no
 * objects. Nothing is known of them: each may be about any payment.
 *
 * @example
 * const { count } = unreadableRowsOf(await client.transactions.list());
 */
export function unreadableRowsOf(page: TransactionPage): UnreadableRows {
  return (page as { readonly [UNREADABLE]?: UnreadableRows })[UNREADABLE] ?? NO_UNREADABLE_ROWS;
}

/** A page without the rows that are no objects, which it remembers; the same page if it has none. */
export function leaveOutUnreadable(page: TransactionPage): TransactionPage {
  const came: readonly unknown[] = page.data.transactions;
  if (came.every(isObject)) return page;
  const first: UnreadableRow[] = [];
  let count = 0;
  for (const [index, row] of came.entries()) {
    if (isObject(row)) continue;
    count += 1;
    if (first.length < MAX_PLACES) first.push({ index, kind: kindOf(row) });
  }
  const transactions = came.filter(isObject) as Transaction[];
  const rest = { ...page, data: { ...page.data, transactions } };
  return Object.assign(rest, { [UNREADABLE]: { count, first } satisfies UnreadableRows });
}

/** Adds those of the page that was asked with a cursor to those of the pages before it. */
export function addUnreadable(
  before: UnreadableRows,
  page: UnreadableRows,
  cursor?: string,
): UnreadableRows {
  if (page.count === 0) return before;
  const added = cursor === undefined ? page.first : page.first.map((row) => ({ cursor, ...row }));
  return {
    count: before.count + page.count,
    first: [...before.first, ...added].slice(0, MAX_PLACES),
  };
}
