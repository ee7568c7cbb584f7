import type { Accounts } from '../accounts.js';
import type { VirtualClock } from '../clock.js';
import type { ListPlace } from './cursor.js';
import type { StoredTransaction, TransactionStore } from './transaction-store.js';
import type { TransactionRow, TransactionTraits } from './transaction.js';

const HOUR_MILLISECONDS = 3_600_000;
/** No time zone, past or present, is further from UTC than this. */
const FURTHEST_MILLISECONDS = 16 * HOUR_MILLISECONDS;

/** The filter `REFUND` selects the rows whose status is `REFUNDED` (spec 3). */
const STATUS_OF_FILTER = { SUCCESS: 'SUCCESS', REFUND: 'REFUNDED' } as const;

/** Which rows to find; a field that is left out does not narrow the list. */
interface RowQuery {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
  readonly status?: readonly (keyof typeof STATUS_OF_FILTER)[] | undefined;
  readonly merchantId?: number | undefined;
  readonly resellerId?: number | undefined;
  /** The reseller whose merchants the caller knows. */
  readonly scope?: number | undefined;
}

interface Parts {
  readonly accounts: Accounts;
  readonly transactions: TransactionStore;
  readonly clock: VirtualClock;
}

/** The rows that a query selects, newest first; dates are days of UTC. */
export function* listRows(parts: Parts, query: RowQuery): Generator<TransactionRow> {
  for (const { row } of findMatching(parts, query, 'UTC', undefined)) yield row;
}

/** The same rows with what the list knows of them; dates are days of the time zone. */
export function findMatching(
  parts: Parts,
  query: RowQuery,
  timezone: string,
  after: ListPlace | undefined,
): Iterable<StoredTransaction> {
  const statuses = query.status?.map((filter): string => STATUS_OF_FILTER[filter]) ?? [];
  const window = makeCalendarWindow(query.fromDate, query.toDate, timezone);
  const hasWindow = query.fromDate !== undefined || query.toDate !== undefined;
  const matches = ({ time, merchantId, status }: TransactionTraits): boolean =>
    (statuses.length === 0 || statuses.includes(status ?? '')) &&
    (query.merchantId === undefined || merchantId === query.merchantId) &&
    [query.resellerId, query.scope].every(
      (id) => id === undefined || parts.accounts.resellerOf(merchantId) === id,
    ) &&
    (!hasWindow || window.contains(time));
  const { latest, earliest } = window;
  return parts.transactions.walk({ after, latest, earliest, now: parts.clock.now(), matches });
}

/** The moments whose calendar day is in a range of days. */
interface CalendarWindow {
  /** Nothing newer than this can be inside. */
  readonly latest: number;
  /** Nothing older than this can be inside. */
  readonly earliest: number;
  contains(time: number): boolean;
}

/**
 * Makes the window of `fromDate` and `toDate` (spec 4.1): whole days of the time zone, both included.
 * Only moments near its ends need the calendar, so most rows cost two comparisons.
 */
function makeCalendarWindow(
  fromDate: string | undefined,
  toDate: string | undefined,
  timezone: string,
): CalendarWindow {
  const start = fromDate === undefined ? -Infinity : Date.parse(fromDate);
  const end = toDate === undefined ? Infinity : Date.parse(toDate) + 24 * HOUR_MILLISECONDS;
  const dayOf = makeDayOf(timezone);
  return {
    latest: end + FURTHEST_MILLISECONDS,
    earliest: start - FURTHEST_MILLISECONDS,
    contains(time) {
      if (time >= start + FURTHEST_MILLISECONDS && time < end - FURTHEST_MILLISECONDS) return true;
      const day = dayOf(time);
      return day >= (fromDate ?? day) && day <= (toDate ?? day);
    },
  };
}

export function isTimezone(name: string): boolean {
  try {
    makeDayOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Formats the calendar day of a moment in a time zone as `YYYY-MM-DD`. */
function makeDayOf(timezone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => format.format(time);
}
