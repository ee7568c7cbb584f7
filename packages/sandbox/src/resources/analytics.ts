import { Router } from 'express';
import { z } from 'zod';
import { acceptCall } from '../api/accept-call.js';
import { answerCall } from '../api/answer-call.js';
import { ApiError } from '../api/api-error.js';
import { parseBody } from '../api/json-body.js';
import type { SandboxContext } from '../context.js';
import { inventMetrics } from './analytics-metrics.js';
import type { AnalyticsPartner } from './analytics-partner.js';

const SECTION = 'section 4.5';
const DAY_MILLISECONDS = 86_400_000;
/** Spec section 8. */
const MAXIMUM_DAYS = 90;
const DAYS_OF_TIMEFRAME = { weekly: 7, monthly: 30, quarterly: 90 } as const;

const date = z.iso.date('expected a date as YYYY-MM-DD');

/** Body of `POST /v1/analytics/partner_analytics` (spec 4.5). */
export const partnerAnalyticsBody = z.strictObject(
  {
    partner_name: z.string('expected a string'),
    timeframe: z
      .enum(
        ['weekly', 'monthly', 'quarterly', 'custom'],
        'expected weekly, monthly, quarterly or custom',
      )
      .optional(),
    from_date: date.optional(),
    to_date: date.optional(),
  },
  'expected an object',
);

type AnalyticsQuery = z.output<typeof partnerAnalyticsBody>;

/** The days of the answer, both included. */
export interface AnalyticsPeriod {
  readonly from: string;
  readonly to: string;
}

/** `POST /v1/analytics/partner_analytics` (spec 4.5). The metrics and their values are invented. */
export function analyticsRoutes(context: SandboxContext): Router {
  return Router({ strict: true, caseSensitive: true }).post(
    '/v1/analytics/partner_analytics',
    ...acceptCall(context, 'partner-analytics'),
    async (request, response) => {
      const query = parseBody(partnerAnalyticsBody, request.body, SECTION);
      const period = findPeriod(context, query);
      const partner = requirePartner(context, query.partner_name);
      await answerCall(context, 'partner-analytics', response, () => ({
        success: partner.success ?? true,
        data: inventMetrics(partner, period, context.settings.history.seed),
      }));
    },
  );
}

function requirePartner({ settings }: SandboxContext, name: string): AnalyticsPartner {
  const partner = settings.partners.find((known) => known.name === name);
  if (partner === undefined) throw new ApiError(403, 'This partner_name is not known.');
  return partner;
}

function findPeriod(context: SandboxContext, query: AnalyticsQuery): AnalyticsPeriod {
  const timeframe = query.timeframe ?? context.settings.defaultTimeframe;
  if (timeframe !== 'custom') {
    const today = Date.parse(context.clock.nowText().slice(0, 10));
    return {
      from: toDay(today - (DAYS_OF_TIMEFRAME[timeframe] - 1) * DAY_MILLISECONDS),
      to: toDay(today),
    };
  }
  const { from_date: from, to_date: to } = query;
  if (from === undefined) refuse('from_date', 'is required when timeframe is custom');
  if (to === undefined) refuse('to_date', 'is required when timeframe is custom');
  const daysApart = (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS;
  if (daysApart < 0) refuse('to_date', 'expected a date that is not before from_date');
  const days = context.settings.rangeCounts === 'both-ends' ? daysApart + 1 : daysApart;
  if (days > MAXIMUM_DAYS) refuse('to_date', `expected a range of at most ${MAXIMUM_DAYS} days`);
  return { from, to };
}

function refuse(field: string, message: string): never {
  throw new ApiError(400, `The body is not what the interface describes (${SECTION}).`, {
    fields: [{ field, message }],
  });
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
