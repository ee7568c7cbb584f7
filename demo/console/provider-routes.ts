/**
 * Analytics (spec 4.5), scheduled transfers (4.4), report schedules (4.2) and signup links (4.3): each
 * is one route and one call of the provider.
 */
import type {
  AssociateMerchantParams,
  PartnerClient,
  ScheduledTransfer,
  ScheduledTransfersBody,
  UpdateReportScheduleParams,
} from '@pay-checkout/partner-api';
import { describeSchedule, isTimezone } from '@pay-checkout/partner-api/schedule-words';
import { Router } from 'express';
import { z } from 'zod';
import { parseFields } from './console-error.js';
import type {
  AnalyticsView,
  ReportScheduleView,
  ScheduleView,
  SignupLinkView,
  TransfersView,
} from './console-view.js';
import { describeMetrics } from './metrics-view.js';
import { readRequest } from './operation-fields.js';
import { callProvider, otherFields, signalOf, toFields } from './provider-call.js';

const once = z.string('give it once');

// Dates and their range are for the client to check: a person sees its words.
const analyticsQuery = z.strictObject({
  partner_name: z.string('give the name of a partner, as the provider knows it'),
  timeframe: once.optional(),
  from_date: once.optional(),
  to_date: once.optional(),
});

const zone = once.refine(isTimezone, 'must be a time zone such as Europe/London').default('UTC');
const merchant = z.string('give the identifier of a merchant');
const transfersQuery = z.strictObject({ mid: merchant, timezone: zone });
/** The rest is the body of the provider's request. */
const transfersBody = z.looseObject({ mid: merchant, timezone: zone });

const scheduleQuery = z.strictObject({ schedule: once, timezone: zone });

const TRANSFERS_FACTS = {
  namedBy: 'mid',
  ifUnknown: 'What a body does on this request is not shown: ask the provider before another try.',
};
const email = z.looseObject({
  notification_email: z.email('must be an e-mail address').optional(),
});

const SCHEDULE_FACTS = {
  namedBy: 'id',
  ifUnknown: 'Send the same again: a second time changes nothing more.',
};

const LINK_FACTS = {
  namedBy: 'merchantId',
  ifUnknown:
    'Ask the merchant to try the link first: whether a second time extends it again is not shown.',
};

export function providerRoutes(client: PartnerClient): Router {
  const router = Router();

  router.get('/api/analytics', async (request, response) => {
    const params = parseFields(analyticsQuery, request.query);
    const signal = signalOf(response);
    const answer = await callProvider({ namedBy: 'partner_name' }, () =>
      client.analytics.partner(params, { signal }),
    );
    const reply: AnalyticsView = {
      ...describeMetrics(answer.data),
      others: otherFields(answer, ['success', 'data']),
    };
    response.json(reply);
  });

  router.get('/api/transfers', async (request, response) => {
    const { mid, timezone } = parseFields(transfersQuery, request.query);
    const signal = signalOf(response);
    const transfers = await callProvider({ namedBy: 'mid' }, () =>
      client.scheduledTransfers.list(mid, undefined, { signal }),
    );
    response.json(describeTransfers(transfers, timezone));
  });

  // The body that the spec shows on this read is sent only on demand, and once: what it does is not shown.
  router.post('/api/transfers', async (request, response) => {
    const { mid, timezone, ...given } = parseFields(transfersBody, request.body);
    const body = readRequest('scheduledTransfers.list', given) as ScheduledTransfersBody;
    const transfers = await callProvider(TRANSFERS_FACTS, () =>
      client.scheduledTransfers.list(mid, body),
    );
    response.json(describeTransfers(transfers, timezone));
  });

  // While it is typed; the provider is not asked.
  router.get('/api/schedule', (request, response) => {
    const { schedule, timezone } = parseFields(scheduleQuery, request.query);
    const reply: ScheduleView = { ...describeSchedule(schedule, timezone) };
    response.json(reply);
  });

  router.post('/api/report-schedules', async (request, response) => {
    parseFields(email, request.body);
    const params = readRequest(
      'reports.updateSchedule',
      request.body,
    ) as unknown as UpdateReportScheduleParams;
    const schedule = await callProvider(SCHEDULE_FACTS, () =>
      client.reports.updateSchedule(params),
    );
    const reply: ReportScheduleView = { schedule: toFields(schedule) };
    response.json(reply);
  });

  router.post('/api/signup-links', async (request, response) => {
    const params = readRequest(
      'merchants.associate',
      request.body,
    ) as unknown as AssociateMerchantParams;
    const answer = await callProvider(LINK_FACTS, () => client.merchants.associate(params));
    const reply: SignupLinkView = {
      message: answer.message,
      others: otherFields(answer, ['message']),
    };
    response.json(reply);
  });

  return router;
}

/** A schedule that is a cron expression is put into words, in the zone that the person chose. */
function describeTransfers(
  transfers: readonly ScheduledTransfer[],
  timezone: string,
): TransfersView {
  return {
    transfers: transfers.map((transfer) => {
      const fields = toFields(transfer);
      return { fields, ...describeSchedule(fields['schedule'] ?? '', timezone) };
    }),
  };
}
