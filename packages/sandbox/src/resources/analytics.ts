import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall } from '../http/accept-call.js';
import { ApiError, invalidBody, parseBody } from '../http/errors.js';
import { fromMinor, toJsonNumber } from '../money.js';
import { date, notShown, requestBody, text } from '../schemas.js';
import { SeededRandom } from '../random.js';
import type { AnalyticsPartner } from '../settings.js';

const SECTION = 'section 4.5';
const DAY_MILLISECONDS = 86_400_000;
/** Spec section 8. */
const MAX_DAYS = 90;
const DAYS_OF_TIMEFRAME = { weekly: 7, monthly: 30, quarterly: 90 } as const;
const PURPOSE = { count: 1, volume: 2 } as const;

/** Body of `POST /v1/analytics/partner_analytics` (spec 4.5). */
export const partnerAnalyticsRequest = requestBody({
  partner_name: text.meta({ description: 'An unknown one gets 403' }),
  timeframe: z
    .enum(
      ['weekly', 'monthly', 'quarterly', 'custom'],
      'expected weekly, monthly, quarterly or custom',
    )
    .meta(notShown('behaviour when omitted'))
    .optional(),
  from_date: date.optional(),
  to_date: date.optional(),
}).meta({
  description: `custom: at most ${MAX_DAYS} days.`,
  if: { properties: { timeframe: { const: 'custom' } }, required: ['timeframe'] },
  // A JSON Schema keyword. The literal is only serialised, never awaited.
  ['then']: { required: ['from_date', 'to_date'] },
});

/** The reply (spec 2.7). */
export const partnerAnalytics = z.object({
  success: z.boolean(),
  data: z.record(z.string(), z.unknown()).meta(notShown('names of the metrics')),
});

/** The days of the answer, both included. */
interface Period {
  readonly from: string;
  readonly to: string;
}

export function analyticsRoutes(context: SandboxContext): Router {
  const { settings } = context;
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/analytics/partner_analytics',
    ...acceptCall(context, 'partner-analytics'),
    async (request, response) => {
      const query = parseBody(partnerAnalyticsRequest, request.body, SECTION);
      const period = findPeriod(context, query);
      const partner = settings.partners.find(({ name }) => name === query.partner_name);
      if (partner === undefined) throw new ApiError(403, 'This partner_name is not known.');
      await answerCall(context, 'partner-analytics', response, () => ({
        success: partner.success ?? true,
        data: inventMetrics(partner, period, settings.history.seed),
      }));
    },
  );
}

function findPeriod(
  { settings, clock }: SandboxContext,
  query: z.output<typeof partnerAnalyticsRequest>,
): Period {
  const timeframe = query.timeframe ?? settings.defaultTimeframe;
  if (timeframe !== 'custom') {
    const today = Date.parse(clock.nowText().slice(0, 10));
    const first = today - (DAYS_OF_TIMEFRAME[timeframe] - 1) * DAY_MILLISECONDS;
    return { from: toDay(first), to: toDay(today) };
  }
  const { from_date: from, to_date: to } = query;
  if (from === undefined) refuse('from_date', 'is required when timeframe is custom');
  if (to === undefined) refuse('to_date', 'is required when timeframe is custom');
  const daysApart = (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS;
  if (daysApart < 0) refuse('to_date', 'expected a date that is not before from_date');
  const days = settings.rangeCounts === 'both-ends' ? daysApart + 1 : daysApart;
  if (days > MAX_DAYS) refuse('to_date', `expected a range of at most ${MAX_DAYS} days`);
  return { from, to };
}

function refuse(field: string, message: string): never {
  throw invalidBody(SECTION, { field, message });
}

/**
 * Invents `data` of the reply. The names of the metrics are not shown (spec 2.7), so there is one of
 * each JSON type, including a series. The same partner, day and seed give the same numbers. They are
 * unrelated to the transactions.
 */
function inventMetrics(
  partner: AnalyticsPartner,
  period: Period,
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
  period: Period,
  seed: string,
): { date: string; transactions: number; volumeMinor: bigint }[] {
  const random = new SeededRandom(`${seed} ${partner.name}`);
  const first = Date.parse(period.from) / DAY_MILLISECONDS;
  const last = Date.parse(period.to) / DAY_MILLISECONDS;
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const day = first + index;
    const transactions = 20 + random.below(80, day, PURPOSE.count);
    return {
      date: toDay(day * DAY_MILLISECONDS),
      transactions,
      volumeMinor: BigInt(transactions * (1500 + random.below(2000, day, PURPOSE.volume))),
    };
  });
}

function writeMoney(minor: bigint): unknown {
  return toJsonNumber(fromMinor(minor, 2));
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
