/** Where the time comes from, in milliseconds since 1970. Tests hand in one that they move. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
