/** Pauses after each failed try, in seconds: three days in all, before jitter. */
const PAUSES_SECONDS = [
  5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 80_400,
] as const;

/** How much longer a pause may be, so that events do not all hit a shop at once when it comes back. */
const JITTER = 0.2;

/**
 * How long to wait after a failed try, or undefined when it was the last one.
 *
 * @param tries how often the event failed before this try
 * @param random a number from 0 up to 1
 */
export function retryDelaySeconds(tries: number, random: number): number | undefined {
  const pause = PAUSES_SECONDS[tries];
  return pause === undefined ? undefined : pause * (1 + JITTER * random);
}
