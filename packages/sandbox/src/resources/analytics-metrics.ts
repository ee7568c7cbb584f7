import { SeededDraws } from '../generated/seeded-draws.js';
import { fromMinor, toJsonNumber } from '../money.js';
import type { AnalyticsPartner } from './analytics-partner.js';
import type { AnalyticsPeriod } from './analytics.js';

const DAY_MILLISECONDS = 86_400_000;
const PURPOSE = { count: 1, volume: 2 } as const;

/**
 * Invents `data` of the analytics answer: the names of the metrics are not shown (spec 2.7), so
 * there is one of each JSON type, a series among them. The same partner, day and seed give the same
 * numbers; they have nothing to do with the list of transactions.
 */
export function inventMetrics(
  partner: AnalyticsPartner,
  period: AnalyticsPeriod,
  seed: string,
): Readonly<Record<string, unknown>> {
  const days = partner.isQuiet === true ? [] : inventDays(partner, period, seed);
  const count = days.reduce((sum, day) => sum + day.transactions, 0);
  const volume = days.reduce((sum, day) => sum + day.volumeMinor, 0n);
  return {
    partner_name: partner.name,
    from_date: period.from,
    to_date: period.to,
    is_estimate: false,
    transaction_count: count,
    total_volume: writeMoney(volume),
    average_amount: writeMoney(count === 0 ? 0n : volume / BigInt(count)),
    conversion_rate: count === 0 ? null : 0.9125,
    payment_methods: {
      'New Card': Math.floor(count / 2),
      'Saved Card': count - Math.floor(count / 2),
    },
    daily: days.map(({ date, transactions, volumeMinor }) => ({
      date,
      transactions,
      volume: writeMoney(volumeMinor),
    })),
    currencies: count === 0 ? [] : ['EUR', 'GBP'],
  };
}

function inventDays(
  partner: AnalyticsPartner,
  period: AnalyticsPeriod,
  seed: string,
): { date: string; transactions: number; volumeMinor: bigint }[] {
  const draws = new SeededDraws(`${seed} ${partner.name}`);
  const first = Date.parse(period.from) / DAY_MILLISECONDS;
  const last = Date.parse(period.to) / DAY_MILLISECONDS;
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const day = first + index;
    const transactions = 20 + draws.below(80, day, PURPOSE.count);
    return {
      date: new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10),
      transactions,
      volumeMinor: BigInt(transactions * (1500 + draws.below(2000, day, PURPOSE.volume))),
    };
  });
}

function writeMoney(minor: bigint): unknown {
  return toJsonNumber(fromMinor(minor, 2));
}
