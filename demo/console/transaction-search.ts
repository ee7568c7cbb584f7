/** What the provider cannot do: search transactions for a text, and read a single one. */
import {
  fieldText,
  unreadableRowsOf,
  type ListTransactionsParams,
  type PageEnd,
  type PartnerClient,
  type Transaction,
} from '@pay-checkout/partner-api';
import { z } from 'zod';
import type { ProviderFields, TransactionsView } from './console-view.js';
import { toFields } from './provider-call.js';

const PAGE_ROWS = 500;
/** A person waits: the search stops here, and can go on. */
const MAX_PAGES = 10;
const DAY_MS = 86_400_000;

export interface SearchOptions {
  readonly q: string;
  readonly params: ListTransactionsParams;
  /** As many rows are wanted; those of the last page come all. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Rows with the text in any field, whatever its case; `searched` says in how many. */
export async function searchPages(
  client: PartnerClient,
  { q, params, limit, signal }: SearchOptions,
): Promise<TransactionsView> {
  const wanted = q.toLowerCase();
  const rows: ProviderFields[] = [];
  let searched = 0;
  let unreadable = 0;
  let timezone: string | undefined;
  let end: PageEnd | undefined;
  let pages = 0;
  const list = client.transactions.pages(
    { ...params, limit: PAGE_ROWS },
    { signal, readAhead: false },
  );
  for await (const page of list) {
    const { transactions } = page.data;
    searched += transactions.length;
    unreadable += unreadableRowsOf(page).count;
    timezone = page.data.timezone ?? timezone;
    rows.push(...transactions.filter((row) => hasText(row, wanted)).map(toFields));
    ({ end } = page);
    pages += 1;
    if (end.kind === 'incomplete' || rows.length >= limit || pages === MAX_PAGES) break;
  }
  return {
    ...{ rows, searched, unreadable },
    ...(typeof timezone === 'string' && { timezone }),
    hasMore: end?.kind !== 'complete',
    ...(end?.kind === 'more' && { nextCursor: end.cursor }),
    others: {},
  };
}

function hasText(row: Transaction, wanted: string): boolean {
  return Object.keys(row).some((name) => fieldText(row, name).toLowerCase().includes(wanted));
}

/** Which transaction: where it is said to be makes the list to search a short one. */
export const oneTransaction = z.strictObject({
  id: z.string('give its identifier'),
  day: z.iso.date('must be a day that exists, such as 2026-03-31').optional(),
});

interface FoundTransaction {
  readonly transaction: ProviderFields;
  /** Others of the same order, newest first. */
  readonly related: readonly ProviderFields[];
}

/** Searches the day and its neighbours, because the zone of days may differ; or the newest pages. */
export async function findTransaction(
  client: PartnerClient,
  { id, day }: z.output<typeof oneTransaction>,
  signal: AbortSignal,
): Promise<FoundTransaction | undefined> {
  const days = day === undefined ? {} : { fromDate: shift(day, -1), toDate: shift(day, 1) };
  const rows: Transaction[] = [];
  let pages = 0;
  const list = client.transactions.pages(
    { ...days, limit: PAGE_ROWS },
    { signal, readAhead: false },
  );
  for await (const page of list) {
    rows.push(...page.data.transactions);
    pages += 1;
    const isFound = rows.some((row) => row.id === id);
    if (pages === MAX_PAGES || (day === undefined && isFound)) break;
  }
  const found = rows.find((row) => row.id === id);
  if (found === undefined) return undefined;
  const related = rows.filter(
    (row) => row !== found && found.orderRef !== undefined && row.orderRef === found.orderRef,
  );
  return { transaction: toFields(found), related: related.map(toFields) };
}

function shift(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The operator's page searches for references; without one, for the transaction. */
export function linkToOrder(operatorUrl: string, row: ProviderFields): string | undefined {
  const wanted = row['orderRef'] || row['id'];
  if (!wanted) return undefined;
  return `${operatorUrl}/#/search?${new URLSearchParams({ q: wanted })}`;
}
