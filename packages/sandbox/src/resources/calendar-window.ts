const HOUR_MILLISECONDS = 3_600_000;
/** No time zone, past or present, is further from UTC than this. */
const FURTHEST_MILLISECONDS = 16 * HOUR_MILLISECONDS;

/** The moments whose calendar day in a time zone lies between two days, both included. */
export interface CalendarWindow {
  /** Nothing newer than this can be inside. */
  readonly latest: number;
  /** Nothing older than this can be inside. */
  readonly earliest: number;
  contains(time: number): boolean;
}

/**
 * Makes the window of `fromDate` and `toDate` (spec 4.1): whole days of the time zone. Only moments
 * near its ends need the calendar, so a row costs two comparisons.
 */
export function makeCalendarWindow(
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

/** Says whether a text names a time zone. */
export function isTimezone(name: string): boolean {
  try {
    makeDayOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Gives the calendar day of a moment in a time zone, as `YYYY-MM-DD`. */
function makeDayOf(timezone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => format.format(time);
}
