import { Router } from 'express';
import { z } from 'zod';
import type { SandboxContext } from '../context.js';
import { answerCall } from '../faults/answer-call.js';
import { acceptCall, resellerOfCall } from '../http/accept-call.js';
import { ApiError, invalidBody, parseBody } from '../http/errors.js';
import { decimalsOf, fromMinor, toMinor, writeRawNumber } from '../money.js';
import { date, notShown, requestBody, text } from '../schemas.js';
import type { AnalyticsPartner } from '../accounts.js';
import { listRows } from '../transactions/find-rows.js';

const SECTION = 'section 4.5';
const DAY_MILLISECONDS = 86_400_000;
/** Spec section 8. */
const MAX_DAYS = 90;
const DAYS_OF_TIMEFRAME = { weekly: 7, monthly: 30, quarterly: 90 } as const;

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
  const { accounts } = context;
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/analytics/partner_analytics',
    ...acceptCall(context, 'partner-analytics'),
    async (request, response) => {
      const query = parseBody(partnerAnalyticsRequest, request.body, SECTION);
      const period = findPeriod(context, query);
      const partner = accounts.findPartner(query.partner_name);
      const reseller = resellerOfCall(response);
      const isOfOther = reseller !== undefined && partner?.resellerId !== reseller;
      if (partner === undefined || isOfOther)
        throw new ApiError(403, 'This partner_name is not known.');
      await answerCall(context, 'partner-analytics', response, () => ({
        success: partner.success ?? true,
        data: computeMetrics(context, partner, period),
      }));
    },
  );
}

function findPeriod(
  { clock }: SandboxContext,
  query: z.output<typeof partnerAnalyticsRequest>,
): Period {
  const timeframe = query.timeframe ?? 'monthly';
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
  // Both ends count: how they do is not shown (spec 8), and this is the shorter range.
  if (daysApart + 1 > MAX_DAYS) refuse('to_date', `expected a range of at most ${MAX_DAYS} days`);
  return { from, to };
}

function refuse(field: string, message: string): never {
  throw invalidBody(SECTION, { field, message });
}

/** What one day, or the whole period, adds up to. */
interface Sum {
  count: number;
  /** In minor units of the partner's currency. */
  volume: bigint;
}

/**
 * Computes `data` of the reply from the transactions that the list shows. The names of the metrics are
 * not shown (spec 2.7), so there is one of each JSON type, including a series. Amounts are of one
 * currency: those of others are only in `volumes`.
 */
function computeMetrics(
  context: SandboxContext,
  partner: AnalyticsPartner,
  period: Period,
): Readonly<Record<string, unknown>> {
  const { from: fromDate, to: toDate } = period;
  const scope = { fromDate, toDate, resellerId: partner.resellerId };
  const rows = partner.isQuiet === true ? [] : listRows(context, scope);
  const currency = partner.currency ?? context.accounts.merchants()[0]?.currency ?? 'GBP';
  const days = partner.isQuiet === true ? [] : listDays(period);
  const total: Sum = { count: 0, volume: 0n };
  const byDay = new Map(days.map((day): [string, Sum] => [day, { count: 0, volume: 0n }]));
  const volumes = new Map<string, bigint>();
  const methods = new Map<string, number>();
  let refunded = 0n;
  let inCurrency = 0;
  for (const row of rows) {
    const { currencyCode = currency, paymentMethod = 'unknown', transactionTime } = row;
    const amount = minorOf(row.amount, currencyCode);
    const isOfCurrency = currencyCode === currency;
    for (const sum of [total, byDay.get(transactionTime.slice(0, 10))]) {
      if (sum === undefined) continue;
      sum.count += 1;
      if (isOfCurrency) sum.volume += amount;
    }
    if (isOfCurrency) {
      inCurrency += 1;
      refunded += minorOf(row.amountRefunded, currency);
    }
    volumes.set(currencyCode, (volumes.get(currencyCode) ?? 0n) + amount);
    methods.set(paymentMethod, (methods.get(paymentMethod) ?? 0) + 1);
  }
  const average = inCurrency === 0 ? 0n : total.volume / BigInt(inCurrency);
  return {
    partner_name: partner.name,
    from_date: period.from,
    to_date: period.to,
    is_estimate: false,
    currency,
    transaction_count: total.count,
    total_volume: writeMoney(total.volume, currency),
    refunded_volume: writeMoney(refunded, currency),
    average_amount: writeMoney(average, currency),
    conversion_rate: partner.isQuiet === true ? null : conversionRate(context, partner, period),
    payment_methods: Object.fromEntries([...methods].sort()),
    volumes: Object.fromEntries(
      [...volumes].sort().map(([code, volume]) => [code, writeMoney(volume, code)]),
    ),
    daily: [...byDay].map(([date, { count, volume }]) => ({
      date,
      transactions: count,
      volume: writeMoney(volume, currency),
    })),
    currencies: [...volumes.keys()].sort(),
  };
}

/** The share of the sessions created in the period that are paid. `null` when there are none. */
function conversionRate(
  { accounts, sessions, clock }: SandboxContext,
  { resellerId }: AnalyticsPartner,
  { from, to }: Period,
): number | null {
  const created = sessions.list(clock.now()).filter(({ createdAt, merchant }) => {
    const day = toDay(createdAt);
    const ofReseller = accounts.resellerOf(merchant.id) === resellerId;
    return day >= from && day <= to && (resellerId === undefined || ofReseller);
  });
  if (created.length === 0) return null;
  const paid = created.filter(({ state }) => state === 'paid').length;
  return Math.round((paid / created.length) * 10_000) / 10_000;
}

function listDays({ from, to }: Period): string[] {
  const first = Date.parse(from);
  const count = (Date.parse(to) - first) / DAY_MILLISECONDS + 1;
  return Array.from({ length: count }, (_, index) => toDay(first + index * DAY_MILLISECONDS));
}

function minorOf(amount: string | undefined, currency: string): bigint {
  return toMinor(amount ?? '0', decimalsOf(currency)) ?? 0n;
}

function writeMoney(minor: bigint, currency: string): unknown {
  return writeRawNumber(fromMinor(minor, decimalsOf(currency)));
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
