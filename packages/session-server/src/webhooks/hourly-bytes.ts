const HOUR_MS = 3_600_000;

/** So many bytes an hour of each registered endpoint; an hour begins with the first that comes. */
export class HourlyBytes {
  readonly #most: number;
  readonly #hours = new Map<string, { readonly endsAt: number; readonly taken: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes room in this hour of an endpoint; where there is none, answers in how many seconds there is. */
  take(tokenHash: string, bytes: number, now: number): number | undefined {
    const known = this.#hours.get(tokenHash);
    const hour = known && now < known.endsAt ? known : { endsAt: now + HOUR_MS, taken: 0 };
    const taken = hour.taken + bytes;
    if (taken > this.#most) return Math.ceil((hour.endsAt - now) / 1000);
    this.#hours.set(tokenHash, { ...hour, taken });
    return undefined;
  }
}
