import type { PageEnd, PaginationProblem } from '@pay-checkout/partner-api';
import type {
  PartnerGateway,
  TransactionList,
  TransactionPage,
  TransactionRow,
} from '../provider/gateway.js';
import { timeOf } from './matching.js';

const DAY_MS = 86_400_000;
/** Rows on a page. The provider's maximum is not shown (spec 8). */
const PAGE_ROWS = 100;

/** A range of the list, from a row back to a time, and how far it has been read. */
export interface PageRange extends TransactionList {
  readonly fromDate: string;
  toDate: string;
  /** How far back it goes, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** When its newest page was requested. */
  readonly startedAt: number;
  /** Where to continue; undefined where a request by days alone is next. */
  cursor?: string | undefined;
  /** Cursors seen so far. A repeated one means a loop. */
  readonly usedCursors: Set<string>;
  /** The time of the oldest row read. */
  oldestReadMs: number;
  isRead: boolean;
  /** Whether its days have nothing more to read. */
  isEndOfList: boolean;
  /**
   * Days that were skipped, in UTC, newest first: their rows may be missing from what was read.
   * Where there is one, nothing follows from the absence of a row.
   */
  unreadDays: readonly string[];
  /** How often the page at the cursor could not be read. */
  failures: number;
}

/**
 * The range from the newest row back to a time; none of it has been read.
 *
 * @param windowMs the list is requested back to this, so that a range below may go so far
 */
export function newestRange(
  start: Pick<PageRange, keyof TransactionList | 'startedAt' | 'sinceMs'>,
  windowMs: number,
): PageRange {
  return {
    ...start,
    fromDate: toDate(windowMs - DAY_MS),
    toDate: toDate(start.startedAt + DAY_MS),
    usedCursors: new Set(),
    oldestReadMs: Infinity,
    isRead: false,
    isEndOfList: false,
    unreadDays: [],
    failures: 0,
  };
}

/** The range that continues where another one stopped. It is read already when nothing is left. */
export function rangeBelow(range: PageRange, sinceMs: number): PageRange {
  return {
    ...range,
    sinceMs,
    usedCursors: new Set(range.usedCursors),
    isRead: range.isEndOfList || range.oldestReadMs < sinceMs,
  };
}

/**
 * What is left of a range, requested by its days and not by its cursor, whose lifetime is not shown
 * (spec 8). It re-reads some rows.
 */
export function retryRange(range: PageRange): PageRange {
  return {
    ...range,
    fromDate: toDate(range.sinceMs - DAY_MS),
    toDate: toDate(Math.min(range.oldestReadMs, range.startedAt) + DAY_MS),
    cursor: undefined,
    usedCursors: new Set(),
    isRead: false,
    isEndOfList: false,
    failures: 0,
  };
}

/**
 * Reads the next page of a range: the only way in which the server pages through the list. A page
 * that was not processed is read again. Where a page does not say how to request the rest, the range
 * is continued by its days.
 *
 * @param process gets the problem of a page that ends before the range does
 */
export async function readNextPage(
  gateway: Pick<PartnerGateway, 'listTransactions'>,
  range: PageRange,
  process: (page: TransactionPage, problem?: PaginationProblem) => Promise<void> | void,
): Promise<void> {
  const { account, providerMerchantId, fromDate, toDate, cursor } = range;
  const page = await gateway.listTransactions({
    account,
    providerMerchantId,
    fromDate,
    toDate,
    cursor,
    limit: PAGE_ROWS,
  });
  const end = endOf(page, range);
  const oldestReadMs = Math.min(range.oldestReadMs, oldestOf(page.rows));
  const isFarEnough = oldestReadMs < range.sinceMs;
  await process(page, end.kind === 'incomplete' && !isFarEnough ? end.problem : undefined);
  range.failures = 0;
  range.oldestReadMs = oldestReadMs;
  if (end.kind === 'more') {
    range.cursor = end.cursor;
    range.usedCursors.add(end.cursor);
  } else {
    range.cursor = undefined;
    range.usedCursors.clear();
    range.isEndOfList = end.kind === 'complete';
    if (end.kind === 'incomplete' && !isFarEnough) continueByDays(range);
  }
  range.isRead = range.isEndOfList || isFarEnough;
}

/** A repeated cursor means a loop. */
function endOf({ end }: TransactionPage, { usedCursors }: PageRange): PageEnd {
  return end.kind === 'more' && usedCursors.has(end.cursor)
    ? { kind: 'incomplete', problem: 'repeated_cursor' }
    : end;
}

/**
 * Requests the rest by its days. A day that has more rows than the provider returns is skipped: the
 * next request is for the days before it.
 */
function continueByDays(range: PageRange): void {
  const reachedDate = toDate(Math.min(range.oldestReadMs, range.startedAt) + DAY_MS);
  const isStuck = reachedDate >= range.toDate;
  if (isStuck) range.unreadDays = [...range.unreadDays, range.toDate];
  range.toDate = isStuck ? toDate(Date.parse(range.toDate) - DAY_MS) : reachedDate;
  range.isEndOfList = range.toDate < range.fromDate;
}

/**
 * Leaves what could not be requested: continues below the rows that were read or, where nothing was
 * read since, below the newest day.
 */
export function passOver(range: PageRange): void {
  range.cursor = undefined;
  range.usedCursors.clear();
  continueByDays(range);
  range.isRead = range.isEndOfList;
}

/** The day in UTC, `YYYY-MM-DD`; the list is requested with `timezone: 'UTC'`. */
function toDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * How far back a page goes: the time of its last row that has one (spec 4.1 rule 2). A row out of
 * place further up says nothing about the rows after it.
 */
function oldestOf(rows: readonly TransactionRow[]): number {
  return rows.reduce((oldest, row) => timeOf(row) ?? oldest, Infinity);
}
