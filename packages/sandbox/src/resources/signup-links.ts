import type { Merchant } from '../merchant.js';

const DAY_MILLISECONDS = 86_400_000;
/** Spec section 8. */
const EXTENSION_DAYS = 14;
/** The links of a fresh sandbox ended so long ago. */
const ENDED_DAYS_AGO = 3;

/** How long the signup link of each merchant is valid (spec 2.6), in milliseconds since 1970. */
export class SignupLinks {
  #validUntil = new Map<number, number>();

  /** Starts over: the link of every merchant has ended lately. */
  reset(merchants: readonly Merchant[], now: number): void {
    const ended = now - ENDED_DAYS_AGO * DAY_MILLISECONDS;
    this.#validUntil = new Map(merchants.map(({ id }) => [id, ended]));
  }

  /**
   * Makes the link valid again, for an additional 14 days (spec 3). The days are added to its end,
   * or to now when it has ended.
   */
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
