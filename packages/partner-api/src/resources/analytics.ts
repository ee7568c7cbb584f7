import * as z from 'zod';
import { InvalidRequestError, UnknownPartnerError } from '../errors.js';
import { type Call, type Caller, startCall } from '../http/request.js';
import { type CallOptions, type Operation, UnsuccessfulReply } from '../http/operation.js';
import {
  checkRequest,
  filledText,
  notShown,
  openEnum,
  requestDate,
  requestObject,
} from '../schemas.js';

const Request = requestObject({
  partner_name: filledText,
  timeframe: openEnum(
    ['weekly', 'monthly', 'quarterly', 'custom'],
    'What happens when it is omitted.',
  ).optional(),
  from_date: requestDate.optional(),
  to_date: requestDate.optional(),
}).meta({ description: 'custom needs both dates, at most 90 days.' });

/** Request of spec 4.5. `custom` needs both dates, each `YYYY-MM-DD`. */
export type PartnerAnalyticsParams = z.infer<typeof Request>;

const Reply = z.object({
  success: z.boolean().optional(),
  data: z.record(z.string(), z.unknown()).meta(notShown('Names of the metrics.')),
});

/** Answer of spec 2.7: metrics by name, of any type. */
export type PartnerAnalytics = z.infer<typeof Reply>;

export const PARTNER_ANALYTICS: Operation<typeof Reply> = {
  name: 'analytics.partner',
  summary: 'Read the analytics of a partner for a timeframe.',
  section: '4.5',
  method: 'POST',
  base: 'api',
  path: ['v1', 'analytics', 'partner_analytics'],
  key: 'apiKey',
  effect: 'read',
  request: Request,
  reply: Reply,
  needs: ['data'],
  prepare: ({ success, data }) => {
    if (success === false) throw new UnsuccessfulReply(data);
  },
  refusals: new Map([
    [
      403,
      {
        type: UnknownPartnerError,
        advice: 'Is partner_name spelled as the provider knows it, and may this key see it?',
      },
    ],
  ]),
};

const { name: OPERATION } = PARTNER_ANALYTICS;
const MAX_DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

/** Analytics of a partner (spec 4.5). */
export class Analytics {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Reads the analytics of a partner. An unknown name is an `UnknownPartnerError`; an answer that
   * says `success: false` is an `UnsuccessfulAnswerError` that keeps its data.
   */
  partner(params: PartnerAnalyticsParams, options?: CallOptions): Call<PartnerAnalytics> {
    return startCall(async (note) => {
      checkRequest(OPERATION, Request, params);
      checkRange(params, this.#caller.settings.analyticsDays);
      return this.#caller.call(PARTNER_ANALYTICS, { fields: params }, options, note);
    });
  }
}

function checkRange(
  { timeframe, from_date: from, to_date: to }: PartnerAnalyticsParams,
  count: 'difference' | 'inclusive',
): void {
  const custom = timeframe === 'custom';
  for (const [field, day] of Object.entries({ from_date: from, to_date: to })) {
    if (!custom || day !== undefined) continue;
    throw new InvalidRequestError(field, 'is needed when timeframe is custom', OPERATION);
  }
  if (from === undefined || to === undefined) return;
  if (from > to) {
    throw new InvalidRequestError('from_date', 'must not be after to_date', OPERATION);
  }
  const difference = (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS;
  const days = count === 'inclusive' ? difference + 1 : difference;
  if (!custom || days <= MAX_DAYS) return;
  const ends = count === 'inclusive' ? 'counted' : 'not counted';
  const advice = `is ${days} days after from_date (both ends ${ends}); a custom range has at most ${MAX_DAYS}`;
  throw new InvalidRequestError('to_date', advice, OPERATION);
}
