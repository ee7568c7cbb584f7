/** Pauses after each try that was not taken, in seconds: three days in all, before jitter. */
const PAUSES_SECONDS = [
  5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 80_400,
] as const;

/** How much longer than that a pause may be, so that a shop that comes back is not hit by all at once. */
const JITTER = 0.2;

/**
 * How long to wait after a try that was not taken, or undefined when it was the last one.
 *
 * @param tries how often the event had been sent without success before this try
 * @param random a number from 0 up to 1
 */
export function retryDelaySeconds(tries: number, random: number): number | undefined {
  const pause = PAUSES_SECONDS[tries];
  return pause === undefined ? undefined : pause * (1 + JITTER * random);
}
