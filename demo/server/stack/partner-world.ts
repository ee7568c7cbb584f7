/** The platform team's world in the demo: its merchants, and a past at the sandbox. All invented. */
import type { KnownThings } from '../../shared/console-view.js';

const PAST_TRANSACTIONS = 4000;
const PAST_DAYS = 180;

/** Merchants beside our shop; none of them has a page in the demo. */
export const OTHER_MERCHANTS = [
  { id: 1002, name: 'Lanternfish Books', currency: 'EUR' },
  { id: 1003, name: 'Koyama Paper', currency: 'JPY' },
  { id: 1004, name: 'Saltmarsh Cycles', currency: 'GBP' },
  { id: 1005, name: 'Dune Radio', currency: 'KWD' },
] as const;

/** Settings of the sandbox: half a year of payments that ends at this moment. */
export function inventPast(now: Date): Readonly<Record<string, string>> {
  return {
    SANDBOX_TRANSACTIONS: String(PAST_TRANSACTIONS),
    SANDBOX_TRANSACTIONS_DAYS: String(PAST_DAYS),
    SANDBOX_TRANSACTIONS_UNTIL: now.toISOString(),
  };
}

/** What the team knows from its contracts: the provider's interface has no list of these. */
export function describeKnown(shopId: number, shopName: string): KnownThings {
  const others = OTHER_MERCHANTS.map(({ id, name }) => ({ id, name }));
  const merchants = [{ id: shopId, name: shopName }, ...others];
  return {
    partners: ['harbour-lane', 'quiet-harbour', 'broken-harbour'],
    merchants,
    reportSchedules: merchants.map(({ id }) => `sch_${id}_daily`),
  };
}
