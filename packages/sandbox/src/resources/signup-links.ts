import type { Merchant } from '../accounts.js';

const DAY_MILLISECONDS = 86_400_000;
/** Spec section 8. */
const EXTENSION_DAYS = 14;
/** The signup links of a new sandbox ended this long ago. */
const ENDED_DAYS_AGO = 3;

/** How long the signup link of each merchant is valid (spec 2.6), in milliseconds since 1970. */
export class SignupLinks {
  readonly #validUntil = new Map<number, number>();

  /** Starts over: the link of every merchant has ended. */
  reset(merchants: readonly Merchant[], now: number): void {
    this.#validUntil.clear();
    for (const merchant of merchants) this.add(merchant, now);
  }

  /** The link of a new merchant has ended, too. */
  add({ id }: Merchant, now: number): void {
    this.#validUntil.set(id, now - ENDED_DAYS_AGO * DAY_MILLISECONDS);
  }

  /** Adds 14 days (spec 3) to the end of the link, or to now when it has ended. */
  reactivate(merchantId: number, now: number): void {
    const start = Math.max(this.#validUntil.get(merchantId) ?? now, now);
    this.#validUntil.set(merchantId, start + EXTENSION_DAYS * DAY_MILLISECONDS);
  }

  list(): { merchantId: number; validUntil: string }[] {
    return [...this.#validUntil].map(([merchantId, validUntil]) => ({
      merchantId,
      validUntil: new Date(validUntil).toISOString(),
    }));
  }
}
