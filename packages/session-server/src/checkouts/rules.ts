import type { Config } from '../config.js';

/** The limits of checkouts and attempts. */
export interface CheckoutRules {
  readonly expireAfterSeconds: number;
  readonly settleWindowSeconds: number;
  /** How long a sender may take before others consider it dead. */
  readonly sendLeaseSeconds: number;
  readonly renewalsPerHour: number;
  /** How long an unpaid attempt is watched, and a paid one for refunds. */
  readonly watchSeconds: number;
  readonly refundWatchSeconds: number;
  /** The largest `order_id` (spec 4.6 says integer; its range is not shown). */
  readonly maxOrderId: number;
}

/** Added to the provider's deadline before a sender counts as dead. */
const LEASE_SLACK_SECONDS = 5;
const DAY_SECONDS = 86_400;

export function checkoutRulesOf(config: Config): CheckoutRules {
  return {
    expireAfterSeconds: config.expireAfterSeconds,
    settleWindowSeconds: config.settleWindowSeconds,
    sendLeaseSeconds: config.createSessionTimeoutSeconds + LEASE_SLACK_SECONDS,
    renewalsPerHour: config.renewalsPerHour,
    watchSeconds: config.watchDays * DAY_SECONDS,
    refundWatchSeconds: config.refundWatchDays * DAY_SECONDS,
    maxOrderId: config.maxOrderId,
  };
}
