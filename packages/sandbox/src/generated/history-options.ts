/** Which past transactions a sandbox starts with. */
export interface HistoryOptions {
  /** How many. Default 0. Rows are made when they are listed: two million cost no memory. */
  readonly count?: number | undefined;
  /** Any text; the same seed, count, days, end and merchants give the same bytes. */
  readonly seed?: string | undefined;
  /** ISO 8601 time that every row is before. Default `2026-01-01T00:00:00.000Z`, for equal bytes. */
  readonly until?: string | undefined;
  /** Over how many days they are spread. Default 365. */
  readonly days?: number | undefined;
}

/** The seed of a sandbox that was given none. */
export const DEFAULT_SEED = 'pay-sandbox';

/** More would not fit between two milliseconds of a year. */
export const MAXIMUM_COUNT = 10_000_000;
