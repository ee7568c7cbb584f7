import type { TransactionPage } from '../provider/gateway.js';
import { timeOf, type TransactionRow } from './matching.js';

const DAY_MS = 86_400_000;

/**
 * A stretch of the list, from a row back to a time, and how far it has been read. `fresh` ones begin
 * with the newest row; an `overlap` goes on below one, for rows that were listed late; `deep` ones go
 * back to what is watched for weeks.
 */
export interface PageRange {
  readonly kind: 'fresh' | 'overlap' | 'deep';
  readonly fromDate: string;
  readonly toDate: string;
  /** How far back it goes, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** When its newest page was asked for. */
  readonly startedAt: number;
  /** Where to go on; undefined before its first page, and after the last page of the list. */
  cursor?: string | undefined;
  /** The cursors that it has met: one that comes again leads round in a circle. */
  readonly taken: Set<string>;
  /** The time of the oldest row that has been read. */
  reachedMs: number;
  isRead: boolean;
  /** How often the page at its cursor could not be read. */
  failures: number;
}

/** The stretch from the newest row of a moment back to a time; nothing of it has been read. */
export function newestRange(
  startedAt: number,
  { sinceMs, windowMs }: { readonly sinceMs: number; readonly windowMs: number },
): PageRange {
  return {
    kind: 'fresh',
    fromDate: toDate(windowMs - DAY_MS),
    toDate: toDate(startedAt + DAY_MS),
    sinceMs,
    startedAt,
    taken: new Set(),
    reachedMs: Infinity,
    isRead: false,
    failures: 0,
  };
}

/** What lies below a stretch, further back; it is read already when nothing does. */
export function below(stretch: PageRange, kind: PageRange['kind'], sinceMs: number): PageRange {
  return {
    ...stretch,
    kind,
    sinceMs,
    taken: new Set(stretch.taken),
    isRead: isWhole(stretch) || stretch.reachedMs < sinceMs,
  };
}

/** A stretch that goes on to a time further back, also beyond the days that it asked for. */
export function further(stretch: PageRange, sinceMs: number): PageRange {
  return toDate(sinceMs - DAY_MS) >= stretch.fromDate
    ? below(stretch, stretch.kind, sinceMs)
    : remainingDays(stretch, sinceMs);
}

/**
 * The rest of a stretch, back to a time, found by its days and not by a cursor, whose lifetime is not
 * shown (spec 8): it begins with some rows that have been read.
 */
export function remainingDays(stretch: PageRange, sinceMs = stretch.sinceMs): PageRange {
  const readMs = stretch.isRead ? stretch.sinceMs : stretch.reachedMs;
  return {
    ...stretch,
    fromDate: toDate(sinceMs - DAY_MS),
    toDate: toDate(Math.min(readMs, stretch.startedAt) + DAY_MS),
    sinceMs,
    cursor: undefined,
    taken: new Set(),
    isRead: false,
    failures: 0,
  };
}

/** Notes that the page at the cursor has been read. */
export function advancePage(stretch: PageRange, { rows, nextCursor }: TransactionPage): void {
  stretch.failures = 0;
  stretch.reachedMs = Math.min(stretch.reachedMs, oldestOf(rows));
  const isLast = nextCursor === undefined || stretch.taken.has(nextCursor);
  stretch.cursor = isLast ? undefined : nextCursor;
  if (stretch.cursor !== undefined) stretch.taken.add(stretch.cursor);
  stretch.isRead = isLast || stretch.reachedMs < stretch.sinceMs;
}

/** Whether a stretch has come to the end of the list. */
function isWhole({ isRead, cursor }: PageRange): boolean {
  return isRead && cursor === undefined;
}

/** The day in UTC, `YYYY-MM-DD`; the reader asks for `timezone: 'UTC'`. */
function toDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * How far back a page leads: its last row that has a time (spec 4.1 rule 2). One that is out of
 * place further up says nothing about the rows after it.
 */
function oldestOf(rows: readonly TransactionRow[]): number {
  return rows.reduce((oldest, row) => timeOf(row) ?? oldest, Infinity);
}
