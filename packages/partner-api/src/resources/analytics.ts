import { InvalidRequestError, UnknownPartnerError } from '../errors.js';
import { checkPartnerAnalytics } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import {
  checkFields,
  isCalendarDate,
  isFilledText,
  type FieldChecks,
} from '../http/check-fields.js';
import { OPERATIONS } from '../http/operation-facts.js';
import {
  expectObject,
  UnsuccessfulReply,
  type CallOptions,
  type Operation,
} from '../http/operation.js';

/** Request of spec 4.5. */
export interface PartnerAnalyticsParams {
  partner_name: string;
  /** May be left out; what happens then is not shown. */
  timeframe?: 'weekly' | 'monthly' | 'quarterly' | 'custom' | (string & {}) | undefined;
  /** `YYYY-MM-DD`; needed for `custom`. */
  from_date?: string | undefined;
  /** `YYYY-MM-DD`; needed for `custom`. */
  to_date?: string | undefined;
}

/** Answer of spec 2.7. */
export interface PartnerAnalytics {
  success?: boolean;
  /** Metrics by name. Names and types are not shown: anything may come. */
  data: Record<string, unknown>;
  [field: string]: unknown;
}

const MAX_DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

const CHECKS: FieldChecks<PartnerAnalyticsParams> = {
  partner_name: isFilledText,
  timeframe: isFilledText,
  from_date: isCalendarDate,
  to_date: isCalendarDate,
};

const PARTNER: Operation<PartnerAnalytics> = {
  ...OPERATIONS.partnerAnalytics,
  readReply: readAnalytics,
  checkReply: checkPartnerAnalytics,
  refusals: new Map([[403, UnknownPartnerError]]),
  advice: { refused: 'Is partner_name spelled as the provider knows it, and may this key see it?' },
};

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
  async partner(params: PartnerAnalyticsParams, options?: CallOptions): Promise<PartnerAnalytics> {
    const fields = checkFields(PARTNER.name, params, CHECKS, ['partner_name']);
    checkRange(params, this.#caller.settings.analyticsDays);
    return this.#caller.call(PARTNER, { fields }, options);
  }
}

function checkRange(
  { timeframe, from_date: from, to_date: to }: PartnerAnalyticsParams,
  count: 'difference' | 'inclusive',
): void {
  const custom = timeframe === 'custom';
  for (const [field, day] of Object.entries({ from_date: from, to_date: to })) {
    if (!custom || day !== undefined) continue;
    throw new InvalidRequestError(field, 'is needed when timeframe is custom', PARTNER.name);
  }
  if (from === undefined || to === undefined) return;
  if (from > to) {
    throw new InvalidRequestError('from_date', 'must not be after to_date', PARTNER.name);
  }
  const difference = (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS;
  const days = count === 'inclusive' ? difference + 1 : difference;
  if (!custom || days <= MAX_DAYS) return;
  const advice = `is ${days} days after from_date (both ends ${
    count === 'inclusive' ? 'counted' : 'not counted'
  }); a custom range has at most ${MAX_DAYS}`;
  throw new InvalidRequestError('to_date', advice, PARTNER.name);
}

function readAnalytics(body: unknown): PartnerAnalytics {
  const reply = expectObject(body, 'body');
  if (reply['success'] === false) throw new UnsuccessfulReply(reply['data']);
  expectObject(reply['data'], 'data');
  return reply as PartnerAnalytics;
}
