import type { StoreRules } from '../checkouts/repository.js';
import type { Config } from '../config.js';

/** Added to the provider's deadline before others may think that a sender is dead. */
const LEASE_SLACK_SECONDS = 5;
const DAY_SECONDS = 86_400;

/** The limits that a store keeps, from the settings. */
export function storeRulesOf(config: Config): StoreRules {
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
