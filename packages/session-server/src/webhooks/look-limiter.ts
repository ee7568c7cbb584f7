/** Looks that the deliveries of one checkout may cause in an hour. */
const MOST_PER_HOUR = 6;
/** A look goes on for two minutes; deliveries of the first of them need no other. */
const COVERED_MS = 60_000;
const HOUR_MS = 3_600_000;
const MOST_CHECKOUTS = 10_000;

/**
 * Decides which deliveries cause a look. Those that come together share one, and a flood of forged
 * ones soon causes none: what it hides is found by the looks that nobody asks for.
 */
export class LookLimiter {
  /** When the deliveries of a checkout caused looks, newest last. */
  readonly #looks = new Map<string, number[]>();

  /** Whether a delivery for this checkout may cause a look now; it is counted if so. */
  allow(checkout: string, now: number): boolean {
    const looks = (this.#looks.get(checkout) ?? []).filter((at) => at > now - HOUR_MS);
    const isCovered = now - (looks.at(-1) ?? -Infinity) < COVERED_MS;
    if (isCovered || looks.length >= MOST_PER_HOUR) return false;
    looks.push(now);
    this.#looks.delete(checkout);
    this.#looks.set(checkout, looks);
    this.#forgetOldest();
    return true;
  }

  /** The look that was allowed at that time was never planned: it counts for nothing. */
  takeBack(checkout: string, allowedAt: number): void {
    const looks = this.#looks.get(checkout);
    const index = looks?.lastIndexOf(allowedAt) ?? -1;
    if (index >= 0) looks?.splice(index, 1);
  }

  #forgetOldest(): void {
    if (this.#looks.size <= MOST_CHECKOUTS) return;
    const [oldest] = this.#looks.keys();
    if (oldest !== undefined) this.#looks.delete(oldest);
  }
}
