/** Looks that the deliveries of one attempt may cause in an hour. */
const MAX_PER_HOUR = 6;
/** A look goes on for two minutes; deliveries of the first of them need no other. */
const COVERED_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAX_ATTEMPTS = 10_000;

/**
 * Decides which deliveries cause a look. Those that come together share one, and a flood of forged
 * ones soon causes none: what it hides is found by the looks that nobody asks for.
 */
export class PollLimiter {
  /** When the deliveries of an attempt caused looks, newest last; by its `order_id`. */
  readonly #looks = new Map<number, number[]>();

  /** Whether a delivery for this attempt may cause a look now; it is counted if so. */
  allow(orderId: number, now: number): boolean {
    const looks = (this.#looks.get(orderId) ?? []).filter((at) => at > now - HOUR_MS);
    const isCovered = now - (looks.at(-1) ?? -Infinity) < COVERED_MS;
    if (isCovered || looks.length >= MAX_PER_HOUR) return false;
    looks.push(now);
    this.#looks.delete(orderId);
    this.#looks.set(orderId, looks);
    this.#forgetOldest();
    return true;
  }

  /** The look that was allowed at that time was never planned: it counts for nothing. */
  takeBack(orderId: number, allowedAt: number): void {
    const looks = this.#looks.get(orderId);
    const index = looks?.lastIndexOf(allowedAt) ?? -1;
    if (index >= 0) looks?.splice(index, 1);
  }

  #forgetOldest(): void {
    if (this.#looks.size <= MAX_ATTEMPTS) return;
    const [oldest] = this.#looks.keys();
    if (oldest !== undefined) this.#looks.delete(oldest);
  }
}
